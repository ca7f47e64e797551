import { dictionary } from "@zxcvbn-ts/language-common";
import * as z from "zod";
import { text } from "../../platform/validation/fields.ts";
import { isTypable, normalisePassword } from "./normalise-password.ts";

/** A user name as it is registered. */
export const username = text()
  .refine((value) => /^[A-Za-z0-9._-]{3,64}$/.test(value), {
    error: "Value error, a username has 3 to 64 letters, digits, dots, underscores or hyphens",
    params: { type: "value_error", rule: "username" },
  })
  .meta({ example: "amina" });

/** An e-mail address. */
export const email = z
  .email({ error: "value is not a valid email address" })
  .max(254)
  .meta({ example: "amina@example.com" });

let commonPasswords: ReadonlySet<string> | undefined;

/** Whether a password is among the 49,000 most common ones, without regard to case (OWASP ASVS 5.0, 6.2.4). */
export const isCommonPassword = (password: string): boolean => {
  // Unpacked for the first new password: few starts of a function see one.
  commonPasswords ??= new Set(dictionary["passwords-common"]);
  return commonPasswords.has(password.toLowerCase());
};

const maxPasswordLength = 256;

/** A password that may be chosen: long enough, of characters that can be typed again, and not among the common ones. */
export const newPassword = text()
  .overwrite(normalisePassword)
  .min(8)
  .max(maxPasswordLength)
  .refine(isTypable, {
    error: "Value error, a password cannot hold control characters or others that cannot be seen",
    params: { type: "value_error" },
  })
  .refine((value) => !isCommonPassword(value), {
    error: "Value error, this password is among the most common ones; choose another",
    params: { type: "value_error", rule: "commonPassword" },
  })
  .meta({ format: "password", example: "seven storks by the lake" });

/** A password that is compared, as it was typed. Its length is that of what is compared first. */
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
  .meta({ format: "password", maxLength: maxPasswordLength, example: "seven storks by the lake" });

/** A line of text about a person or an organisation. */
export const shortText = text().trim().min(1).max(200);

/** The secret of a mailed link. */
export const linkToken = z.string().min(1).max(200).meta({ example: "Zk3vT1c8mQ0yWf7uLx2hRb5d" });

/** How a request that has nothing to show ended. */
export const actionOutcome = z
  .object({
    success: z.boolean().meta({ example: true }),
    error: z.string().nullable(),
    message: z.string().meta({ example: "A mail is on its way." }),
  })
  .meta({ id: "Outcome" });
export type ActionOutcome = z.infer<typeof actionOutcome>;

/** What somebody says of themselves who wants an account. */
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

/** User name and password, as the OAuth 2.0 password flow has them. */
export const tokenRequest = z
  .object({
    grant_type: z
      .string()
      .regex(/^(password)?$/, { error: "String should match pattern '^password$'" })
      .optional(),
    username: z
      .string()
      .min(1)
      .max(254)
      .meta({ description: "User name or e-mail address", example: "amina" }),
    password: givenPassword,
  })
  .meta({ id: "TokenRequest" });
export type TokenRequest = z.infer<typeof tokenRequest>;

/** What stands for an account from then on. */
export const accessToken = z
  .object({
    access_token: z.string().meta({ example: "eyJhbGciOiJIUzI1NiJ9.…" }),
    token_type: z.literal("bearer"),
    expires_in: z
      .int()
      .optional()
      .meta({ description: "Seconds until the token expires; absent when it does not" }),
  })
  .meta({ id: "AccessToken" });
export type AccessToken = z.infer<typeof accessToken>;
