import { type InvocationResult, requestTooLarge } from "../lambda/invocation.ts";
import type { LambdaIntegration } from "../template/local-model.ts";
import { readProxyResponse, sendBuffered } from "./buffered-response.ts";
import { type Exchange, signalOfCaller } from "./exchange.ts";
import { createFault, type Fault } from "./faults.ts";
import type { Log } from "./http-server.ts";
import { discard, type Invoke, invokeWithin } from "./invoke.ts";
import { createProxyEvent } from "./proxy-event.ts";
import { httpStreamType, readPrelude, relayStream } from "./relay-stream.ts";
import { type IsBinary, mediaTypeOf, type Responder, type RoutedRequest } from "./responder.ts";

type Result<Kind extends InvocationResult["kind"]> = Extract<InvocationResult, { kind: Kind }>;

/** Responds with a Lambda proxy integration, in either transfer mode. */
export class LambdaResponder implements Responder {
  readonly #integration: LambdaIntegration;
  readonly #invoke: Invoke;
  readonly #log: Log;
  readonly #isBinary: IsBinary;

  constructor(
    integration: LambdaIntegration,
    { invoke, log, isBinary }: { invoke: Invoke; log: Log; isBinary: IsBinary },
  ) {
    this.#integration = integration;
    this.#invoke = invoke;
    this.#log = log;
    this.#isBinary = isBinary;
  }

  async respond({ exchange, head, body, authorizer }: RoutedRequest): Promise<Fault | undefined> {
    const { transferMode, functionName, timeoutMilliseconds: milliseconds } = this.#integration;
    const isBinary = this.#isBinary(mediaTypeOf(exchange.request.headers["content-type"]));
    const event = createProxyEvent(head, body, isBinary, authorizer);
    const deadline = Date.now() + milliseconds;
    // A buffered invocation is not aborted: on AWS it continues, and completes without its caller.
    const caller = transferMode === "stream" ? { signal: signalOfCaller(exchange) } : {};
    const result = await invokeWithin(this.#invoke, functionName, event, { milliseconds, ...caller });
    if (result === "expired") return createFault("INTEGRATION_TIMEOUT");
    if (exchange.response.destroyed) return discard(result);
    switch (result.kind) {
      case "error":
        return this.#explain(result);
      case "buffered":
        return this.#sendBuffered(exchange, result);
      case "stream":
        return await this.#sendStream(exchange, result, deadline);
    }
  }

  #explain({ errorType }: Result<"error">): Fault {
    if (errorType === requestTooLarge.errorType) return createFault("REQUEST_TOO_LARGE");
    return this.#fail(`failed with ${errorType}`);
  }

  #sendBuffered(exchange: Exchange, { payload }: Result<"buffered">): Fault | undefined {
    if (this.#integration.transferMode === "stream") {
      return this.#fail("responds in one piece, but its integration has the response transfer mode STREAM");
    }
    const acceptsBinary = this.#isBinary(mediaTypeOf(exchange.request.headers.accept));
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
    if (this.#integration.transferMode === "buffered") {
      result.body.destroy();
      return this.#fail("streams its response, but its integration has the response transfer mode BUFFERED");
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
    const parsed = contentType === httpStreamType ? await readPrelude(chunks) : undefined;
    if (parsed === undefined) {
      body.destroy();
      if (timeUp.aborted) return createFault("INTEGRATION_TIMEOUT");
      if (failure() !== undefined) return this.#fail("failed before its stream had started");
      return this.#fail("streamed no status and headers (awslambda.HttpResponseStream) before its body");
    }
    const end = await relayStream(parsed, { body, chunks, failure }, response);
    if (end === "broken") {
      this.#fail(timeUp.aborted ? "streamed for longer than its integration may" : "broke off its stream");
    }
    return undefined;
  }

  #fail(problem: string): Fault {
    this.#log(`The function ${this.#integration.functionName} ${problem}.`);
    return createFault("INTEGRATION_FAILURE");
  }
}
