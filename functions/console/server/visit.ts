import type { StoredAccount } from "../../../shared/accounts/access/account.ts";
import type { AccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import type { RequestFacts } from "../../../shared/http/endpoint.ts";
import { requestScope } from "../../../shared/platform/telemetry/request-scope.ts";
import type { Session, SessionsRepository } from "../sessions/sessions-repository.ts";
import { maxSessionSeconds } from "../sessions/sessions-repository.ts";
import type { Texts } from "../texts/en.ts";
import type { ConsoleLanguage } from "../texts/languages.ts";
import type { Cookies } from "./cookies.ts";
import type { Audience } from "./define-page.ts";
import type { FormProblems } from "./problems.ts";

/** Who is signed in, and in which session. */
export interface SignedIn {
  readonly session: Session;
  readonly account: StoredAccount;
}

/** A request for a page, as the page sees it. */
export type Visit<Query = unknown, Who extends Audience = Audience> = Requested<Query> &
  (Who extends "signed-in" ? SignedIn : Partial<SignedIn>);

interface Requested<Query> {
  readonly texts: Texts;
  readonly language: ConsoleLanguage;
  readonly query: Query;
  /** The parameters of the page's path. */
  readonly path: Readonly<Record<string, string>>;
  /** What was typed into a form that is shown again, without passwords; otherwise nothing. */
  readonly values: Readonly<Record<string, string>>;
  /** The same of fields that may be there several times. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly problems: FormProblems;
  /** For the hidden field `form_token` of every form. */
  readonly formToken: string;
  /** Whether a browser asks: programs would rather have JSON. */
  readonly wantsHtml: boolean;
  /** Where callers reach the service; no slash at the end. */
  readonly baseUrl: string;
  /** The page itself, as it was asked for. */
  readonly here: string;
  /** The address of a page of ours in a link: behind a stage prefix it begins with that. */
  readonly url: (path: string) => string;
  readonly request: RequestFacts;
  /** Signs somebody in, in the place of whoever was. @returns the cookie, to be sent with the answer. */
  readonly beginSession: (account: Pick<StoredAccount, "id" | "token_epoch">) => Promise<string>;
  /** Ends the session, if there is one. @returns the cookie that is to be sent. */
  readonly endSession: () => Promise<string>;
}

/** What finding out who somebody is touches. */
export interface SessionDependencies {
  readonly sessions: SessionsRepository;
  readonly accounts: Pick<AccountsRepository, "find">;
}

/**
 * Who a session's cookie belongs to. A session counts as long as its account has the epoch of the log-in, and may sign in at all.
 */
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

/** How a visit begins and ends sessions. */
export const sessionSwitch = (
  signedIn: SignedIn | undefined,
  userAgent: string | undefined,
  { sessions, cookies }: Pick<SessionDependencies, "sessions"> & { readonly cookies: Cookies },
): Pick<Requested<unknown>, "beginSession" | "endSession"> => {
  const end = async () => {
    if (signedIn) await sessions.end(signedIn.account.id, signedIn.session.id);
  };
  return {
    beginSession: async ({ id, token_epoch }) => {
      await end();
      const { secret } = await sessions.begin({ userId: id, tokenEpoch: token_epoch }, userAgent);
      return cookies.write("session", secret, maxSessionSeconds);
    },
    endSession: async () => {
      await end();
      return cookies.write("session", "", 0);
    },
  };
};
