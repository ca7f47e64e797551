import { dictionary } from "@zxcvbn-ts/language-common";

const commonPasswords = new Set(dictionary["passwords-common"]);

/** Whether a password is among the 49,000 most common ones, without regard to case (OWASP ASVS 5.0, 6.2.4). */
export const isCommonPassword = (password: string): boolean => commonPasswords.has(password.toLowerCase());
