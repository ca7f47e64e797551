import { AppError } from "./app-error.ts";

const read = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

/** Names under which AWS says "not now" with a status below 500. */
const throttling =
  /^(Throttl|TooManyRequests|ProvisionedThroughputExceeded|RequestLimitExceeded|LimitExceeded|RequestThrottled|RequestTimeout|TransactionConflict|TransactionInProgress|SlowDown|PriorRequestNotComplete)/;

/** After three failed attempts within the last seconds. */
const retryAfterSeconds = 5;

const isThrottling = (name: unknown): boolean => typeof name === "string" && throttling.test(name);

/**
 * Whether an error of the AWS SDK is temporary. Every one has `$metadata`; without a status in it, the connection
 * failed before a response: refused, reset, timed out, unknown name.
 */
const isPassing = (error: Error): boolean => {
  const metadata = read(error, "$metadata");
  if (typeof metadata !== "object" || metadata === null) return false;
  const status = read(metadata, "httpStatusCode");
  if (typeof status === "number" && (status >= 500 || status === 408)) return true;
  if (read(error, "$fault") === "server" || read(error, "$retryable") !== undefined) return true;
  if (isThrottling(error.name)) return true;
  const reasons = read(error, "CancellationReasons");
  if (Array.isArray(reasons) && reasons.some((reason) => isThrottling(read(reason, "Code")))) return true;
  const code = read(error, "code");
  return status === undefined && (error.name === "TimeoutError" || (typeof code === "string" && code !== ""));
};

/** For a part of the service, other than a model, that does not respond. */
export const dependencyUnavailable = (cause?: unknown): AppError =>
  new AppError("service_unavailable", {
    message: "A part of the service is temporarily unreachable; try again shortly.",
    retryAfterSeconds,
    cause,
  });

/**
 * A temporary failure of the table, the queue or another AWS service (throttling, timeouts, lost connections, their
 * own errors) as `service_unavailable`; `undefined` for everything else, including our own mistakes.
 */
export const dependencyFailure = (thrown: unknown): AppError | undefined =>
  thrown instanceof Error && isPassing(thrown) ? dependencyUnavailable(thrown) : undefined;

export const toAppError = (thrown: unknown): AppError =>
  thrown instanceof AppError
    ? thrown
    : (dependencyFailure(thrown) ?? new AppError("internal", { cause: thrown }));
