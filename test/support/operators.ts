import { inject } from "vitest";
import type { AccountType } from "../../shared/accounts/access/account-access.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { logIn } from "./client.ts";
import { type FormVisitor, type SeenPage, signUp } from "./form-visitor.ts";
import { openLocalAccounts } from "./local-accounts.ts";
import { codeOf } from "./second-factor.ts";
import { setUpSecondFactor } from "./second-factor-visitor.ts";

/** An account with a browser that is logged in to it. */
export interface LoggedIn {
  readonly visitor: FormVisitor;
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly id: number;
  /** Of the second factor, which operators need. */
  readonly secret?: Uint8Array;
  /** Their next code that was not used, to confirm an act. */
  readonly nextCode: () => string;
}

let opened: Promise<AccountsRepository> | undefined;

/** The accounts of the local service under test. */
export const localAccounts = (): Promise<AccountsRepository> =>
  (opened ??= openLocalAccounts(inject("dataDirectory")));

/** Creates an account of a type, and logs a browser in to it. */
export const logInAs = async (type: AccountType = "Free"): Promise<LoggedIn> => {
  const accounts = await localAccounts();
  const person = await signUp();
  const found = await accounts.find({ username: person.username });
  if (!found) throw new Error("The account was not created.");
  await accounts.setAccountType(found.id, type);
  if (type !== "Admin") return { ...person, id: found.id, nextCode: () => "" };
  const { secret, recoveryCodes } = await setUpSecondFactor(person.visitor, person.password);
  return { ...person, id: found.id, secret, nextCode: () => recoveryCodes.pop() ?? "" };
};

/** A token of an account. */
export const tokenOf = async ({ username, password, secret }: LoggedIn): Promise<string> =>
  (await logIn(username, password, secret && { otp: codeOf(secret) })).body.access_token;

/** What a person reads on a page. */
export const readableOf = ({ html }: Pick<SeenPage, "html">): string =>
  html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

/** The rows of the audit log about an account, newest first. */
export const actsOn = async ({ visitor }: LoggedIn, { id }: Pick<LoggedIn, "id">): Promise<string[]> => {
  const { html } = await visitor.open("/console/admin/audit");
  return [...html.matchAll(/<tr>(.*?)<\/tr>/gs)]
    .map(([, row = ""]) => row)
    .filter((row) => row.includes(`accounts/${id}"`))
    .map((row) => readableOf({ html: row }));
};
