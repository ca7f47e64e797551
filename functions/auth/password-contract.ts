import * as z from "zod";
import { defineOperation } from "../../shared/http/operation.ts";
import { email, linkToken, newPassword, outcome } from "./fields.ts";

const tag = "Accounts and tokens";

export const forgotPasswordOperation = defineOperation({
  id: "forgotPassword",
  method: "POST",
  path: "/auth/forgot-password",
  summary: "Ask for a mail with a link that resets the password",
  description: "The answer is the same whether the address is known or not.",
  tag,
  auth: "public",
  limit: "credentials",
  body: { encoding: "json", schema: z.object({ email }).meta({ id: "ForgotPasswordRequest" }) },
  response: { status: 200, description: "Accepted", schema: outcome },
  errors: [],
  confidential: true,
});

export const resetPasswordOperation = defineOperation({
  id: "resetPassword",
  method: "POST",
  path: "/auth/reset-password",
  summary: "Set a new password with the token from the mail",
  description: "The token works once, for 30 minutes. Every access token of the account is revoked.",
  tag,
  auth: "public",
  limit: "credentials",
  body: {
    encoding: "json",
    schema: z.object({ token: linkToken, new_password: newPassword }).meta({ id: "ResetPasswordRequest" }),
  },
  response: { status: 200, description: "The password is changed", schema: outcome },
  errors: ["invalid_link"],
  confidential: true,
});

export const changePasswordOperation = defineOperation({
  id: "changePassword",
  method: "POST",
  path: "/auth/change-password",
  summary: "Change the caller's password",
  description: "Every access token of the account is revoked, the one used for this call included.",
  tag,
  auth: "user",
  limit: "account",
  body: {
    encoding: "json",
    schema: z
      .object({ old_password: z.string().min(1).max(256), new_password: newPassword })
      .meta({ id: "ChangePasswordRequest" }),
  },
  response: { status: 200, description: "The password is changed", schema: outcome },
  errors: ["invalid_credentials", "bad_request"],
  confidential: true,
});
