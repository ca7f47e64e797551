import * as z from "zod";

/** Why an invocation failed, in the two words and one sentence AWS uses. */
export interface FunctionError {
  errorType: string;
  errorMessage: string;
}

const errorReport = z.object({
  errorType: z.string().default("Error"),
  errorMessage: z.string().default(""),
});

/** Reads the error a runtime has reported: JSON with `errorType`, `errorMessage` and `trace`. */
export function parseErrorReport(json: string): FunctionError {
  try {
    return errorReport.parse(JSON.parse(json));
  } catch {
    return {
      errorType: "Runtime.InvalidErrorReport",
      errorMessage: "The runtime reported an error that cannot be read.",
    };
  }
}

/** A function, or its initialisation when there is no request, that took too long. */
export function timeoutError(requestId: string | undefined, seconds: number): FunctionError {
  return {
    errorType: "Sandbox.Timedout",
    errorMessage: `${prefix(requestId)}Task timed out after ${seconds.toFixed(2)} seconds`,
  };
}

/** A process that ended although it had work to do. */
export function exitError(
  requestId: string | undefined,
  code: number | null,
  signal: NodeJS.Signals | null,
): FunctionError {
  return {
    errorType: "Runtime.ExitError",
    errorMessage: `${prefix(requestId)}Runtime exited ${exitReason(code, signal)}`,
  };
}

function prefix(requestId: string | undefined): string {
  return requestId === undefined ? "Error: " : `RequestId: ${requestId} Error: `;
}

function exitReason(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === "SIGKILL") return "with error: signal: killed";
  if (signal === "SIGABRT") return "with error: signal: aborted";
  if (signal !== null) return `with error: signal: ${signal}`;
  return code === 0 ? "without providing a reason" : `with error: exit status ${code}`;
}
