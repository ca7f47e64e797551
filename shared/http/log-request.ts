import { logger } from "../telemetry/logger.ts";
import type { HttpMiddleware, HttpRequest } from "./http-request.ts";

const logEnd = ({ internal, response }: HttpRequest): void => {
  logger.info("request.answered", {
    request_id: internal.requestId,
    operation: internal.endpoint?.operation.id,
    status: response?.statusCode,
    milliseconds: Math.round(performance.now() - (internal.startedAt ?? performance.now())),
  });
};

/** One line for each answer: which operation, which status, how long. */
export const logRequest = (): HttpMiddleware => ({ after: logEnd, onError: logEnd });
