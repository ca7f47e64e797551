import { createHash, createHmac } from "node:crypto";
import { isFormFile } from "../../platform/validation/fields.ts";

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64url");

/**
 * Identifies a request. The order of members, escapes, a form's boundary and file names may differ between attempts.
 *
 * Each value is written with its length, so no two values collide. A stack replaces recursion, because the sender
 * decides how deep a body is.
 *
 * @param idempotencyKey keys the digest, so that no one can test guesses of the body against it.
 */
export const fingerprintOf = (request: unknown, idempotencyKey: string): string => {
  const hash = createHmac("sha256", idempotencyKey);
  const left: unknown[] = [request];
  while (left.length > 0) {
    const value = left.pop();
    if (value instanceof Uint8Array) hash.update(`bytes ${digestOf(value)}\n`);
    else if (isFormFile(value)) hash.update(`file ${digestOf(value.content)}\n`);
    else if (Array.isArray(value)) {
      hash.update(`list ${value.length}\n`);
      for (const entry of value.toReversed()) left.push(entry);
    } else if (isRecord(value)) {
      const names = Object.keys(value).toSorted();
      hash.update(`members ${JSON.stringify(names)}\n`);
      for (const name of names.toReversed()) left.push(value[name]);
    } else hash.update(`${JSON.stringify(value)}\n`);
  }
  return hash.digest("base64url");
};
