import type { LogEvent } from "./log-events.ts";
import { requestScope } from "./request-scope.ts";
import { sourceLines } from "./source-lines.ts";

/** JSON only: an Error would be written as `{}`. */
type LogValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly LogValue[]
  | { readonly [name: string]: LogValue };

export type LogFields = Readonly<Record<string, LogValue>>;

const levels = ["DEBUG", "INFO", "WARN", "ERROR", "SILENT"] as const;
type Level = (typeof levels)[number];

/**
 * The logger alone reads the environment itself: a line must be written even if the function's variables are
 * incomplete, and X-Ray's trace has another id in each invocation.
 */
const variables: Readonly<Record<string, string | undefined>> = process.env;

/** Whether lines of a level are written: `LOG_LEVEL` names the least of them, by default INFO. */
const isWritten = (level: Level): boolean => {
  const names: readonly string[] = levels;
  const min = names.indexOf(variables["LOG_LEVEL"] ?? "INFO");
  return names.indexOf(level) >= (min === -1 ? names.indexOf("INFO") : min);
};

/** The trace of the invocation that Lambda announces: `Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1`. */
const traceIdOfInvocation = (): string | undefined =>
  variables["_X_AMZN_TRACE_ID"]?.split(";")[0]?.replace("Root=", "");

/** One line of JSON, in the form that Lambda takes for an application's own: a level, a message and a time. */
const write = (level: Level, event: LogEvent, fields: LogFields): void => {
  if (!isWritten(level)) return;
  const line = {
    level,
    message: event,
    timestamp: new Date().toISOString(),
    service: "language-ai-service",
    xray_trace_id: traceIdOfInvocation(),
    // One query finds all lines of a request, in every function.
    request_id: requestScope()?.requestId,
    ...fields,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

/** The structured log. Ids, codes and figures only: never texts, tokens or mail addresses. */
export const logger = {
  info: (event: LogEvent, fields: LogFields = {}): void => write("INFO", event, fields),
  warn: (event: LogEvent, fields: LogFields = {}): void => write("WARN", event, fields),
  error: (event: LogEvent, fields: LogFields = {}): void => write("ERROR", event, fields),
};

/**
 * Errors whose message quotes their input: V8's about JSON shows the text around the fault, zod's the names of keys.
 * That may be what a person said, or a model's output.
 */
const quotingErrors: ReadonlySet<string> = new Set(["SyntaxError", "ZodError", "$ZodError"]);

/** An error for the log: its name, its message unless that may quote someone, and where it was thrown. */
export const describeError = (
  error: unknown,
): { readonly name: string; readonly message: string | undefined; readonly stack: string[] } | undefined => {
  if (!(error instanceof Error)) return undefined;
  const { name, message, stack = "" } = error;
  return {
    name,
    message: quotingErrors.has(name) ? undefined : message,
    stack: sourceLines(stack),
  };
};

/**
 * An error of a service whose sentences quote what it was given, a mail address say: its name only, in the form of
 * {@link describeError}.
 */
export const describeErrorName = (error: unknown): { readonly name: string } => ({
  name: error instanceof Error ? error.name : "unknown",
});
