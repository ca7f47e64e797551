import { forgotPassword, resetPassword } from "../../../shared/accounts/sign-in/change-password.ts";
import type { DeletionDependencies } from "../../../shared/accounts/sign-in/delete-account.ts";
import type { SignInDependencies } from "../../../shared/accounts/sign-in/dependencies.ts";
import { signIn } from "../../../shared/accounts/sign-in/issue-token.ts";
import { register } from "../../../shared/accounts/sign-in/register.ts";
import { checkResetLink } from "../../../shared/accounts/sign-in/verify-email.ts";
import { service } from "../../../shared/http/function-definition.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { readNext } from "../server/links.ts";
import { type BoundPage, page } from "../server/page.ts";
import { data, redirect, shown } from "../server/responses.ts";
import { BrokenLink, ForgotPassword, Home, LinkSent, LogIn, ResetPassword, SignUp } from "./entry-views.tsx";
import {
  forgotPasswordPage,
  homePage,
  logInPage,
  logOutPage,
  resetPasswordPage,
  signUpPage,
} from "./pages.ts";

/** A way to log in that is somebody else's. */
export interface OfferedProvider {
  /** What people call it. */
  readonly name: string;
  /** The page that leads there, such as `/console/log-in/a`. */
  readonly path: string;
}

/** What these pages touch. */
export interface EntryDependencies
  extends DeletionDependencies,
    Pick<SignInDependencies, "identities" | "links" | "mailQueue"> {
  readonly providers: readonly OfferedProvider[];
}

const afterLogIn = "/console";

const isBroken = (error: unknown): boolean => error instanceof AppError && error.code === "invalid_link";

/** The first page, and the ways in and out. */
export const entryPages = ({ providers, ...dependencies }: EntryDependencies): BoundPage[] => [
  page(homePage, {
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
  }),

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
  }),

  page(logInPage, {
    show: (visit) => {
      const next = visit.values["next"] ?? visit.query.next;
      if (visit.account && !visit.problems.form) return redirect(readNext(next) ?? afterLogIn);
      return shown({ content: <LogIn {...visit} next={next} providers={providers} /> });
    },
    submit: async ({ form, request, beginSession }) => {
      const account = await signIn(form, request, dependencies);
      const cookies = [await beginSession(account)];
      return redirect(readNext(form.next) ?? afterLogIn, { cookies });
    },
  }),

  page(logOutPage, {
    show: () => redirect(afterLogIn),
    submit: async ({ endSession }) =>
      redirect("/console/log-in?after=log-out", { cookies: [await endSession()] }),
  }),

  page(forgotPasswordPage, {
    show: (visit) => shown({ content: <ForgotPassword {...visit} /> }),
    submit: async ({ form, texts }) => {
      await forgotPassword(form.email, dependencies);
      return shown({ content: <LinkSent texts={texts} />, title: texts.forgot.sentTitle });
    },
  }),

  page(resetPasswordPage, {
    show: async (visit) => {
      const { texts, url } = visit;
      const token = visit.values["token"] ?? visit.query.token;
      const broken = shown({
        content: <BrokenLink {...{ texts, url }} />,
        title: texts.reset.brokenTitle,
        status: 400,
      });
      if (token === undefined) return broken;
      try {
        await checkResetLink(token, dependencies);
      } catch (error) {
        if (isBroken(error)) return broken;
        throw error;
      }
      return shown({ content: <ResetPassword {...visit} token={token} /> });
    },
    submit: async ({ form, request, endSession }) => {
      await resetPassword(form, request.sourceAddress, dependencies);
      return redirect("/console/log-in?after=reset", { cookies: [await endSession()] });
    },
  }),
];
