import crypto, { randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { normalisePassword } from "./normalise-password.ts";

// A named import of a missing function would be a syntax error that does not mention Node.
if (typeof crypto.argon2 !== "function") {
  throw new Error(
    "Passwords need `crypto.argon2`, which Node.js has from 24.7 on, built with OpenSSL 3.2 or newer. " +
      `This is Node.js ${process.versions.node} with OpenSSL ${process.versions.openssl}.`,
  );
}

/** Argon2id with 19 MiB, 2 passes, 1 lane: the first choice of the OWASP Password Storage Cheat Sheet. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

const phcFormat = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** A hash that no password has. Comparing with it takes as long as with a real one. */
const unmatchedHash = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${"A".repeat(22)}$${"A".repeat(43)}`;

const unpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

/** Hashes a password, in PHC string format. */
export const hashPassword = async (password: string): Promise<string> => {
  const nonce = randomBytes(16);
  const message = normalisePassword(password);
  const tag = await promisify(crypto.argon2)("argon2id", { message, nonce, ...cost });
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
};

const isMessageOf = async (message: string, stored: string | undefined): Promise<boolean> => {
  const match = phcFormat.exec(stored ?? unmatchedHash);
  if (!match) throw new Error("A stored password hash has an unknown format.");
  const [, memory, passes, parallelism, salt = "", expected = ""] = match;
  const expectedTag = Buffer.from(expected, "base64");
  const tag = await promisify(crypto.argon2)("argon2id", {
    message,
    nonce: Buffer.from(salt, "base64"),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expectedTag.length,
  });
  return timingSafeEqual(tag, expectedTag) && stored !== undefined;
};

/**
 * Whether a password matches a stored hash.
 *
 * Older hashes are of passwords that were not normalised. So a password that normalising changes is compared twice, for every
 * account: the time shows only how it was typed.
 *
 * @param stored `undefined` for an account that does not exist: the result is `false`, after the same time.
 */
export const verifyPassword = async (password: string, stored: string | undefined): Promise<boolean> => {
  const normalised = normalisePassword(password);
  if (await isMessageOf(normalised, stored)) return true;
  return normalised !== password && isMessageOf(password, stored);
};
