import * as z from "zod";
import { account } from "../../shared/accounts/account.ts";
import { isCommonPassword } from "../../shared/auth/common-passwords.ts";
import { mailQueueEnvironment, tableEnvironment, tokenEnvironment } from "../../shared/config/environment.ts";
import { defineFunction } from "../../shared/config/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { text } from "../../shared/http/text.ts";

const tag = "Accounts and tokens";

/** The values an organisation type can take when a profile is changed. */
export const organizationTypes = [
  "NGO",
  "Government",
  "Private Sector",
  "Research",
  "Individual",
  "Other",
] as const;

const username = text()
  .refine((value) => /^[A-Za-z0-9._-]{3,64}$/.test(value), {
    error: "Value error, a username has 3 to 64 letters, digits, dots, underscores or hyphens",
    params: { type: "value_error" },
  })
  .meta({ example: "amina" });

const email = z
  .email({ error: "value is not a valid email address" })
  .max(254)
  .meta({ example: "amina@example.com" });

const newPassword = text()
  .min(8)
  .max(256)
  .refine((value) => !isCommonPassword(value), {
    error: "Value error, this password is among the most common ones; choose another",
    params: { type: "value_error" },
  })
  .meta({ format: "password", example: "seven storks by the lake" });

const shortText = text().trim().min(1).max(200);

export const registerRequest = z
  .object({
    username,
    email,
    password: newPassword,
    organization: shortText.nullish().meta({ example: "Makerere University" }),
    full_name: shortText.nullish(),
    organization_type: shortText.nullish(),
    sector: z.array(shortText).max(50).nullish(),
  })
  .meta({ id: "RegisterRequest" });
export type RegisterRequest = z.infer<typeof registerRequest>;

export const registerOperation = defineOperation({
  id: "register",
  method: "POST",
  path: "/auth/register",
  summary: "Create an account",
  description: "The account works at once; a mail with a verification link is sent to its address.",
  tag,
  auth: "public",
  body: { encoding: "json", schema: registerRequest },
  response: { status: 201, description: "The new account", schema: account },
  errors: ["username_taken", "email_taken"],
  confidential: true,
});

export const tokenRequest = z
  .object({
    grant_type: z
      .string()
      .regex(/^(password)?$/, { error: "String should match pattern '^password$'" })
      .optional(),
    username: z.string().min(1).max(254).meta({ description: "User name or e-mail address" }),
    password: z.string().min(1).max(256).meta({ format: "password" }),
  })
  .meta({ id: "TokenRequest" });
export type TokenRequest = z.infer<typeof tokenRequest>;

export const accessToken = z
  .object({
    access_token: z.string(),
    token_type: z.literal("bearer"),
    expires_in: z
      .int()
      .optional()
      .meta({ description: "Seconds until the token expires; absent when it does not" }),
  })
  .meta({ id: "AccessToken" });
export type AccessToken = z.infer<typeof accessToken>;

export const tokenOperation = defineOperation({
  id: "issueToken",
  method: "POST",
  path: "/auth/token",
  summary: "Exchange user name and password for an access token",
  description: "OAuth 2.0 password flow: form-encoded, not JSON. The token acts as an API key.",
  tag,
  auth: "public",
  body: { encoding: "form", schema: tokenRequest },
  response: { status: 200, description: "An access token", schema: accessToken },
  errors: ["invalid_credentials", "forbidden"],
  errorFormat: "oauth",
  confidential: true,
});

export const meOperation = defineOperation({
  id: "getAccount",
  method: "GET",
  path: "/auth/me",
  summary: "The caller's account",
  tag,
  auth: "user",
  response: { status: 200, description: "The account", schema: account },
  errors: [],
  confidential: true,
});

export const profileRequest = z
  .object({
    full_name: shortText.nullish(),
    organization: shortText.nullish(),
    organization_type: text()
      .nullish()
      .meta({ description: `One of ${organizationTypes.join(", ")}` }),
    sector: z.array(text().max(200)).max(50).nullish(),
  })
  .meta({ id: "ProfileRequest" });
