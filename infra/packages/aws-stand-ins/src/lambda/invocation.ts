import { randomBytes, randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import * as z from "zod";

/** The largest event of a synchronous invocation, in bytes: 6 MB (AWS Lambda quotas). */
export const maxRequestBytes = 6 * 1024 * 1024;

/** The largest buffered response, in bytes. The 100 above 6 MB are in the message AWS sends about it. */
export const maxResponseBytes = maxRequestBytes + 100;

export const requestTooLarge: FunctionError = {
  errorType: "RequestTooLargeException",
  errorMessage: `Request must be smaller than ${maxRequestBytes} bytes for the InvokeFunction operation`,
};

export const responseTooLarge = (bytes: number): FunctionError => ({
  errorType: "Function.ResponseSizeTooLarge",
  errorMessage: `Response payload size (${bytes} bytes) exceeded maximum allowed payload size (${maxResponseBytes} bytes).`,
});

/** Why an invocation failed, in the two words and one sentence AWS uses. */
export interface FunctionError {
  errorType: string;
  errorMessage: string;
}

const errorReport = z.object({
  errorType: z.string().default("Error"),
  errorMessage: z.string().default(""),
});

/** Reads the error a runtime has reported: JSON with `errorType`, `errorMessage` and `trace`. */
export const parseErrorReport = (json: string): FunctionError => {
  try {
    return errorReport.parse(JSON.parse(json));
  } catch {
    return {
      errorType: "Runtime.InvalidErrorReport",
      errorMessage: "The runtime reported an error that cannot be read.",
    };
  }
};

/** A function, or its initialisation when there is no request, that took too long. */
export const timeoutError = (requestId: string | undefined, seconds: number): FunctionError => ({
  errorType: "Sandbox.Timedout",
  errorMessage: `${prefix(requestId)}Task timed out after ${seconds.toFixed(2)} seconds`,
});

/** A process that ended although it had work to do. */
export const exitError = (
  requestId: string | undefined,
  code: number | null,
  signal: NodeJS.Signals | null,
): FunctionError => ({
  errorType: "Runtime.ExitError",
  errorMessage: `${prefix(requestId)}Runtime exited ${exitReason(code, signal)}`,
});

const prefix = (requestId: string | undefined): string =>
  requestId === undefined ? "Error: " : `RequestId: ${requestId} Error: `;

const exitReason = (code: number | null, signal: NodeJS.Signals | null): string => {
  if (signal === "SIGKILL") return "with error: signal: killed";
  if (signal === "SIGABRT") return "with error: signal: aborted";
  if (signal !== null) return `with error: signal: ${signal}`;
  return code === 0 ? "without providing a reason" : `with error: exit status ${code}`;
};

/** The outcome of an invocation. */
export type InvocationResult =
  | { kind: "buffered"; payload: Buffer }
  | {
      kind: "stream";
      contentType: string;
      /** Ends only when the response is whole; a function that fails midway destroys it with an error. */
      body: Readable;
      /** Why the function failed midway, once it has. */
      failure(): string | undefined;
    }
  | ({ kind: "error" } & FunctionError);

/** One invocation, from the queue to the moment its execution environment is free again. */
export class Invocation {
  readonly requestId = randomUUID();
  readonly traceId = `Root=1-${hexadecimalTime()}-${randomBytes(12).toString("hex")};Sampled=0`;
  readonly functionArn: string;
  /** The event as JSON. */
  readonly payload: Buffer;
  /** When the function must be done, in milliseconds since 1970; known once it has started. */
  deadline = Number.POSITIVE_INFINITY;
  readonly #signal: AbortSignal | undefined;
  readonly #result = Promise.withResolvers<InvocationResult>();
  readonly #finished = Promise.withResolvers<void>();
  readonly #onAbort = () => this.#abandon();
  #body: Readable | undefined;
  #failure: string | undefined;

  constructor(options: { functionArn: string; payload: Buffer; signal?: AbortSignal | undefined }) {
    this.functionArn = options.functionArn;
    this.payload = options.payload;
    this.#signal = options.signal;
    this.#signal?.addEventListener("abort", this.#onAbort);
  }

  /** Rejected with the signal's reason when the caller goes away before there is a result. */
  get result(): Promise<InvocationResult> {
    return this.#result.promise;
  }

  /** Resolved when the function has nothing more to do with this invocation. */
  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  /** Whether the caller has left. The function does not learn about it and continues, as on AWS. */
  get abandoned(): boolean {
    return this.#signal?.aborted ?? false;
  }

  /** Why the function failed, if it did. */
  get failure(): string | undefined {
    return this.#failure;
  }

  succeed(payload: Buffer): void {
    this.#result.resolve({ kind: "buffered", payload });
  }

  /** Hands over a response that is still being written. */
  stream(contentType: string, body: Readable): void {
    this.#body = body;
    this.#result.resolve({ kind: "stream", contentType, body, failure: () => this.#failure });
  }

  /** The first failure counts: what follows from it, such as the end of a process killed for it, is no news. */
  fail(error: FunctionError): void {
    this.#failure ??= `${error.errorType}: ${error.errorMessage}`;
    this.#result.resolve({ kind: "error", ...error });
  }

  finish(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#finished.resolve();
  }

  #abandon(): void {
    this.#result.reject(this.#signal?.reason);
    this.#body?.destroy();
  }
}

const hexadecimalTime = (): string => Math.floor(Date.now() / 1000).toString(16);
