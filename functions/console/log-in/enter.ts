import type { StoredAccount } from "../../../shared/accounts/access/account.ts";
import type { Identity } from "../../../shared/accounts/repositories/identities-repository.ts";
import { cookiesAt } from "../../../shared/pages/server/cookies.ts";
import { logInCodePath, readNext } from "../../../shared/pages/server/links.ts";
import { type PageResponse, redirect } from "../../../shared/pages/server/responses.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import type { SessionStart } from "../../../shared/pages/sessions/sessions-repository.ts";
import { attemptSeconds, type UnconfirmedLogIns } from "./log-in-attempts.ts";

const afterLogIn = "/console";

/** What the end of a login uses. */
export interface EnterDependencies {
  readonly unconfirmedLogIns: UnconfirmedLogIns;
  /** The public address, without a slash at the end. */
  readonly baseUrl: string;
}

interface Entering {
  /** The page to continue with, as it was requested. */
  readonly next: string | undefined;
  /** Other cookies to send. */
  readonly cookies?: readonly string[];
  /** An identity to add to the account once the person has entered a code. */
  readonly identity?: Identity;
  readonly start: SessionStart;
}

/**
 * Begins the session of a person who has shown the password or came from an identity provider. With a second factor, there is no
 * session yet: a cookie remembers the login until the page for the code.
 */
export const enter = async (
  { beginSession }: Pick<Visit, "beginSession">,
  account: StoredAccount,
  { next: requested, cookies = [], identity, start }: Entering,
  { unconfirmedLogIns, baseUrl }: EnterDependencies,
): Promise<PageResponse<never>> => {
  const next = readNext(requested);
  if (!account.has_second_factor)
    return redirect(next ?? afterLogIn, { cookies: [await beginSession(account, start), ...cookies] });
  const { id: userId, token_epoch: tokenEpoch } = account;
  const sealed = await unconfirmedLogIns.seal({ userId, tokenEpoch, next, identity, by: start.with });
  const waiting = cookiesAt(baseUrl).write("confirmation", sealed, attemptSeconds);
  return redirect(logInCodePath, { cookies: [waiting, ...cookies] });
};
