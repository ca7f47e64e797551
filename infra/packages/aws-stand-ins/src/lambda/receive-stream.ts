import type { IncomingMessage } from "node:http";
import { type FunctionError, parseErrorReport } from "./function-error.ts";
import type { Invocation } from "./invocation.ts";
import { ResponseBody } from "./response-body.ts";

/**
 * Turns the request by which a function streams its response into the result of its invocation.
 *
 * A failure before the first byte becomes an ordinary error, so that whoever asked can still answer with a
 * status of its own.
 */
export async function receiveStream(request: IncomingMessage, invocation: Invocation): Promise<void> {
  const body = new ResponseBody(request);
  if (invocation.abandoned) body.destroy();

  const settle = async (): Promise<void> => {
    if (request.complete) {
      const error = trailingError(request);
      if (error !== undefined) invocation.fail(error);
    } else {
      // The end of the process, which is why a response breaks off, may become known only after that.
      await invocation.finished;
      invocation.fail({ errorType: "Runtime.StreamBroken", errorMessage: "The response stream broke off." });
    }
    body.finish(invocation.failure);
  };
  request.once("close", () => void settle());

  if ((await body.started) || invocation.failure === undefined) {
    invocation.stream(request.headers["content-type"] ?? "application/octet-stream", body);
  }
}

/** The error a runtime tells after the last byte, in the trailers of the response. */
function trailingError({ trailers }: IncomingMessage): FunctionError | undefined {
  if (trailers["lambda-runtime-function-error-type"] === undefined) return undefined;
  const report = trailers["lambda-runtime-function-error-body"] ?? "";
  return parseErrorReport(Buffer.from(report, "base64").toString());
}
