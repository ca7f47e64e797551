import { dictionary } from "@zxcvbn-ts/language-common";
import * as z from "zod";
import { text } from "../../platform/validation/fields.ts";
import { profileTexts } from "../access/account.ts";
import { isTypable, normalisePassword } from "./normalise-password.ts";

const usernameLength = { minimum: 3, maximum: 64 } as const;

/** A username of a new account. */
export const username = text()
  .refine((value) => /^[A-Za-z0-9._-]{3,64}$/.test(value), {
    error: "Value error, a username has 3 to 64 letters, digits, dots, underscores or hyphens",
    params: { type: "value_error", rule: "username", ...usernameLength },
  })
  .meta({
    example: "amina",
    description: "3 to 64 letters, digits, dots, underscores or hyphens; unique in any case",
  });

/** An email address. */
export const email = z
  .email({ error: "value is not a valid email address" })
  .max(254)
  .meta({ example: "amina@example.com", description: "The address for mails about the account" });

let commonPasswords: ReadonlySet<string> | undefined;

/**
 * Whether a password is one of the most common ones, in any case (OWASP ASVS 5.0, 6.2.4): the 18,000 of the 49,000 most common
 * that are long enough. Bundles leave out the others.
 */
export const isCommonPassword = (password: string): boolean => {
  // Built for the first new password: few instances of a function need it.
  commonPasswords ??= new Set(dictionary["passwords-common"]);
  return commonPasswords.has(password.toLowerCase());
};

/** The min length of a new password; all passwords have had it. */
export const minPasswordLength = 8;
const maxPasswordLength = 256;

/** A new password: long enough, of characters that can be typed again, and not a common one. */
export const newPassword = text()
  .overwrite(normalisePassword)
  .min(minPasswordLength)
  .max(maxPasswordLength)
  .refine(isTypable, {
    error: "Value error, a password cannot contain control characters or invisible characters",
    params: { type: "value_error" },
  })
  .refine((value) => !isCommonPassword(value), {
    error: "Value error, this password is one of the most common ones; choose another",
    params: { type: "value_error", rule: "commonPassword" },
  })
  .meta({
    format: "password",
    example: "seven storks by the lake",
    description: "The new password: not one of the most common ones, and without control characters",
  });

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

/** The fields of a registration. */
export const registerRequest = z
  .object({
    username,
    email,
    password: newPassword,
    organization: shortText
      .nullish()
      .meta({ example: "Makerere University", description: profileTexts.organization }),
    full_name: shortText.nullish().describe(profileTexts.full_name),
    organization_type: shortText.nullish().describe(profileTexts.organization_type),
    sector: z.array(shortText).max(50).nullish().describe(profileTexts.sector),
    accepted_terms: z.string().min(1).max(40).nullish().meta({
      description:
        "The version of the terms that the person has accepted; the page `/terms` shows them. The account then holds the version and the time",
    }),
  })
  .meta({ id: "RegisterRequest" });
export type RegisterRequest = z.infer<typeof registerRequest>;

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
