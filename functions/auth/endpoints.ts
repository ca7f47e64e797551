import { AppError } from "../../shared/errors/app-error.ts";
import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { Reply } from "../../shared/http/response.ts";
import {
  meOperation,
  profileOperation,
  profileStatusOperation,
  registerOperation,
  usageOperation,
} from "./account-contract.ts";
import { changePassword, forgotPassword, resetPassword } from "./change-password.ts";
import {
  changePasswordOperation,
  forgotPasswordOperation,
  refreshTokenOperation,
  resendVerificationOperation,
  resetPasswordOperation,
  tokenOperation,
  verifyEmailOperation,
} from "./credentials-contract.ts";
import type { AuthDependencies } from "./dependencies.ts";
import { getUsage } from "./get-usage.ts";
import { issueToken, refreshToken } from "./issue-token.ts";
import { getAccount, getProfileStatus, updateProfile } from "./manage-profile.ts";
import { register } from "./register.ts";
import { prefersHtml, resendVerification, verificationPage, verifyEmail } from "./verify-email.ts";

const page = (status: number, title: string, message: string): Reply =>
  new Reply({ status, contentType: "text/html; charset=utf-8", body: verificationPage(title, message) });

/** The operations of accounts and tokens, bound to their use cases. */
export const authEndpoints = (dependencies: AuthDependencies): Endpoint[] => [
  endpoint(registerOperation, ({ body }) => register(body, dependencies)),
  endpoint(tokenOperation, ({ body, request }) => issueToken(body, request.sourceAddress, dependencies)),
  endpoint(meOperation, ({ caller }) => getAccount(caller.userId, dependencies)),
  endpoint(profileOperation, ({ body, caller }) => updateProfile(caller.userId, body, dependencies)),
  endpoint(profileStatusOperation, ({ caller }) => getProfileStatus(caller.userId, dependencies)),
  endpoint(verifyEmailOperation, async ({ query, request }) => {
    if (!prefersHtml(request.headers["accept"])) return verifyEmail(query.token, dependencies);
    try {
      const { message } = await verifyEmail(query.token, dependencies);
      return page(200, "Thank you", message);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid_link") throw error;
      return page(error.status, "This link does not work", error.message);
    }
  }),
  endpoint(resendVerificationOperation, ({ caller }) => resendVerification(caller.userId, dependencies)),
  endpoint(refreshTokenOperation, ({ caller }) => refreshToken(caller, dependencies)),
  endpoint(forgotPasswordOperation, ({ body }) => forgotPassword(body.email, dependencies)),
  endpoint(resetPasswordOperation, ({ body, request }) =>
    resetPassword(body, request.sourceAddress, dependencies),
  ),
  endpoint(changePasswordOperation, ({ body, caller }) => changePassword(caller.userId, body, dependencies)),
  endpoint(usageOperation, ({ caller }) => getUsage(caller, dependencies)),
];
