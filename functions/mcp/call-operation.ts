import type { Endpoint, RequestFacts } from "../../shared/http/exchange.ts";
import { endRequest } from "../../shared/http/limit-requests.ts";
import type { Operation } from "../../shared/http/operation.ts";
import { createPipeline, type HandlerOptions } from "../../shared/http/pipeline.ts";
import { toInnerEvent } from "../../shared/http/request.ts";
import { logResponse } from "../../shared/http/request-log.ts";
import { requestScope } from "../../shared/platform/telemetry/request-scope.ts";

/** The parts of a request, as an operation declares them. */
export interface OperationCall {
  readonly operation: Operation;
  /** As JSON. */
  readonly body?: string;
  /** The fields of a form. */
  readonly form?: Readonly<Record<string, unknown>>;
  readonly query?: Record<string, string>;
  readonly path?: Record<string, string>;
  readonly idempotencyKey?: string | undefined;
}

/** The response to a call; its body is JSON. */
export interface CalledResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Calls an operation for the sender of a request, with the sender's token or key. */
export type CallOperation = (call: OperationCall, sender: RequestFacts) => Promise<CalledResponse>;

const headersOf = ({ body, idempotencyKey }: OperationCall, { id, headers }: RequestFacts) => ({
  authorization: headers["authorization"],
  traceparent: headers["traceparent"],
  "x-request-id": id,
  ...(body === undefined ? {} : { "content-type": "application/json" }),
  ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
});

/**
 * Returns what calls operations within this function. A call takes every step of a request that was sent over HTTP: its token or
 * key, scope and limits are checked, it is counted, validated and logged, and an `Idempotency-Key` works.
 */
export const createOperationCalls = (
  endpoints: readonly Endpoint[],
  options: HandlerOptions,
): CallOperation => {
  const pipeline = createPipeline(endpoints, options);
  return async (call, sender) => {
    const context = requestScope()?.context;
    if (!context) throw new Error("Operations can only be called within a request.");
    const event = toInnerEvent({
      method: call.operation.method,
      resource: call.operation.path,
      headers: headersOf(call, sender),
      body: call.body ?? null,
      form: call.form,
      query: call.query ?? null,
      pathParameters: call.path ?? null,
      requestId: sender.id,
      sourceAddress: sender.sourceAddress,
      basePath: sender.basePath,
    });
    let hasFailed = true;
    try {
      const { statusCode: status, headers, body } = await pipeline(event, context);
      hasFailed = status >= 400;
      if (typeof body !== "string") throw new Error(`${call.operation.id} is not called for a stream.`);
      logResponse(event, { status, headLeftAt: performance.now() });
      return { status, headers, body };
    } finally {
      await endRequest(options.limiter, event, hasFailed);
    }
  };
};
