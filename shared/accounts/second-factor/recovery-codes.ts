import { createHash, randomInt } from "node:crypto";
import { codeDigits } from "./totp.ts";

/** How many an account gets at once. */
export const recoveryCodeCount = 10;

/** 80 bits: too many to guess, also for a reader of the table, so a digest is enough. */
const codeLength = 16;
/** Without 0, 1, l and o, which people confuse. */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";

const newCode = (): string => {
  const code = Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length))).join("");
  return (code.match(/.{4}/g) ?? []).join("-");
};

/** Creates the recovery codes of an account, such as `k3vq-8hzt-mw2c-x7fa`. */
export const newRecoveryCodes = (): string[] => Array.from({ length: recoveryCodeCount }, newCode);

/** A code that was typed, of one of the two kinds. */
export type TypedCode =
  | { readonly kind: "app"; readonly digits: string }
  | { readonly kind: "recovery"; readonly digest: string };

const digestOf = (characters: string): string => createHash("sha256").update(characters).digest("base64url");

/** Returns what is stored of a recovery code. */
export const recoveryCodeDigest = (code: string): string => digestOf(code.replaceAll("-", ""));

/** Reads a code as people type it, with spaces, hyphens or capital letters; `undefined` when it cannot be one. */
export const readCode = (typed: string): TypedCode | undefined => {
  const characters = typed.replaceAll(/[\s-]/g, "").toLowerCase();
  if (new RegExp(`^\\d{${codeDigits}}$`).test(characters)) return { kind: "app", digits: characters };
  if (characters.length !== codeLength || !/^[a-z0-9]+$/.test(characters)) return undefined;
  return { kind: "recovery", digest: digestOf(characters) };
};
