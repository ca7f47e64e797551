import * as z from "zod";
import {
  accessToken,
  actionOutcome,
  email,
  givenPassword,
  linkToken,
  outcome,
  tokenRequest,
} from "../../shared/accounts/sign-in/fields.ts";
import { newPassword } from "../../shared/accounts/sign-in/registration.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { ofAccount, withCredentials } from "./operation-defaults.ts";

export const tokenOperation = defineOperation({
  ...withCredentials,
  id: "issueToken",
  method: "POST",
  path: "/auth/token",
  summary: "Exchange username and password for an access token",
  description:
    "OAuth 2.0 password flow: form-encoded, not JSON. Send the token as an API key. An account with a second factor also " +
    "needs a code as `otp`; without it, the response to the right password is 401 with `error: second_factor_required`. " +
    "Programs that run unattended use keys, which need no code.",
  body: { encoding: "form", schema: tokenRequest },
  response: { status: 200, description: "An access token", schema: accessToken },
  errors: ["invalid_credentials", "second_factor_required", "invalid_code", "forbidden"],
  errorFormat: "oauth",
});

export const refreshTokenOperation = defineOperation({
  ...ofAccount,
  id: "refreshToken",
  method: "POST",
  path: "/auth/refresh-token",
  summary: "Rotate the caller's token",
  description:
    "The token that was sent stops working; of two parallel calls with one token, only one succeeds. An account can have at " +
    "most 200 replaced tokens that have not expired; beyond that, the response is 429, and the token that was sent still " +
    "works. With an `Idempotency-Key`, repeat the request to get a lost response again.",
  idempotencyKey: "successor",
  response: { status: 200, description: "The new token", schema: accessToken },
  errors: ["unauthenticated"],
});

export const forgotPasswordOperation = defineOperation({
  ...withCredentials,
  id: "forgotPassword",
  method: "POST",
  path: "/auth/forgot-password",
  summary: "Request a mail with a link that resets the password",
  description: "The response is the same whether the address is known or not.",
  body: { encoding: "json", schema: z.object({ email }).meta({ id: "ForgotPasswordRequest" }) },
  response: { status: 200, description: "Accepted", schema: actionOutcome },
  example: {
    response: outcome("If an account has this address, we have sent it a link."),
  },
});

export const resetPasswordOperation = defineOperation({
  ...withCredentials,
  id: "resetPassword",
  method: "POST",
  path: "/auth/reset-password",
  summary: "Set a new password with the token from the mail",
  description:
    "The token works once, for 30 minutes, and only until the password is changed. Every access token of the account is revoked; keys still work. " +
    "While the email address is not verified, this verifies it and ends all access from before, keys included.",
  body: {
    encoding: "json-or-form",
    schema: z.object({ token: linkToken, new_password: newPassword }).meta({ id: "ResetPasswordRequest" }),
  },
  response: { status: 200, description: "The password has been changed", schema: actionOutcome },
  example: {
    response: outcome("Your password has been changed. Log in with the new one."),
  },
  errors: ["invalid_link"],
});

export const showResetPageOperation = defineOperation({
  ...withCredentials,
  id: "showResetPage",
  method: "GET",
  path: "/auth/reset-password",
  summary: "Open the link that resets the password",
  description:
    "Redirects browsers, by their `Accept`, to the page with the form; returns JSON to programs. Changes nothing.",
  query: z.object({ token: linkToken }),
  response: { status: 200, description: "The link works", schema: actionOutcome, redirectsBrowsers: true },
  example: { response: outcome("The link works.") },
  errors: ["invalid_link"],
});

export const changePasswordOperation = defineOperation({
  ...ofAccount,
  id: "changePassword",
  method: "POST",
  path: "/auth/change-password",
  summary: "Change the caller's password",
  description: "Every access token of the account is revoked, including the one that was sent.",
  body: {
    encoding: "json",
    schema: z
      .object({
        old_password: givenPassword,
        new_password: newPassword.meta({ example: "nine boats on the river" }),
      })
      .meta({ id: "ChangePasswordRequest" }),
  },
  response: { status: 200, description: "The password has been changed", schema: actionOutcome },
  example: {
    response: outcome("Your password has been changed. Log in with the new one."),
  },
  errors: ["invalid_credentials", "bad_request"],
});

export const showVerificationPageOperation = defineOperation({
  ...withCredentials,
  id: "showVerificationPage",
  method: "GET",
  path: "/auth/verify-email",
  summary: "Open the verification link",
  description:
    "Redirects browsers, by their `Accept`, to the page with the button; returns JSON to programs. Changes nothing, because mail scanners follow links.",
  query: z.object({ token: linkToken }),
  response: {
    status: 200,
    description: "The link works, or the address is already verified",
    schema: actionOutcome,
    redirectsBrowsers: true,
  },
  example: { response: outcome("The link works.") },
  errors: ["invalid_link"],
});

export const verifyEmailOperation = defineOperation({
  ...withCredentials,
  id: "verifyEmail",
  method: "POST",
  path: "/auth/verify-email",
  summary: "Verify an email address with the token from the mail",
  description:
    "The token works for 24 hours. Sending it again does no harm: the response says that the address is already verified.",
  body: {
    encoding: "json-or-form",
    schema: z.object({ token: linkToken }).meta({ id: "VerifyEmailRequest" }),
  },
  response: {
    status: 200,
    description: "The address is verified",
    schema: actionOutcome,
  },
  example: { response: outcome("The address is verified.") },
  errors: ["invalid_link"],
});

export const resendVerificationOperation = defineOperation({
  ...ofAccount,
  id: "resendVerification",
  method: "POST",
  path: "/auth/resend-verification",
  summary: "Send the verification mail again",
  response: { status: 200, description: "Whether a mail was sent", schema: actionOutcome },
});
