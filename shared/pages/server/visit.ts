import type { StoredAccount } from "../../accounts/access/account.ts";
import type { AccountsRepository } from "../../accounts/repositories/accounts-repository.ts";
import { maxSessionSeconds } from "../../accounts/sessions/keys.ts";
import type { RequestFacts } from "../../http/exchange.ts";
import { requestScope } from "../../platform/telemetry/request-scope.ts";
import type { Session, SessionStart, SessionsRepository } from "../sessions/sessions-repository.ts";
import type { ConsoleLanguage, Texts } from "../texts/languages.ts";
import type { Cookies } from "./cookies.ts";
import type { Audience } from "./define-page.ts";
import type { FormProblems } from "./problems.ts";

/** Whether an account may see the operators' pages. Every request reads it again, so a change of its type counts at once. */
export const isOperator = <Who extends Partial<SignedIn>>(visit: Who): visit is Who & SignedIn =>
  visit.account?.account_type === "Admin";

export interface SignedIn {
  readonly session: Session;
  readonly account: StoredAccount;
}

/** A request for a page. */
export type Visit<Query = unknown, Who extends Audience = Audience> = Requested<Query> &
  (Who extends "signed-in" | "operators" ? SignedIn : Partial<SignedIn>);

interface Requested<Query> {
  readonly texts: Texts;
  readonly language: ConsoleLanguage;
  readonly query: Query;
  /** The parameters of the page's path. */
  readonly path: Readonly<Record<string, string>>;
  /** The input of a form that is shown again, without passwords. */
  readonly values: Readonly<Record<string, string>>;
  /** The same, with all values of repeated fields. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly problems: FormProblems;
  /** For the hidden field `form_token` of every form. */
  readonly formToken: string;
  /** Signs a link for this browser. The same link always has the same signature. */
  readonly sign: (link: string) => string;
  /** `false` for programs, which get JSON. */
  readonly wantsHtml: boolean;
  /** The public address, without a slash at the end. */
  readonly baseUrl: string;
  /** Path and query of this page. */
  readonly here: string;
  /** A path with the prefix of the stage, for links. */
  readonly url: (path: string) => string;
  readonly request: RequestFacts;
  /** Signs in, and ends the session before. @returns the cookie to send. */
  readonly beginSession: (
    account: Pick<StoredAccount, "id" | "token_epoch">,
    start: SessionStart,
  ) => Promise<string>;
  /** Signs out. @returns the cookie to send. */
  readonly endSession: () => Promise<string>;
}

export interface SessionDependencies {
  readonly sessions: SessionsRepository;
  readonly accounts: Pick<AccountsRepository, "find">;
}

/** The account of a session's cookie. The session ends when the account's epoch changes, or the account can no longer sign in. */
export const findSignedIn = async (
  secret: string | undefined,
  { sessions, accounts }: SessionDependencies,
): Promise<SignedIn | undefined> => {
  const session = secret === undefined ? undefined : await sessions.find(secret);
  const account = session && (await accounts.find({ id: session.userId }));
  if (!account || account.disabled || account.deletion_began !== undefined) return undefined;
  if (account.token_epoch !== session.tokenEpoch) return undefined;
  const scope = requestScope();
  if (scope) scope.accountId = account.id;
  return { session, account };
};

export const sessionSwitch = (
  signedIn: SignedIn | undefined,
  userAgent: string | undefined,
  { sessions, cookies }: Pick<SessionDependencies, "sessions"> & { readonly cookies: Cookies },
): Pick<Requested<unknown>, "beginSession" | "endSession"> => {
  const end = async () => {
    if (signedIn) await sessions.end(signedIn.account.id, signedIn.session.id);
  };
  return {
    beginSession: async ({ id, token_epoch }, start) => {
      await end();
      const { secret } = await sessions.begin({ userId: id, tokenEpoch: token_epoch }, start, userAgent);
      return cookies.write("session", secret, maxSessionSeconds);
    },
    endSession: async () => {
      await end();
      return cookies.write("session", "", 0);
    },
  };
};

const refuseSession = async (): Promise<never> => {
  throw new Error("These pages have no sessions.");
};

/** The same for pages that are the same for everyone. */
export const withoutSessions: ReturnType<typeof sessionSwitch> = {
  beginSession: refuseSession,
  endSession: refuseSession,
};
