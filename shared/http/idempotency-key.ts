import { invalidField } from "../platform/errors/app-error.ts";

/** 1 to 255 visible characters. */
export const idempotencyKeyPattern = /^[!-~]{1,255}$/;

/** Returns a request's `Idempotency-Key`, if it has one. @throws ValidationError when it is malformed. */
export const readIdempotencyKey = (
  headers: Readonly<Record<string, string | undefined>>,
): string | undefined => {
  const key = headers["idempotency-key"];
  if (key === undefined || idempotencyKeyPattern.test(key)) return key;
  throw invalidField(
    ["header", "idempotency-key"],
    "an Idempotency-Key has 1 to 255 visible characters of ASCII, without spaces",
  );
};
