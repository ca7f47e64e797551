import type { StoredAccount } from "../../../shared/accounts/access/account.ts";
import type { AccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import type { IdentitiesRepository } from "../../../shared/accounts/repositories/identities-repository.ts";
import { type CodeDependencies, signInWithCode } from "../../../shared/accounts/sign-in/check-code.ts";
import { isClosed, joinIdentity } from "../identity/enter-with-identity.ts";
import type { UnconfirmedLogIn } from "../identity/log-in-attempts.ts";
import { cookiesAt } from "../server/cookies.ts";
import { readNext } from "../server/links.ts";
import { type BoundPage, page } from "../server/page.ts";
import { redirect, shown } from "../server/responses.ts";
import type { Visit } from "../server/visit.ts";
import { EnterCode } from "./code-view.tsx";
import type { EnterDependencies } from "./enter.ts";
import { codePage } from "./pages.ts";

/** What the page for the code uses. */
export interface CodePageDependencies extends EnterDependencies, CodeDependencies {
  readonly accounts: Pick<AccountsRepository, "find">;
  readonly identities: Pick<IdentitiesRepository, "find" | "join">;
}

interface Waiting {
  readonly logIn: UnconfirmedLogIn;
  readonly account: StoredAccount;
}

/** The login of this browser that waits for a code. Any new password ends it, as it ends sessions. */
const findWaiting = async (
  { request }: Visit,
  { baseUrl, unconfirmedLogIns, accounts }: CodePageDependencies,
): Promise<Waiting | undefined> => {
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
      if (visit.account && !visit.problems.form) return redirect("/console");
      const waiting = await findWaiting(visit, dependencies);
      return waiting
        ? shown({ content: <EnterCode {...visit} username={waiting.account.username} /> })
        : tooLate();
    },
    submit: async ({ form: { code }, ...visit }) => {
      const waiting = await findWaiting(visit, dependencies);
      if (!waiting) return tooLate();
      const { account, logIn } = waiting;
      const given = { code, param: "code" } as const;
      await signInWithCode(account, given, visit.request.sourceAddress, dependencies);
      const owner = { userId: account.id, tokenEpoch: account.token_epoch };
      if (logIn.identity && (await joinIdentity(logIn.identity, owner, dependencies)) !== "joined")
        return tooLate();
      const forget = cookiesAt(dependencies.baseUrl).write("confirmation", "", 0);
      return redirect(readNext(logIn.next) ?? "/console", {
        cookies: [await visit.beginSession(account), forget],
      });
    },
  });
