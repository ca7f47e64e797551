import { createHmac, timingSafeEqual } from "node:crypto";

// Time-based one-time passwords as in RFC 6238, with the parameters that every authenticator app supports: HMAC-SHA-1, six
// digits, steps of thirty seconds. Some apps ignore other parameters and show wrong codes.

/** The length of a code. */
export const codeDigits = 6;
/** A new code is shown every thirty seconds. */
export const stepSeconds = 30;
/** The clock of a phone may be wrong by one step in either direction (RFC 6238, section 5.2). */
const allowedDrift = 1;

/** 160 bits, as long as the hash (RFC 4226, section 4). */
export const secretBytes = 20;

const base32Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Encodes bytes in base 32 without padding (RFC 4648, section 6), as apps expect secrets. */
export const toBase32 = (bytes: Uint8Array): string => {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => base32Alphabet.charAt(Number.parseInt(group.padEnd(5, "0"), 2)))
    .join("");
};

/** Returns the step of a time in milliseconds. */
export const stepAt = (milliseconds: number): number => Math.floor(milliseconds / 1_000 / stepSeconds);

/** Returns the code of a step (RFC 4226, section 5.3). */
export const codeAt = (secret: Uint8Array, step: number, digits: number = codeDigits): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac("sha1", secret).update(counter).digest();
  const offset = hash.readUInt8(hash.length - 1) & 0xf;
  const number = hash.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
};

/**
 * Returns the step whose code was typed: the current one, the one before or the one after. `undefined` for a wrong code.
 *
 * @param code six digits.
 */
export const stepOfCode = (secret: Uint8Array, code: string, milliseconds: number): number | undefined => {
  const current = stepAt(milliseconds);
  const typed = Buffer.from(code);
  let found: number | undefined;
  for (let step = current - allowedDrift; step <= current + allowedDrift; step += 1) {
    const expected = Buffer.from(codeAt(secret, step));
    if (typed.length === expected.length && timingSafeEqual(typed, expected)) found = step;
  }
  return found;
};

/**
 * Returns the address with which an app adds an account, which a QR code also contains
 * (https://github.com/google/google-authenticator/wiki/Key-Uri-Format).
 */
export const otpauthAddress = (secret: Uint8Array, account: string, issuer: string): string => {
  const name = encodeURIComponent(issuer);
  // Apps differ on whether an encoded colon separates the two names; a plain one always does.
  return `otpauth://totp/${name}:${encodeURIComponent(account)}?secret=${toBase32(secret)}&issuer=${name}`;
};