export type ProfileRequest = z.infer<typeof profileRequest>;

export const profileOperation = defineOperation({
  id: "updateProfile",
  method: "PUT",
  path: "/auth/profile",
  summary: "Change the caller's profile",
  description: "Absent and null members leave a field as it is.",
  tag,
  auth: "user",
  body: { encoding: "json", schema: profileRequest },
  response: { status: 200, description: "The changed account", schema: account },
  errors: ["bad_request"],
  confidential: true,
});

export const profileStatus = z
  .object({
    is_complete: z.boolean(),
    missing_fields: z.array(z.enum(["full_name", "organization", "organization_type", "sector"])),
  })
  .meta({ id: "ProfileStatus" });
export type ProfileStatus = z.infer<typeof profileStatus>;

export const profileStatusOperation = defineOperation({
  id: "getProfileStatus",
  method: "GET",
  path: "/auth/profile/status",
  summary: "Which fields of the profile are still empty",
  tag,
  auth: "user",
  response: { status: 200, description: "Completeness of the profile", schema: profileStatus },
  errors: [],
  confidential: true,
});

export const outcome = z
  .object({
    success: z.boolean(),
    error: z.string().nullable(),
    message: z.string(),
  })
  .meta({ id: "Outcome" });
export type Outcome = z.infer<typeof outcome>;

const linkToken = z.string().min(1).max(200);

export const verifyEmailOperation = defineOperation({
  id: "verifyEmail",
  method: "GET",
  path: "/auth/verify-email",
  summary: "Landing address of the verification link",
  description:
    "Answers with a small page when the caller prefers HTML, with JSON otherwise. Works once, for 24 hours.",
  tag,
  auth: "public",
  query: z.object({ token: linkToken }),
  response: {
    status: 200,
    description: "The address is verified",
    schema: outcome,
    otherContentTypes: ["text/html"],
  },
  errors: ["invalid_link"],
  confidential: true,
});

export const resendVerificationOperation = defineOperation({
  id: "resendVerification",
  method: "POST",
  path: "/auth/resend-verification",
  summary: "Send the verification mail again",
  tag,
  auth: "user",
  response: { status: 200, description: "Whether a mail is on its way", schema: outcome },
  errors: [],
  confidential: true,
});

export const refreshTokenOperation = defineOperation({
  id: "refreshToken",
  method: "POST",
  path: "/auth/refresh-token",
  summary: "Rotate the caller's token",
  description:
    "The token that was sent stops working; of two parallel calls with one token only one succeeds.",
  tag,
  auth: "user",
  response: { status: 200, description: "The new token", schema: accessToken },
  errors: ["unauthenticated"],
  confidential: true,
});

export const forgotPasswordOperation = defineOperation({
  id: "forgotPassword",
  method: "POST",
  path: "/auth/forgot-password",
  summary: "Ask for a mail with a link that resets the password",
  description: "The answer is the same whether the address is known or not.",
  tag,
  auth: "public",
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

export const authFunction = defineFunction({
  name: "auth",
  description: "Accounts, passwords and tokens",
  operations: [
    registerOperation,
    tokenOperation,
    meOperation,
    profileOperation,
    profileStatusOperation,
    verifyEmailOperation,
    resendVerificationOperation,
    refreshTokenOperation,
    forgotPasswordOperation,
    resetPasswordOperation,
    changePasswordOperation,
  ],
  environment: z.object({
    ...tableEnvironment,
    ...tokenEnvironment,
    ...mailQueueEnvironment,
    /** 0 means that tokens do not expire. */
    TOKEN_LIFETIME_DAYS: z.coerce.number().int().min(0),
  }),
  // Argon2id needs 19 MiB a hash; CPU share grows with memory and decides how long a login takes.
  memoryMegabytes: 1024,
  timeoutSeconds: 15,
  transfer: "buffered",
});
