import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleType } from "cockatiel";
import type { AppError } from "../../errors/app-error.ts";
import { dependencyFailure } from "../../errors/dependency-failure.ts";
import { BackendRefusal, BackendTimeout, BackendUnreachable } from "../../outbound/http-client.ts";
import { logger } from "../../telemetry/logger.ts";
import { requestScope } from "../../telemetry/request-scope.ts";
import { exchangeFailure, type TaskBackend, unavailable } from "./backend.ts";

/** Failures in a row after which a server is left alone. */
const failuresToOpen = 5;

/** How long it is left alone before one call may try again. */
const pauseSeconds = 10;

/** What the end of a call tells about its server. */
type Verdict = "there" | "unavailable" | "unknown";

const isSilence = (reason: unknown): boolean =>
  reason instanceof BackendTimeout ||
  reason instanceof BackendUnreachable ||
  (reason instanceof DOMException && reason.name === "TimeoutError");

/** Whether a failed exchange is the server's fault, and neither the caller's nor one of our own parts'. */
export const isToBlame = ({ code, cause }: AppError): boolean =>
  (code === "service_unavailable" || code === "external_service_error") && !dependencyFailure(cause);

/** A refusal or nonsense is a sign of life; a caller who left, or a failure of ours, tells nothing. */
const verdictOn = (failure: AppError, signal: AbortSignal): Verdict => {
  if (signal.aborted || !isToBlame(failure)) return "unknown";
  const { cause } = failure;
  if (isSilence(cause)) return "unavailable";
  return cause instanceof BackendRefusal && cause.status >= 500 ? "unavailable" : "there";
};

/** What the breaker counts; the error is told to the caller as it is. */
class Counted extends Error {
  readonly failure: AppError;

  constructor(failure: AppError) {
    super(failure.message, { cause: failure });
    this.failure = failure;
  }
}

const leftAlone = (): AppError =>
  unavailable(
    "The model's server has failed several times in a row and is left alone for a moment; try again shortly.",
    undefined,
    pauseSeconds,
  );

type Guard = <Result>(signal: AbortSignal, exchange: () => Promise<Result>) => Promise<Result>;

const createGuard = ({ baseUrl, task }: TaskBackend): Guard => {
  const breaker = circuitBreaker(handleType(Counted), {
    halfOpenAfter: pauseSeconds * 1_000,
    breaker: new ConsecutiveBreaker(failuresToOpen),
  });
  const { host } = new URL(baseUrl);
  breaker.onBreak(() => {
    logger.warn("circuit.opened", { backend: task, host, seconds: pauseSeconds });
    requestScope()?.backends.noteCircuitOpened(task);
  });
  breaker.onReset(() => logger.info("circuit.closed", { backend: task, host }));

  /** Gives the failures that are no fault of the server's as values: the breaker takes what is returned for success. */
  const attempt = async <Result>(signal: AbortSignal, exchange: () => Promise<Result>) => {
    const isTrial = breaker.state === CircuitState.HalfOpen;
    try {
      return { result: await exchange() };
    } catch (thrown) {
      const failure = exchangeFailure(thrown);
      const verdict = verdictOn(failure, signal);
      if (verdict === "there") return { failure };
      // A trial that proved nothing must not close the circuit.
      throw verdict === "unavailable" || isTrial ? new Counted(failure) : failure;
    }
  };

  return async (signal, exchange) => {
    // The library would let further callers wait for the one trial, which can take minutes.
    if (breaker.state === CircuitState.HalfOpen) throw leftAlone();
    try {
      const outcome = await breaker.execute(() => attempt(signal, exchange));
      if ("failure" in outcome) throw outcome.failure;
      return outcome.result;
    } catch (error) {
      if (error instanceof BrokenCircuitError) throw leftAlone();
      throw error instanceof Counted ? error.failure : error;
    }
  };
};

const guards = new WeakMap<TaskBackend, Guard>();

/**
 * Carries out an exchange with a model's server unless the server has been unavailable five times in a row: unreachable,
 * silent, or answering 5xx. Then nobody asks it for ten seconds, after which a single call tries whether it is back.
 * What the exchange resolves with counts as success, so a stream is one as soon as it has begun.
 *
 * Each backend has a circuit of its own, in each process.
 *
 * @throws AppError what the exchange throws, as {@link exchangeFailure} tells it; `service_unavailable` at once while the
 * server is left alone.
 */
export const throughCircuit = <Result>(
  backend: TaskBackend,
  signal: AbortSignal,
  exchange: () => Promise<Result>,
): Promise<Result> => {
  let guard = guards.get(backend);
  if (!guard) {
    guard = createGuard(backend);
    guards.set(backend, guard);
  }
  return guard(signal, exchange);
};
