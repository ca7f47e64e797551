import type * as z from "zod";
import type { StoredAccount } from "../../../shared/accounts/access/account.ts";
import type { MailQueue } from "../../../shared/accounts/mail/mail-queue.ts";
import type { AccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import { type CodeDependencies, signInWithCode } from "../../../shared/accounts/sign-in/check-code.ts";
import { cookiesAt } from "../../../shared/pages/server/cookies.ts";
import { readNext } from "../../../shared/pages/server/links.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { redirect, shown } from "../../../shared/pages/server/responses.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import type { EnterDependencies } from "../log-in/enter.ts";
import { isClosed, type JoinDependencies, joinIdentity } from "../log-in/enter-with-identity.ts";
import type { UnconfirmedLogIn } from "../log-in/log-in-attempts.ts";
import { EnterCode } from "./code-view.tsx";
import { codePage } from "./pages.ts";

/** What the page for the code uses. */
export interface CodePageDependencies extends EnterDependencies, CodeDependencies, JoinDependencies {
  readonly accounts: Pick<AccountsRepository, "find">;
  readonly mailQueue: MailQueue;
}

type CodeQuery = z.output<NonNullable<typeof codePage.query>>;

interface Waiting {
  readonly logIn: Pick<UnconfirmedLogIn, "identity" | "next" | "by">;
  readonly account: StoredAccount;
}

/** The login of this browser that waits for a code: a session without one, or a cookie. Any new password ends both. */
const findWaiting = async (
  { request, account: signedIn, session, query, values }: Visit<CodeQuery>,
  { baseUrl, unconfirmedLogIns, accounts }: CodePageDependencies,
): Promise<Waiting | undefined> => {
  if (signedIn && session) {
    const needsCode = signedIn.has_second_factor && !session.start.showedFactor;
    const next = values["next"] ?? query.next;
    return needsCode
      ? { account: signedIn, logIn: { identity: undefined, next, by: session.start.with } }
      : undefined;
  }
  const sealed = cookiesAt(baseUrl).read(request.headers["cookie"], "confirmation");
  const logIn = sealed === undefined ? undefined : await unconfirmedLogIns.open(sealed);
  const account = logIn && (await accounts.find({ id: logIn.userId }));
  const isWaiting =
    account?.has_second_factor && !isClosed(account) && account.token_epoch === logIn?.tokenEpoch;
  return logIn && account && isWaiting ? { logIn, account } : undefined;
};

const tooLate = () => redirect("/console/log-in?after=too-late");

/** The page on which a person with a second factor enters a code, after the password. */
export const enterCodePage = (dependencies: CodePageDependencies): BoundPage =>
  page(codePage, {
    show: async (visit) => {
      const waiting = await findWaiting(visit, dependencies);
      if (!waiting) return visit.account ? redirect("/console") : tooLate();
      const { account, logIn } = waiting;
      return shown({ content: <EnterCode {...visit} username={account.username} next={logIn.next} /> });
    },
    submit: async ({ form: { code }, ...visit }) => {
      const waiting = await findWaiting(visit, dependencies);
      if (!waiting) return tooLate();
      const { account, logIn } = waiting;
      const given = { code, param: "code" } as const;
      await signInWithCode(account, given, visit.request.sourceAddress, dependencies);
      const owner = { userId: account.id, tokenEpoch: account.token_epoch };
      const { identity } = logIn;
      if (identity && (await joinIdentity(identity, owner, dependencies)) !== "joined") return tooLate();
      const forget = cookiesAt(dependencies.baseUrl).write("confirmation", "", 0);
      return redirect(readNext(logIn.next) ?? "/console", {
        cookies: [await visit.beginSession(account, { with: logIn.by, showedFactor: true }), forget],
      });
    },
  });
