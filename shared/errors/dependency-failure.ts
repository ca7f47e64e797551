import * as z from "zod";
import { AppError } from "./app-error.ts";

/** An error as the AWS SDK throws it. Every one carries `$metadata`, also when no response arrived at all. */
const sdkError = z.object({
  name: z.string().optional(),
  code: z.string().optional(),
  $fault: z.string().optional(),
  $retryable: z.unknown().optional(),
  $metadata: z.object({ httpStatusCode: z.number().optional() }),
  CancellationReasons: z.array(z.object({ Code: z.string().optional() })).optional(),
});
type SdkError = z.output<typeof sdkError>;

/** Names under which AWS says "not now" with a status below 500. */
const throttling =
  /^(Throttl|TooManyRequests|ProvisionedThroughputExceeded|RequestLimitExceeded|LimitExceeded|RequestThrottled|RequestTimeout|TransactionConflict|TransactionInProgress|SlowDown|PriorRequestNotComplete)/;

/** When another try makes sense; the SDK has made three within the last seconds. */
const retryAfterSeconds = 5;

/** Without a status, the connection failed before a response: refused, reset, timed out, unknown name. */
const isPassing = ({ name = "", code = "", $fault, $retryable, $metadata, ...rest }: SdkError): boolean => {
  const { httpStatusCode } = $metadata;
  if (httpStatusCode !== undefined && httpStatusCode >= 500) return true;
  if ($fault === "server" || $retryable !== undefined) return true;
  if (throttling.test(name)) return true;
  if (rest.CancellationReasons?.some(({ Code = "" }) => throttling.test(Code))) return true;
  return httpStatusCode === undefined && (name === "TimeoutError" || code !== "");
};

/** That a part of the service which is not a model does not answer. */
export const dependencyUnavailable = (cause?: unknown): AppError =>
  new AppError("service_unavailable", {
    message: "A part of the service cannot be reached at the moment; try again shortly.",
    retryAfterSeconds,
    cause,
  });

/**
 * A failure of the table, the queue or another service of AWS that passes by itself (throttling, time-outs, lost
 * connections, their own errors) as `service_unavailable`; `undefined` for everything else, mistakes of ours included.
 */
export const dependencyFailure = (thrown: unknown): AppError | undefined => {
  if (!(thrown instanceof Error)) return undefined;
  const error = sdkError.safeParse(thrown);
  return error.success && isPassing(error.data) ? dependencyUnavailable(thrown) : undefined;
};

/** Whatever was thrown as one of our errors: itself, a passing failure of AWS, or `internal`. */
export const toAppError = (thrown: unknown): AppError =>
  thrown instanceof AppError
    ? thrown
    : (dependencyFailure(thrown) ?? new AppError("internal", { cause: thrown }));
