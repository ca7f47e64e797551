import type { AccountPolicies } from "../../../shared/accounts/limits/policies.ts";
import { forgotPassword } from "../../../shared/accounts/sign-in/change-password.ts";
import type { DeletionDependencies } from "../../../shared/accounts/sign-in/delete-account.ts";
import type { SignInDependencies } from "../../../shared/accounts/sign-in/dependencies.ts";
import { signIn } from "../../../shared/accounts/sign-in/issue-token.ts";
import { register } from "../../../shared/accounts/sign-in/register.ts";
import { readNext } from "../../../shared/pages/server/links.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { redirect, shown } from "../../../shared/pages/server/responses.ts";
import { withPassword } from "../../../shared/pages/sessions/sessions-repository.ts";
import { type EnterDependencies, enter } from "../log-in/enter.ts";
import { dailyRequests } from "./daily-requests.tsx";
import type { OfferedProvider } from "./entry-views.tsx";
import { ForgotPassword, LinkSent, LogIn, SignUp } from "./entry-views.tsx";
import { type LinkPagesDependencies, linkPages } from "./link-pages.tsx";
import { forgotPasswordPage, logInPage, logOutPage, signUpPage } from "./pages.ts";
import { requirePresentTerms } from "./require-present-terms.ts";

/** What these pages use. */
export interface EntryDependencies
  extends DeletionDependencies,
    EnterDependencies,
    LinkPagesDependencies,
    Pick<SignInDependencies, "termsVersion"> {
  readonly providers: readonly OfferedProvider[];
  /** The limits of accounts as this stage has them. */
  readonly policyOf: AccountPolicies;
}

const afterLogIn = "/console";

type Dependencies = Omit<EntryDependencies, "providers" | "policyOf">;

const signUp = ({ providers, policyOf, ...dependencies }: EntryDependencies): BoundPage =>
  page(signUpPage, {
    show: (visit) => {
      const next = visit.values["next"] ?? visit.query.next;
      if (visit.account && !visit.problems.form) return redirect(readNext(next) ?? afterLogIn);
      return shown({
        content: (
          <SignUp
            {...visit}
            {...{ next, providers, termsVersion: dependencies.termsVersion }}
            perDay={dailyRequests(policyOf)}
          />
        ),
      });
    },
    submit: async ({ form: { next, organization, ...form }, beginSession, texts }) => {
      requirePresentTerms(form.accepted_terms, dependencies.termsVersion, texts);
      const { id } = await register({ ...form, organization: organization || undefined }, dependencies);
      const cookies = [await beginSession({ id, token_epoch: 0 }, withPassword)];
      return redirect(readNext(next) ?? afterLogIn, { cookies });
    },
  });

const logIn = ({ providers, ...dependencies }: EntryDependencies): BoundPage =>
  page(logInPage, {
    show: (visit) => {
      const next = visit.values["next"] ?? visit.query.next;
      if (visit.account && !visit.problems.form) return redirect(readNext(next) ?? afterLogIn);
      return shown({ content: <LogIn {...visit} next={next} providers={providers} /> });
    },
    submit: async ({ form, ...visit }) => {
      const account = await signIn(form, visit.request, dependencies);
      return enter(visit, account, { next: form.next, start: withPassword }, dependencies);
    },
  });

const logOut = (): BoundPage =>
  page(logOutPage, {
    show: () => redirect(afterLogIn),
    submit: async ({ endSession }) =>
      redirect("/console/log-in?after=log-out", { cookies: [await endSession()] }),
  });

const forgot = (dependencies: Dependencies): BoundPage =>
  page(forgotPasswordPage, {
    show: (visit) => shown({ content: <ForgotPassword {...visit} /> }),
    submit: async ({ form, texts, url }) => {
      await forgotPassword(form.email, dependencies);
      return shown({ content: <LinkSent {...{ texts, url }} />, title: texts.forgot.sentTitle });
    },
  });

/** The home page, the ways in and out, and the pages behind emailed links. */
export const entryPages = (dependencies: EntryDependencies): BoundPage[] => [
  signUp(dependencies),
  logIn(dependencies),
  logOut(),
  forgot(dependencies),
  ...linkPages(dependencies),
];
