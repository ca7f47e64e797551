import type { ServerResponse } from "node:http";
import { ApiError } from "./api-error.ts";
import { sendJson } from "./json.ts";

/**
 * Ends an exchange with an error. A client that has gone gets nothing; an answer that has begun is broken off, so
 * that a client cannot take it for a whole one. What is not the client's fault is reported on standard error.
 */
export function sendError(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (!(error instanceof ApiError)) process.emitWarning(error instanceof Error ? error : String(error));
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, message, param, code, headers } =
    error instanceof ApiError ? error : new ApiError(500, "The sample server failed to answer.");
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  sendJson(response, status, { error: { message, type, param, code } }, headers);
}
