import { takeColdStart } from "../telemetry/cold-start.ts";
import { logger } from "../telemetry/logger.ts";
import { measured } from "../telemetry/request-metrics.ts";
import { requestScope } from "../telemetry/request-scope.ts";
import { traceIdOf } from "../telemetry/trace-context.ts";
import type { HttpEvent } from "./http-event.ts";

/** How an answer left. */
export interface AnswerOutcome {
  readonly status: number;
  /** Of a stream: how much of it left, and how it ended. `left` is a reader who went away. */
  readonly stream?: { readonly bytes: number; readonly ended: "whole" | "left" | "failed" };
}

/** What met no route is counted together. */
const noOperation = "none";

/** Operations are told apart by their ids. */
const operationOf = ({ endpoint }: HttpEvent): string => endpoint?.operation.id ?? noOperation;

/**
 * One line for each request as soon as it is known what it asks for, short because most of what there is to say comes
 * with its last line: it shows the requests whose function was broken off before that, and leads to the caller's trace.
 */
export const logReceived = (event: HttpEvent): void => {
  const traceparent = requestScope()?.traceparent;
  logger.info("request.received", {
    request_id: event.requestId,
    operation: operationOf(event),
    ...(traceparent === undefined ? {} : { trace_id: traceIdOf(traceparent) }),
  });
};

/**
 * One line for each request, when its answer has left: which operation, by whom, which status, how long. CloudWatch
 * takes the metrics by operation and by backend out of the same line.
 */
export const logRequest = (event: HttpEvent, { status, stream }: AnswerOutcome): void => {
  logger.info("request.answered", {
    request_id: event.requestId,
    account_id: event.caller?.userId,
    door: event.door,
    status,
    cold_start: takeColdStart(),
    ...stream,
    ...measured({
      operation: operationOf(event),
      milliseconds: Math.round(performance.now() - event.receivedAt),
      client_error: status >= 400 && status < 500 ? 1 : 0,
      server_error: status >= 500 || stream?.ended === "failed" ? 1 : 0,
    }),
  });
};
