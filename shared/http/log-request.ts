import { logger } from "../telemetry/logger.ts";
import type { HttpMiddleware, HttpRequest } from "./http-request.ts";

const logEnd = ({ event, response }: HttpRequest): void => {
  logger.info("request.answered", {
    request_id: event.requestId,
    operation: event.endpoint?.operation.id,
    status: response?.statusCode,
    milliseconds: Math.round(performance.now() - event.receivedAt),
  });
};

/** One line for each answer: which operation, which status, how long. */
export const logRequest = (): HttpMiddleware => ({ after: logEnd, onError: logEnd });
