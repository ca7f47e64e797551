import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { type FunctionError, type Invocation, parseErrorReport } from "./invocation.ts";

/**
 * The body of a streamed response, as the caller of the function reads it: never faster than that caller does.
 *
 * A caller that destroys it breaks the connection to the function, which is all a function can notice.
 */
class ResponseBody extends Readable {
  /** Resolved at the first byte with `true`, or with `false` when the response ends without one. */
  readonly started: Promise<boolean>;
  readonly #request: IncomingMessage;
  readonly #started = Promise.withResolvers<boolean>();
  #error: Error | undefined;

  constructor(request: IncomingMessage) {
    // One chunk at a time, so that the connection itself holds the function back.
    super({ highWaterMark: 1 });
    this.#request = request;
    this.started = this.#started.promise;
    request.on("data", (chunk: Buffer) => {
      this.#started.resolve(true);
      if (!this.push(chunk)) request.pause();
    });
    // A broken connection closes the request as well, and that is where it is dealt with.
    request.on("error", () => {});
    // A failure without a reader must not end the service; readers see it anyway.
    this.on("error", () => {});
    this.read(0);
  }

  /** Ends the body once all its bytes have been read: with an error if there was a failure. */
  finish(failure: string | undefined): void {
    this.#started.resolve(false);
    if (failure === undefined) {
      this.push(null);
    } else {
      this.#error = new Error(failure);
      if (this.readableLength === 0) this.destroy(this.#error);
    }
  }

  override _read(): void {
    if (this.#error === undefined) this.#request.resume();
    else this.destroy(this.#error);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#request.destroy();
    callback(error);
  }
}

/**
 * Turns the request by which a function streams its response into the result of its invocation.
 *
 * A failure before the first byte becomes an ordinary error, so that the caller can still send a status of its own.
 */
export const receiveStream = async (request: IncomingMessage, invocation: Invocation): Promise<void> => {
  const body = new ResponseBody(request);
  if (invocation.abandoned) body.destroy();

  const finish = async (): Promise<void> => {
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
  request.once("close", () => void finish());

  if ((await body.started) || invocation.failure === undefined) {
    invocation.stream(request.headers["content-type"] ?? "application/octet-stream", body);
  }
};

/** The error that a runtime reports after the last byte, in the trailers of the response. */
const trailingError = ({ trailers }: IncomingMessage): FunctionError | undefined => {
  if (trailers["lambda-runtime-function-error-type"] === undefined) return undefined;
  const report = trailers["lambda-runtime-function-error-body"] ?? "";
  return parseErrorReport(Buffer.from(report, "base64").toString());
};
