import * as z from "zod";
import { defineOperation } from "../../shared/http/operation.ts";

const tag = "Accounts and tokens";

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
  limit: "credentials",
  body: { encoding: "form", schema: tokenRequest },
  response: { status: 200, description: "An access token", schema: accessToken },
  errors: ["invalid_credentials", "forbidden"],
  errorFormat: "oauth",
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
  limit: "account",
  response: { status: 200, description: "The new token", schema: accessToken },
  errors: ["unauthenticated"],
  confidential: true,
});
