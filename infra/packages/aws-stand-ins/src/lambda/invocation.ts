import { randomBytes, randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { FunctionError } from "./function-error.ts";

/** What became of an invocation. */
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
  /** When the function must be done, in milliseconds since 1970; known once it has begun. */
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

  /** Whether the caller is gone. The function is not told: it runs on, as it does on AWS. */
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

function hexadecimalTime(): string {
  return Math.floor(Date.now() / 1000).toString(16);
}
