import * as z from "zod";
import { text } from "../../platform/validation/fields.ts";
import { normalisePassword } from "./normalise-password.ts";

/** An email address. */
export const email = z
  .email({ error: "value is not a valid email address" })
  .max(254)
  .meta({ example: "amina@example.com", description: "The address for mails about the account" });

/** Of any password, in characters after normalising. */
export const maxPasswordLength = 256;

/** A password to compare. Its length is measured after normalising. */
export const givenPassword = z
  .string()
  .min(1)
  .check(({ value, issues }) => {
    if ([...normalisePassword(value)].length <= maxPasswordLength) return;
    issues.push({
      code: "too_big",
      origin: "string",
      maximum: maxPasswordLength,
      inclusive: true,
      input: value,
    });
  })
  .meta({
    format: "password",
    maxLength: maxPasswordLength,
    example: "seven storks by the lake",
    description: "The current password of the account",
  });

/** A line of text about a person or an organisation. */
export const shortText = text().trim().min(1).max(200);

/** The secret of a mailed link. */
export const linkToken = z
  .string()
  .min(1)
  .max(200)
  .meta({ example: "Zk3vT1c8mQ0yWf7uLx2hRb5d", description: "The `token` of the mailed link" });

/** The outcome of a request that returns no data. */
export const actionOutcome = z
  .object({
    success: z.boolean().meta({ example: true, description: "Always true: failures have another status" }),
    error: z.string().nullable().describe("Always null: failures have another status"),
    message: z.string().meta({
      example: "We have sent a new verification mail.",
      description: "The outcome as a sentence, to show to a person",
    }),
  })
  .meta({ id: "Outcome" });
export type ActionOutcome = z.infer<typeof actionOutcome>;

/** The outcome of a request that succeeded. */
export const outcome = (message: string): ActionOutcome => ({ success: true, error: null, message });

/** Username and password, as in the OAuth 2.0 password flow. */
export const tokenRequest = z
  .object({
    grant_type: z
      .string()
      .regex(/^(password)?$/, { error: "String should match pattern '^password$'" })
      .optional()
      .describe("`password`, which is also the default"),
    username: z.string().min(1).max(254).meta({ description: "Username or email address", example: "amina" }),
    password: givenPassword,
    otp: z
      .string()
      .max(64)
      .optional()
      .describe(
        "For an account with a second factor: a code of its authenticator app, or one of its recovery codes",
      ),
  })
  .meta({ id: "TokenRequest" });
export type TokenRequest = z.infer<typeof tokenRequest>;

/** An access token. */
export const accessToken = z
  .object({
    access_token: z
      .string()
      .meta({ example: "eyJhbGciOiJIUzI1NiJ9.…", description: "Send it as `Authorization: Bearer <token>`" }),
    token_type: z.literal("bearer").describe("How to send the token, in the terms of OAuth 2.0"),
    expires_in: z
      .int()
      .optional()
      .meta({ description: "Seconds until the token expires; absent when it does not" }),
  })
  .meta({ id: "AccessToken" });
export type AccessToken = z.infer<typeof accessToken>;
