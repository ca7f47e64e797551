import { type InvocationResult, requestTooLarge } from "../lambda/invocation.ts";
import type { LambdaIntegration } from "../template/local-model.ts";
import { readProxyResponse, sendBuffered } from "./buffered-response.ts";
import { type Exchange, signalOfCaller } from "./exchange.ts";
import { createFault, type Fault } from "./faults.ts";
import type { Log } from "./http-server.ts";
import { discard, type Invoke, invokeWithin } from "./invoke.ts";
import { httpStreamType, readPrelude, relayStream } from "./relay-stream.ts";

type Result<Kind extends InvocationResult["kind"]> = Extract<InvocationResult, { kind: Kind }>;

interface Target extends Omit<LambdaIntegration, "type"> {
  readonly invoke: Invoke;
  readonly log: Log;
  /** Whether a stream may lack a status and headers: it is then the body of a successful response. */
  readonly takesBareStreams?: boolean;
}

/** Lets a function respond to requests, in either transfer mode. */
export class FunctionTarget {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  /**
   * Invokes the function with an event and sends its response.
   *
   * @param acceptsBinary whether a base64 body is decoded for this caller.
   * @returns the reason why there is no response; undefined when there is one, or when the caller has left.
   */
  async respond(exchange: Exchange, event: unknown, acceptsBinary = false): Promise<Fault | undefined> {
    const { invoke, functionName, transferMode, timeoutMilliseconds: milliseconds } = this.#target;
    const deadline = Date.now() + milliseconds;
    // A buffered invocation is not aborted: on AWS it continues, and completes without its caller.
    const caller = transferMode === "stream" ? { signal: signalOfCaller(exchange) } : {};
    const result = await invokeWithin(invoke, functionName, event, { milliseconds, ...caller });
    if (result === "expired") return createFault("INTEGRATION_TIMEOUT");
    if (exchange.response.destroyed) return discard(result);
    switch (result.kind) {
      case "error":
        if (result.errorType === requestTooLarge.errorType) return createFault("REQUEST_TOO_LARGE");
        return this.#fail(`failed with ${result.errorType}`);
      case "buffered":
        return this.#sendBuffered(exchange, result, acceptsBinary);
      case "stream":
        return await this.#sendStream(exchange, result, deadline);
    }
  }

  // AWS would deliver the function's JSON document, or the stream's metadata, as the body of some responses. Neither is
  // useful, so a mismatch is refused here, where it is easy to see.
  #sendBuffered(
    exchange: Exchange,
    { payload }: Result<"buffered">,
    acceptsBinary: boolean,
  ): Fault | undefined {
    if (this.#target.transferMode === "stream") {
      return this.#fail("responds in one piece, but it is to stream its response");
    }
    const response = readProxyResponse(payload, acceptsBinary);
    if (response === undefined) return this.#fail("returned a malformed proxy response");
    sendBuffered(exchange, response);
    return undefined;
  }

  async #sendStream(
    exchange: Exchange,
    result: Result<"stream">,
    deadline: number,
  ): Promise<Fault | undefined> {
    if (this.#target.transferMode === "buffered") {
      result.body.destroy();
      return this.#fail("streams its response, but it is to respond in one piece");
    }
    const clock = new AbortController();
    const timer = setTimeout(() => clock.abort(), deadline - Date.now());
    clock.signal.addEventListener("abort", () => result.body.destroy());
    try {
      return await this.#relay(exchange, result, clock.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  async #relay(
    { response }: Exchange,
    { body, contentType, failure }: Result<"stream">,
    timeUp: AbortSignal,
  ): Promise<Fault | undefined> {
    const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
    const bare = { statusCode: 200, headers: { "Content-Type": contentType }, firstBytes: Buffer.alloc(0) };
    const isBare = contentType !== httpStreamType;
    const parsed = isBare ? (this.#target.takesBareStreams ? bare : undefined) : await readPrelude(chunks);
    if (parsed === undefined) {
      body.destroy();
      if (timeUp.aborted) return createFault("INTEGRATION_TIMEOUT");
      if (failure() !== undefined) return this.#fail("failed before its stream had started");
      return this.#fail("streamed no status and headers (awslambda.HttpResponseStream) before its body");
    }
    const end = await relayStream(parsed, { body, chunks, failure }, response);
    if (end === "broken") {
      this.#fail(timeUp.aborted ? "streamed for longer than it may" : "broke off its stream");
    }
    return undefined;
  }

  #fail(problem: string): Fault {
    this.#target.log(`The function ${this.#target.functionName} ${problem}.`);
    return createFault("INTEGRATION_FAILURE");
  }
}
