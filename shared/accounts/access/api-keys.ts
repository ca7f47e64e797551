import { createHash, randomInt } from "node:crypto";
import type { TokenClaims } from "./tokens.ts";

/** The scopes of keys; a key without any has all of them. */
export const scopes = ["translate", "language", "transcribe", "speech", "chat", "upload", "jobs"] as const;
export type Scope = (typeof scopes)[number];

/** A key that a request was sent with. Its checksum is valid; only the table shows whether it exists and was not revoked. */
export interface KeyClaims {
  readonly userId: number;
  /** The id of the key within its account. */
  readonly keyId: string;
  /** SHA-256 of the key, which is enough for 196 random bits. */
  readonly keyDigest: string;
}

/** The credential of a request: a token of an account, or one of its keys. */
export type Credential = TokenClaims | KeyClaims;

/** Whether a credential is a key. */
export const isKey = (credential: Credential): credential is KeyClaims => "keyId" in credential;

/** Whether a credential is its account's own token: neither a key nor a token with scopes. */
export const isOwn = (credential: Credential): credential is TokenClaims & { readonly scopes?: undefined } =>
  !isKey(credential) && credential.scopes === undefined;

/**
 * Whether a credential cannot have a scope. Does not read the table.
 *
 * @param scope `any` when every credential may do this, `undefined` when only an account's own token may.
 */
export const isOutOfScope = (credential: Credential, scope: Scope | "any" | undefined): boolean => {
  if (isOwn(credential) || scope === "any") return false;
  return scope === undefined || (!isKey(credential) && credential.scopes?.includes(scope) === false);
};

/** How keys begin, so that people and programs that look for leaked secrets know one when they see it. */
export const keyPrefix = "lai_";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 62^33 is a little more than 2^196. */
const secretLength = 33;
const checksumLength = 6;
/** Lists show this much of a key: enough to recognise it, and far too little to guess the rest. */
const shownLength = keyPrefix.length + 8;

/** The secret, the number of the account, and the checksum. */
const keyPattern = new RegExp(
  `^${keyPrefix}[0-9A-Za-z]{${secretLength}}([1-9A-Za-z][0-9A-Za-z]{0,8})[0-9A-Za-z]{${checksumLength}}$`,
);

const toBase62 = (value: number): string => {
  let text = "";
  for (let rest = value; rest > 0; rest = Math.floor(rest / alphabet.length)) {
    text = alphabet.charAt(rest % alphabet.length) + text;
  }
  return text;
};

const fromBase62 = (text: string): number => {
  let value = 0;
  for (const character of text) value = value * alphabet.length + alphabet.indexOf(character);
  return value;
};

/** CRC-32 as in zip files. Node's own would make functions load zlib. */
const crc32 = (text: string): number => {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text, "latin1")) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
};

const checksumOf = (text: string): string => toBase62(crc32(text)).padStart(checksumLength, "0");

const claimsOf = (key: string, userId: number): KeyClaims => {
  const digest = createHash("sha256").update(key).digest();
  // It starts with a letter because spreadsheets read digits with an `e` as a number.
  return { userId, keyId: `k${digest.toString("hex", 0, 6)}`, keyDigest: digest.toString("base64url") };
};

/** Returns the account and the digest of a key, or `undefined` when its form or checksum is wrong. */
export const readApiKey = (token: string): KeyClaims | undefined => {
  const [, account] = keyPattern.exec(token) ?? [];
  if (account === undefined) return undefined;
  const isWhole = checksumOf(token.slice(0, -checksumLength)) === token.slice(-checksumLength);
  const userId = fromBase62(account);
  return isWhole && Number.isSafeInteger(userId) ? claimsOf(token, userId) : undefined;
};

/** Creates a key. It is shown to its owner once, and not stored. */
export const makeApiKey = (userId: number): KeyClaims & { readonly key: string; readonly prefix: string } => {
  const secret = Array.from({ length: secretLength }, () => alphabet.charAt(randomInt(alphabet.length)));
  const text = `${keyPrefix}${secret.join("")}${toBase62(userId)}`;
  const key = `${text}${checksumOf(text)}`;
  return { ...claimsOf(key, userId), key, prefix: key.slice(0, shownLength) };
};
