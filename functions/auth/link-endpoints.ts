import * as z from "zod";
import { resetPassword } from "../../shared/accounts/sign-in/change-password.ts";
import { linkToken } from "../../shared/accounts/sign-in/fields.ts";
import {
  alreadyVerified,
  checkResetLink,
  checkVerificationLink,
  verifyEmail,
} from "../../shared/accounts/sign-in/verify-email.ts";
import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { wantsPage } from "../../shared/http/html.ts";
import {
  resetPasswordOperation,
  showResetPageOperation,
  showVerificationPageOperation,
  verifyEmailOperation,
} from "./credentials-contract.ts";
import type { AuthDependencies } from "./dependencies.ts";
import { messagePage, orBrokenLinkPage, resetForm, verificationForm, withPages } from "./pages.ts";

const sentToken = z.object({ token: linkToken });

const verifiedPage = (message: string) => messagePage("Thank you", message);

/** The operations behind mailed links: pages for people, JSON for programs. A GET changes nothing. */
export const linkEndpoints = (dependencies: AuthDependencies): Endpoint[] => [
  withPages(
    endpoint(showVerificationPageOperation, ({ query: { token }, request }) => {
      const check = () => checkVerificationLink(token, dependencies);
      if (!wantsPage(request.headers["accept"])) return check();
      return orBrokenLinkPage(async () => {
        const outcome = await check();
        return outcome === alreadyVerified ? verifiedPage(outcome.message) : verificationForm(token);
      });
    }),
  ),
  withPages(
    endpoint(verifyEmailOperation, ({ body: { token }, request }) => {
      const verify = () => verifyEmail(token, dependencies);
      if (!wantsPage(request.headers["accept"])) return verify();
      return orBrokenLinkPage(async () => verifiedPage((await verify()).message));
    }),
  ),
  withPages(
    endpoint(showResetPageOperation, ({ query: { token }, request }) => {
      const check = () => checkResetLink(token, dependencies);
      if (!wantsPage(request.headers["accept"])) return check();
      return orBrokenLinkPage(async () => {
        await check();
        return resetForm(token);
      });
    }),
  ),
  withPages(
    endpoint(resetPasswordOperation, ({ body, request }) => {
      const reset = () => resetPassword(body, request.sourceAddress, dependencies);
      if (!wantsPage(request.headers["accept"])) return reset();
      return orBrokenLinkPage(async () => {
        await reset();
        return messagePage(
          "Your password is changed",
          "Sign in with the new one. Everything that was signed in before is signed out.",
        );
      });
    }),
    ({ body }) => {
      const sent = sentToken.safeParse(body);
      return sent.success ? resetForm(sent.data.token, true) : undefined;
    },
  ),
];
