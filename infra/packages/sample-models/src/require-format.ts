import { ApiError } from "./api-error.ts";

/** The format that a request asks for. Throws an `ApiError` (400) when it is none of those that are given. */
export function requireFormat<Format extends string>(asked: string, given: readonly Format[]): Format {
  const format = given.find((candidate) => candidate === asked);
  if (format !== undefined) return format;
  const message = `Invalid 'response_format': the sample server gives ${given.join(", ")}.`;
  throw new ApiError(400, message, { code: "unsupported_value", param: "response_format" });
}
