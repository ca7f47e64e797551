import { inject } from "vitest";
import type { AccountType } from "../../shared/accounts/access/account-access.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { logIn, newRegistration } from "./client.ts";
import { FormVisitor, type SeenPage } from "./form-visitor.ts";
import { openLocalAccounts } from "./local-accounts.ts";

/** An account with a browser that is logged in to it. */
export interface LoggedIn {
  readonly visitor: FormVisitor;
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly id: number;
}

let opened: Promise<AccountsRepository> | undefined;

/** The accounts of the local service under test. */
export const localAccounts = (): Promise<AccountsRepository> =>
  (opened ??= openLocalAccounts(inject("dataDirectory")));

/** Creates an account of a type, and logs a browser in to it. */
export const logInAs = async (type: AccountType = "Free"): Promise<LoggedIn> => {
  const accounts = await localAccounts();
  const visitor = new FormVisitor();
  const registration = newRegistration();
  await visitor.send(await visitor.open("/console/sign-up"), "/console/sign-up", registration);
  const found = await accounts.find({ username: registration.username });
  if (!found) throw new Error("The account was not created.");
  await accounts.setAccountType(found.id, type);
  return { visitor, ...registration, id: found.id };
};

/** A token of an account. */
export const tokenOf = async ({ username, password }: LoggedIn): Promise<string> =>
  (await logIn(username, password)).body.access_token;

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
