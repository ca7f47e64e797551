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

/**
 * Errors whose message quotes what was read: V8's about JSON shows the text around the fault, zod's the names of keys.
 * It may be what a person said, or what a model made of it.
 */
const quotingErrors: ReadonlySet<string> = new Set(["SyntaxError", "ZodError", "$ZodError"]);

/** An error for the log: its name, its sentence unless that may quote somebody, and where it was thrown. */
export const describeError = (
  error: unknown,
): { readonly name: string; readonly message: string | undefined; readonly stack: string[] } | undefined => {
  if (!(error instanceof Error)) return undefined;
  const { name, message, stack = "" } = error;
  return {
    name,
    message: quotingErrors.has(name) ? undefined : message,
    // The stack begins with the message.
    stack: stack.split("\n").filter((line) => /^\s+at /.test(line)),
  };
};

/**
 * An error of a service whose sentences quote what it was given, a mail address say: its name only, in the form of
 * {@link describeError}.
 */
export const describeErrorName = (error: unknown): { readonly name: string } => ({
  name: error instanceof Error ? error.name : "unknown",
});
