import { ValidationError } from "../platform/errors/app-error.ts";

/** What a caller may name a request with: 1 to 255 characters that can be seen. */
export const idempotencyKeyPattern = /^[!-~]{1,255}$/;

/**
 * The `Idempotency-Key` of a request; `undefined` without the header.
 *
 * @param headers by their names in lower case.
 * @throws ValidationError when it is not one.
 */
export const readIdempotencyKey = (
  headers: Readonly<Record<string, string | undefined>>,
): string | undefined => {
  const key = headers["idempotency-key"];
  if (key === undefined || idempotencyKeyPattern.test(key)) return key;
  throw new ValidationError([
    {
      loc: ["header", "idempotency-key"],
      msg: "Value error, an Idempotency-Key has 1 to 255 visible characters of ASCII, without spaces",
      type: "value_error",
    },
  ]);
};
