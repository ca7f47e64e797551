import { dictionary } from "@zxcvbn-ts/language-common";
import * as z from "zod";
import { text } from "../../platform/validation/fields.ts";
import { profileTexts } from "../access/account.ts";
import { email, maxPasswordLength, shortText } from "./fields.ts";
import { isTypable, normalisePassword } from "./normalise-password.ts";

/** What a new account, or a new password, must be. It has a list of common passwords, so only who takes a new one imports it. */

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
