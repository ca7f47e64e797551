import { Logger } from "@aws-lambda-powertools/logger";
import type { LogAttributes } from "@aws-lambda-powertools/logger/types";
import type { LogEvent } from "./log-events.ts";

const lines = new Logger({ serviceName: "language-ai-service" });

/** The structured log. Ids, codes and figures only: never texts, tokens or mail addresses. */
export const logger = {
  info: (event: LogEvent, fields: LogAttributes = {}): void => lines.info(event, fields),
  warn: (event: LogEvent, fields: LogAttributes = {}): void => lines.warn(event, fields),
  error: (event: LogEvent, fields: LogAttributes = {}): void => lines.error(event, fields),
};
