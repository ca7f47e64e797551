import { dictionary } from "@zxcvbn-ts/language-common";
import * as z from "zod";
import { text } from "../../shared/http/fields.ts";

/** A user name as it is registered. */
export const username = text()
  .refine((value) => /^[A-Za-z0-9._-]{3,64}$/.test(value), {
    error: "Value error, a username has 3 to 64 letters, digits, dots, underscores or hyphens",
    params: { type: "value_error" },
  })
  .meta({ example: "amina" });

/** An e-mail address. */
export const email = z
  .email({ error: "value is not a valid email address" })
  .max(254)
  .meta({ example: "amina@example.com" });

const commonPasswords = new Set(dictionary["passwords-common"]);

/** Whether a password is among the 49,000 most common ones, without regard to case (OWASP ASVS 5.0, 6.2.4). */
export const isCommonPassword = (password: string): boolean => commonPasswords.has(password.toLowerCase());

/** A password that may be chosen: long enough and not among the common ones. */
export const newPassword = text()
  .min(8)
  .max(256)
  .refine((value) => !isCommonPassword(value), {
    error: "Value error, this password is among the most common ones; choose another",
    params: { type: "value_error" },
  })
  .meta({ format: "password", example: "seven storks by the lake" });

/** A line of text about a person or an organisation. */
export const shortText = text().trim().min(1).max(200);

/** The secret of a mailed link. */
export const linkToken = z.string().min(1).max(200);

/** How a request that has nothing to show ended. */
export const actionOutcome = z
  .object({
    success: z.boolean(),
    error: z.string().nullable(),
    message: z.string(),
  })
  .meta({ id: "Outcome" });
export type ActionOutcome = z.infer<typeof actionOutcome>;
