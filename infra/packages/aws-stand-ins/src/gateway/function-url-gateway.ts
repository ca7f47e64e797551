import type { InvocationResult } from "../lambda/invocation.ts";
import { MAXIMUM_REQUEST_BYTES, requestTooLarge } from "../lambda/payload-limits.ts";
import type { FunctionUrl } from "../template/local-model.ts";
import { readFunctionUrlAnswer, sendBuffered } from "./buffered-answer.ts";
import { type Exchange, signalOfCaller } from "./exchange.ts";
import { corsHeaders, isPreflight } from "./function-url-cors.ts";
import { createFunctionUrlEvent } from "./function-url-event.ts";
import type { Log } from "./http-server.ts";
import { discard, type Invoke, invokeWithin } from "./invoke.ts";
import { readBody } from "./read-body.ts";
import { relayStream } from "./relay-stream.ts";
import { HTTP_STREAM_TYPE, readPrelude } from "./stream-prelude.ts";

type Result<Kind extends InvocationResult["kind"]> = Extract<InvocationResult, { kind: Kind }>;

/** No function runs for longer; its own time-out, which Lambda keeps, is shorter as a rule. */
const TIMEOUT_MILLISECONDS = 15 * 60 * 1000;

/** A request that is refused, or that failed, before the answer has begun. */
interface Refusal {
  readonly status: number;
  readonly body: string;
}

const tooLarge: Refusal = { status: 413, body: JSON.stringify({ Message: requestTooLarge.errorMessage }) };
const failed: Refusal = { status: 502, body: "Internal Server Error" };

/** The way of a request through a function URL. */
export class FunctionUrlGateway {
  /** Host, and port if any, that callers reach the function at. */
  domainName = "localhost";
  readonly #functionUrl: FunctionUrl;
  readonly #invoke: Invoke;
  readonly #log: Log;

  constructor(functionUrl: FunctionUrl, invoke: Invoke, log: Log) {
    this.#functionUrl = functionUrl;
    this.#invoke = invoke;
    this.#log = log;
  }

  async answer(exchange: Exchange): Promise<void> {
    const { response } = exchange;
    const { cors } = this.#functionUrl;
    const headers = cors === undefined ? {} : corsHeaders(exchange, cors);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (cors !== undefined && isPreflight(exchange)) {
      response.writeHead(200, { "content-length": 0 }).end();
      return;
    }
    const refusal = await this.#serve(exchange);
    if (refusal === undefined || response.destroyed) return;
    const { status, body } = refusal;
    response.writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  }

  async #serve(exchange: Exchange): Promise<Refusal | undefined> {
    const { functionName, invokeMode } = this.#functionUrl;
    const received = await readBody(exchange, MAXIMUM_REQUEST_BYTES);
    if (received.kind === "aborted") return undefined;
    if (received.kind === "too-large") return tooLarge;
    const event = createFunctionUrlEvent(exchange, { domainName: this.domainName, body: received.bytes });
    const caller = invokeMode === "RESPONSE_STREAM" ? { signal: signalOfCaller(exchange) } : {};
    const options = { milliseconds: TIMEOUT_MILLISECONDS, ...caller };
    const result = await invokeWithin(this.#invoke, functionName, event, options);
    if (result === "expired") return this.#fail("did not answer in time");
    if (exchange.response.destroyed) return discard(result);
    return await this.#respond(exchange, result);
  }

  async #respond(exchange: Exchange, result: InvocationResult): Promise<Refusal | undefined> {
    switch (result.kind) {
      case "error":
        if (result.errorType === requestTooLarge.errorType) return tooLarge;
        return this.#fail(`failed with ${result.errorType}`);
      case "buffered":
        return this.#sendBuffered(exchange, result);
      case "stream":
        return await this.#sendStream(exchange, result);
    }
  }

  // AWS would deliver the function's JSON document, or the stream's metadata, as the body. Nobody wants either, so a
  // mismatch is refused here, where it is easy to see.
  #sendBuffered(exchange: Exchange, { payload }: Result<"buffered">): Refusal | undefined {
    if (this.#functionUrl.invokeMode === "RESPONSE_STREAM") {
      return this.#fail("answers in one piece, but its URL has the invoke mode RESPONSE_STREAM");
    }
    const answer = readFunctionUrlAnswer(payload);
    if (answer === undefined) return this.#fail("gave a malformed answer");
    sendBuffered(exchange, answer);
    return undefined;
  }

  async #sendStream({ response }: Exchange, result: Result<"stream">): Promise<Refusal | undefined> {
    const { body, contentType, failure } = result;
    if (this.#functionUrl.invokeMode === "BUFFERED") {
      body.destroy();
      return this.#fail("streams its answer, but its URL has the invoke mode BUFFERED");
    }
    const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
    const answer =
      contentType === HTTP_STREAM_TYPE
        ? await readPrelude(chunks)
        : { statusCode: 200, headers: { "Content-Type": contentType }, firstBytes: Buffer.alloc(0) };
    if (answer === undefined) {
      body.destroy();
      return this.#fail("ended before it had streamed a status and headers");
    }
    const end = await relayStream(answer, { body, chunks, failure }, response);
    if (end === "broken") this.#fail("broke off its stream");
    return undefined;
  }

  #fail(problem: string): Refusal {
    this.#log(`The function ${this.#functionUrl.functionName} ${problem}.`);
    return failed;
  }
}
