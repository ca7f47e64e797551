import { requestScope } from "../../telemetry/request-scope.ts";
import { type Backend, unavailable } from "./backend.ts";
import { throughCircuit } from "./circuit-breaker.ts";

/** No model answers in less; to ask it would only cost its time. */
const leastMilliseconds = 1_000;

const busyRetrySeconds = 5;

/**
 * Carries out an exchange with a model's server for the current request: only while there is time for it, only while the
 * server is believed to be there, and on the request's clock.
 *
 * @throws AppError `service_unavailable` or `external_service_error`, or another one that the exchange throws.
 */
export const callBackend = async <Result>(
  backend: Backend,
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
      return exchange();
    });
  } finally {
    scope.upstreamMilliseconds += performance.now() - startedAt;
  }
};
