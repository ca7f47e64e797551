import type { AppError } from "../platform/errors/app-error.ts";
import { toAppError } from "../platform/errors/dependency-failure.ts";
import { errorBody, oauthErrorBody } from "../platform/errors/error-body.ts";
import { describeError, logger } from "../platform/telemetry/logger.ts";
import type { Operation } from "./operation.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/** An error as a response. */
export const errorResponse = (
  error: AppError,
  requestId: string,
  format: Operation["errorFormat"],
): HttpResponse => ({
  statusCode: error.status,
  headers: {
    "Content-Type": "application/json",
    ...error.headers,
    ...(error.status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
    ...(error.status === 401 || error.status === 403 ? { "Cache-Control": "no-store" } : {}),
    ...(error.retryAfterSeconds === undefined ? {} : { "Retry-After": String(error.retryAfterSeconds) }),
  },
  body: JSON.stringify((format === "oauth" ? oauthErrorBody : errorBody)(error, requestId)),
});

/** Makes an error into the response to a request. */
export type FormatError = (error: AppError, event: HttpEvent) => HttpResponse;

const formatAsJson: FormatError = (error, { requestId, endpoint }) =>
  errorResponse(error, requestId, endpoint?.operation.errorFormat);

/** Turns any thrown value into a response, and logs what is not the caller's fault. */
export const respondError = (format: FormatError = formatAsJson): HttpMiddleware => ({
  onError: (request) => {
    const error = toAppError(request.error);
    const { requestId, endpoint } = request.event;
    if (error.status >= 500) {
      logger.error("request.failed", {
        request_id: requestId,
        operation: endpoint?.operation.id,
        code: error.code,
        reason: describeError(error.cause),
      });
    }
    request.response = format(error, request.event);
  },
});
