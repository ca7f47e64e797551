import { Logger } from "@aws-lambda-powertools/logger";
import type { LogAttributes } from "@aws-lambda-powertools/logger/types";
import type { LogEvent } from "./log-events.ts";
import { requestScope } from "./request-scope.ts";

const lines = new Logger({ serviceName: "language-ai-service" });

/** With the id of the request, so that one query finds all there is about it, in every function. */
const ofRequest = (fields: LogAttributes): LogAttributes => {
  const requestId = requestScope()?.requestId;
  return requestId === undefined ? fields : { request_id: requestId, ...fields };
};

/** The structured log. Ids, codes and figures only: never texts, tokens or mail addresses. */
export const logger = {
  info: (event: LogEvent, fields: LogAttributes = {}): void => lines.info(event, ofRequest(fields)),
  warn: (event: LogEvent, fields: LogAttributes = {}): void => lines.warn(event, ofRequest(fields)),
  error: (event: LogEvent, fields: LogAttributes = {}): void => lines.error(event, ofRequest(fields)),
};
