import { type RequestScope, requestScope } from "../../telemetry/request-scope.ts";
import { exchangeFailure, type TaskBackend, unavailable } from "./backend.ts";
import { isToBlame, throughCircuit } from "./circuit-breaker.ts";

/** No model answers in less; to ask it would only cost its time. */
const leastMilliseconds = 1_000;

const busyRetrySeconds = 5;

/** Whether a call was given up by the caller, and not because its time was over. */
const wasLeft = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && !(reason instanceof DOMException && reason.name === "TimeoutError");

/** Carries out an exchange and notes for the request how long it took, and whether the server is to blame for its failure. */
const measure = async <Result>(
  { task }: TaskBackend,
  { backends }: RequestScope,
  signal: AbortSignal,
  exchange: () => Promise<Result>,
): Promise<Result> => {
  const startedAt = performance.now();
  const note = (hasFailed: boolean): void =>
    backends.noteCall(task, performance.now() - startedAt, hasFailed);
  try {
    const result = await exchange();
    note(false);
    return result;
  } catch (error) {
    note(!wasLeft(signal) && isToBlame(exchangeFailure(error)));
    throw error;
  }
};

/**
 * Carries out an exchange with a model's server for the current request: only while there is time for it, only while the
 * server is believed to be there, on the request's clock, and measured.
 *
 * @throws AppError `service_unavailable` or `external_service_error`, or another one that the exchange throws.
 */
export const callBackend = async <Result>(
  backend: TaskBackend,
  signal: AbortSignal,
  exchange: () => Promise<Result>,
): Promise<Result> => {
  const scope = requestScope();
  if (!scope) return throughCircuit(backend, signal, exchange);
  if (scope.modelUse === "none") scope.modelUse = "spared";
  const startedAt = performance.now();
  if (scope.endsAt - startedAt < leastMilliseconds) {
    throw unavailable("Too little time was left to ask the model; try again.", undefined, busyRetrySeconds);
  }
  try {
    return await throughCircuit(backend, signal, () => {
      scope.modelUse = "asked";
      return measure(backend, scope, signal, exchange);
    });
  } finally {
    scope.upstreamMilliseconds += performance.now() - startedAt;
  }
};
