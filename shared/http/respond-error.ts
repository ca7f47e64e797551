import type { AppError } from "../platform/errors/app-error.ts";
import { toAppError } from "../platform/errors/dependency-failure.ts";
import { errorBodyAt, oauthErrorBody, statusAt } from "../platform/errors/error-body.ts";
import { faultFields } from "../platform/telemetry/fault-metric.ts";
import { describeError, logger } from "../platform/telemetry/logger.ts";
import type { HttpResponse } from "./exchange.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";

/** An error as a response at a path. */
export const errorResponse = (
  error: AppError,
  { requestId, resource, endpoint }: Pick<HttpEvent, "requestId" | "resource" | "endpoint">,
): HttpResponse => {
  const statusCode = statusAt(resource, error.code);
  return {
    statusCode,
    headers: {
      "Content-Type": "application/json",
      ...(statusCode === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
      ...error.headers,
      ...(statusCode === 401 || statusCode === 403 ? { "Cache-Control": "no-store" } : {}),
      ...(error.retryAfterSeconds === undefined ? {} : { "Retry-After": String(error.retryAfterSeconds) }),
    },
    body: JSON.stringify(
      endpoint?.operation.errorFormat === "oauth"
        ? oauthErrorBody(error, requestId)
        : errorBodyAt(resource, error, requestId),
    ),
  };
};

/** Makes an error into the response to a request. */
export type FormatError = (error: AppError, event: HttpEvent) => HttpResponse;

/** Turns any thrown value into a response, and logs what is not the caller's fault. */
export const respondError = (format: FormatError = errorResponse): HttpMiddleware => ({
  onError: (request) => {
    const error = toAppError(request.error);
    const { requestId, endpoint } = request.event;
    request.event.errorStatus = error.status;
    request.event.errorCode = error.code;
    if (error.status >= 500) {
      logger.error("request.failed", {
        request_id: requestId,
        operation: endpoint?.operation.id,
        code: error.code,
        reason: describeError(error.cause),
        ...faultFields(error),
      });
    }
    request.response = format(error, request.event);
  },
});
