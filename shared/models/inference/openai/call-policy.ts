import type { IncomingMessage } from "node:http";
import type { AppError } from "../../../platform/errors/app-error.ts";
import { readBody, sendRequest } from "../../../platform/outbound/http-client.ts";
import { retryAfterOf, type WholeResponse } from "../../../platform/outbound/read-response.ts";
import { exchangeOverSocket } from "../../../platform/outbound/socket-exchange.ts";
import type { ModelTask } from "../../../platform/telemetry/backend-uses.ts";
import { describeError, logger } from "../../../platform/telemetry/logger.ts";
import { requestScope } from "../../../platform/telemetry/request-scope.ts";
import { type Backend, type Backends, CircuitOpen, exchangeFailure, unavailable } from "./backend.ts";
import { callOrder, isFollowed, rankServers } from "./choose-servers.ts";
import { outcomeOf, pauseSeconds } from "./circuit.ts";
import { type ModelCall, openTaskServer, type TaskServer } from "./task-server.ts";

/** No model replies in less time, so a call would be wasted. */
const minMilliseconds = 1_000;

/** The servers of one task's models, behind the policy by which all of them are called. */
export interface ModelServer {
  /**
   * Runs and measures an exchange for the current request, if there is time for it and a server's circuit is closed. Reports to the
   * request's scope whether a model started to work, and which server replied.
   *
   * A server that was unavailable five times in a row (unreachable, silent or with 5xx) gets no calls for ten seconds; then a single
   * call tests whether it is back. A model slower than its timeout counts, but not alone. A stream counts as a success as soon as it
   * has started.
   *
   * Of several servers, the next one is called when one fails before a part of its response has gone to the caller: each at most
   * once, and within the request's time. A timeout then opens the circuit at once, so that only one request waits for a server that
   * hangs.
   * @param canServe which of the servers can serve this request: one of them or more; by default all.
   * @param isPreferred which of these are called first.
   * @throws AppError `service_unavailable` or `external_service_error`, or another one that the exchange throws.
   */
  call<Result>(
    signal: AbortSignal,
    exchange: (call: ModelCall) => Promise<Result>,
    canServe?: (backend: Backend) => boolean,
    isPreferred?: (backend: Backend) => boolean,
  ): Promise<Result>;
}

const hasTime = (): boolean => {
  const scope = requestScope();
  return !scope || scope.endsAt - performance.now() >= minMilliseconds;
};

const requireTime = (): void => {
  if (hasTime()) return;
  throw unavailable("Too little time was left to call the model; try again.", { retryAfterSeconds: 5 });
};

/** Calls one server after another, until one replies or a failure is not followed by another call. */
const callInTurn = async <Result>(
  servers: readonly TaskServer[],
  task: ModelTask,
  signal: AbortSignal,
  exchange: (call: ModelCall) => Promise<Result>,
): Promise<Result> => {
  let failure: AppError | undefined;
  let hasStarted = false;
  const begin = (): void => {
    hasStarted = true;
  };
  for (const server of servers) {
    if (!hasTime()) break;
    const canReplace = (): boolean => servers.some((other) => other !== server && !other.isOpen());
    try {
      return await server.call(signal, exchange, { begin, canReplace });
    } catch (thrown) {
      const latest = exchangeFailure(thrown);
      if (latest instanceof CircuitOpen) continue;
      failure = latest;
      if (servers.length === 1 || hasStarted || signal.aborted || !isFollowed(latest)) break;
      const { name } = server;
      logger.warn("model.server_failed", {
        backend: task,
        server: name,
        reason: describeError(latest.cause),
      });
    }
  }
  throw failure ?? new CircuitOpen(pauseSeconds);
};

/** Measures a call to a task with several servers as one, even if it took several of them. */
const measureTask = async <Result>(
  task: ModelTask,
  signal: AbortSignal,
  call: () => Promise<Result>,
): Promise<Result> => {
  const startedAt = performance.now();
  const note = (hasFailed: boolean): void =>
    requestScope()?.backends.noteCall(task, performance.now() - startedAt, hasFailed);
  try {
    const result = await call();
    note(false);
    return result;
  } catch (thrown) {
    const failure = exchangeFailure(thrown);
    if (!(failure instanceof CircuitOpen)) note(outcomeOf(failure, true, signal).hasFailed);
    throw failure;
  }
};

/** Opens the servers of a task, which names it in logs and metrics. */
export const openModelServer = (backends: Backends, task: ModelTask): ModelServer => {
  const isOnly = backends.length === 1;
  const servers: TaskServer[] = backends.map((backend) => {
    const name = backend.name ?? task;
    const areOpen = (): boolean => servers.every((other) => other.name === name || other.isOpen());
    return openTaskServer(backend, task, { areOpen, metricName: isOnly ? task : `${task}_${name}` });
  });
  const ranks = rankServers(servers);
  return {
    call: async (signal, exchange, canServe = () => true, isPreferred = () => false) => {
      requireTime();
      const order = callOrder(ranks)
        .filter(({ backend }) => canServe(backend))
        .toSorted((one, other) => Number(isPreferred(other.backend)) - Number(isPreferred(one.backend)));
      const call = () => callInTurn(order, task, signal, exchange);
      return isOnly ? call() : measureTask(task, signal, call);
    },
  };
};

/** The body is serialised once, even when it is sent twice. */
const jsonRequest = (call: ModelCall, path: string, value: unknown, signal: AbortSignal) => {
  const body = JSON.stringify(value);
  call.noteSent(body);
  return {
    url: call.url(path),
    headers: { "Content-Type": "application/json", ...call.headers },
    body,
    signal,
  };
};

/** Reads a response whose head has come. @throws as `readBody` does. */
export const readWhole = async (response: IncomingMessage, maxBytes: number): Promise<WholeResponse> => ({
  statusCode: response.statusCode ?? 0,
  body: await readBody(response, maxBytes),
  retryAfterSeconds: retryAfterOf(response.headers["retry-after"]),
});

/**
 * Posts JSON and resolves with the head of the response, with any status. The caller limits the time.
 * @throws BackendUnreachable, or the signal's reason.
 */
export const postJson = (
  call: ModelCall,
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<IncomingMessage> => {
  const request = jsonRequest(call, path, body, signal);
  return call.send(
    (onSent) => sendRequest({ ...request, method: "POST", silenceMilliseconds: undefined, onSent }),
    signal,
  );
};

/**
 * Posts JSON and resolves with the whole response, with any status. The caller limits the time.
 * @throws BackendUnreachable, BackendRefusal, RangeError for a response that is too large, or the signal's reason.
 */
export const postJsonForWhole = (
  call: ModelCall,
  path: string,
  body: unknown,
  { signal, maxBytes }: { readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<WholeResponse> => {
  const request = jsonRequest(call, path, body, signal);
  return call.send((onSent) => exchangeOverSocket({ ...request, maxBytes, onSent }), signal);
};
