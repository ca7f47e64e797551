import { forgotPassword, resetPassword } from "../../../shared/accounts/sign-in/change-password.ts";
import type { DeletionDependencies } from "../../../shared/accounts/sign-in/delete-account.ts";
import type { SignInDependencies } from "../../../shared/accounts/sign-in/dependencies.ts";
import { signIn } from "../../../shared/accounts/sign-in/issue-token.ts";
import { register } from "../../../shared/accounts/sign-in/register.ts";
import {
  alreadyVerified,
  checkResetLink,
  checkVerificationLink,
  verifyEmail,
} from "../../../shared/accounts/sign-in/verify-email.ts";
import { service } from "../../../shared/http/function-definition.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { readNext } from "../server/links.ts";
import { type BoundPage, page } from "../server/page.ts";
import { data, type PageResponse, redirect, shown } from "../server/responses.ts";
import type { Visit } from "../server/visit.ts";
import {
  BrokenLink,
  EmailVerified,
  ForgotPassword,
  Home,
  LinkSent,
  LogIn,
  ResetPassword,
  SignUp,
  VerifyEmail,
} from "./entry-views.tsx";
import {
  consoleHomePage,
  forgotPasswordPage,
  logInPage,
  logOutPage,
  resetPasswordPage,
  signUpPage,
  verifyEmailPage,
} from "./pages.ts";

/** An identity provider to log in with. */
export interface OfferedProvider {
  readonly name: string;
  /** The page that redirects there, such as `/console/log-in/a`. */
  readonly path: string;
}

/** What these pages use. */
export interface EntryDependencies
  extends DeletionDependencies,
    Pick<SignInDependencies, "identities" | "links" | "mailQueue"> {
  readonly providers: readonly OfferedProvider[];
}

const afterLogIn = "/console";

type Dependencies = Omit<EntryDependencies, "providers">;

const home = (): BoundPage =>
  page(consoleHomePage, {
    show: ({ wantsHtml, baseUrl, account, texts, url }) =>
      wantsHtml
        ? shown({ content: <Home {...{ baseUrl, texts, url }} isSignedIn={account !== undefined} /> })
        : data({
            service: service.name,
            version: service.apiVersion,
            description: texts.home.lead,
            openapi: `${baseUrl}/openapi.json`,
            documentation: `${baseUrl}/docs`,
            console: `${baseUrl}/console`,
          }),
  });

const signUp = ({ providers, ...dependencies }: EntryDependencies): BoundPage =>
  page(signUpPage, {
    show: (visit) => {
      const next = visit.values["next"] ?? visit.query.next;
      if (visit.account && !visit.problems.form) return redirect(readNext(next) ?? afterLogIn);
      return shown({ content: <SignUp {...visit} next={next} providers={providers} /> });
    },
    submit: async ({ form: { next, organization, ...form }, beginSession }) => {
      const { id } = await register({ ...form, organization: organization || undefined }, dependencies);
      const cookies = [await beginSession({ id, token_epoch: 0 })];
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
    submit: async ({ form, request, beginSession }) => {
      const account = await signIn(form, request, dependencies);
      return redirect(readNext(form.next) ?? afterLogIn, { cookies: [await beginSession(account)] });
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
    submit: async ({ form, texts }) => {
      await forgotPassword(form.email, dependencies);
      return shown({ content: <LinkSent texts={texts} />, title: texts.forgot.sentTitle });
    },
  });

type LinkVisit = Visit<{ readonly token?: string | undefined }>;

/**
 * The page behind an emailed link, or the page for a link that does not work.
 *
 * @param again the page that sends another link.
 */
const behindLink = async (
  visit: LinkVisit,
  again: string,
  show: (token: string) => Promise<PageResponse<never>>,
): Promise<PageResponse<never>> => {
  const { texts, url } = visit;
  const broken = shown({
    content: <BrokenLink {...{ texts, url, again }} />,
    title: texts.reset.brokenTitle,
    status: 400,
  });
  const token = visit.values["token"] ?? visit.query.token;
  if (token === undefined) return broken;
  try {
    return await show(token);
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_link") return broken;
    throw error;
  }
};

const reset = (dependencies: Dependencies): BoundPage =>
  page(resetPasswordPage, {
    show: (visit) =>
      behindLink(visit, forgotPasswordPage.path, async (token) => {
        await checkResetLink(token, dependencies);
        return shown({ content: <ResetPassword {...visit} token={token} /> });
      }),
    submit: async ({ form, request, endSession }) => {
      await resetPassword(form, request.sourceAddress, dependencies);
      return redirect("/console/log-in?after=reset", { cookies: [await endSession()] });
    },
  });

const verify = (dependencies: Dependencies): BoundPage => {
  const verified = ({ texts, url }: Pick<Visit, "texts" | "url">) =>
    shown({ content: <EmailVerified {...{ texts, url }} />, title: texts.verify.doneTitle });
  return page(verifyEmailPage, {
    show: (visit) =>
      behindLink(visit, afterLogIn, async (token) => {
        const outcome = await checkVerificationLink(token, dependencies);
        if (outcome === alreadyVerified) return verified(visit);
        return shown({ content: <VerifyEmail {...visit} token={token} /> });
      }),
    submit: async ({ form, ...visit }) => {
      await verifyEmail(form.token, dependencies);
      return verified(visit);
    },
  });
};

/** The home page, the ways in and out, and the pages behind emailed links. */
export const entryPages = (dependencies: EntryDependencies): BoundPage[] => [
  home(),
  signUp(dependencies),
  logIn(dependencies),
  logOut(),
  forgot(dependencies),
  reset(dependencies),
  verify(dependencies),
];
