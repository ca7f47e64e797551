import type { FunctionError } from "./function-error.ts";

/** The largest event of a synchronous invocation, in bytes: 6 MB (AWS Lambda quotas). */
export const MAXIMUM_REQUEST_BYTES = 6 * 1024 * 1024;

/** The largest buffered response, in bytes. The 100 above 6 MB are in the message AWS sends about it. */
export const MAXIMUM_RESPONSE_BYTES = MAXIMUM_REQUEST_BYTES + 100;

export const requestTooLarge: FunctionError = {
  errorType: "RequestTooLargeException",
  errorMessage: `Request must be smaller than ${MAXIMUM_REQUEST_BYTES} bytes for the InvokeFunction operation`,
};

export function responseTooLarge(bytes: number): FunctionError {
  return {
    errorType: "Function.ResponseSizeTooLarge",
    errorMessage: `Response payload size (${bytes} bytes) exceeded maximum allowed payload size (${MAXIMUM_RESPONSE_BYTES} bytes).`,
  };
}
