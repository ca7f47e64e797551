import type { IncomingMessage } from "node:http";
import { dependencyFailure } from "../../../platform/errors/dependency-failure.ts";
import { BackendUnreachable } from "../../../platform/outbound/failures.ts";
import { sendRequest } from "../../../platform/outbound/http-client.ts";
import type { WholeResponse } from "../../../platform/outbound/read-response.ts";
import { retry } from "../../../platform/outbound/retry.ts";
import { exchangeOverSocket } from "../../../platform/outbound/socket-exchange.ts";
import type { ModelTask } from "../../../platform/telemetry/backend-uses.ts";
import { logger } from "../../../platform/telemetry/logger.ts";
import { requestScope } from "../../../platform/telemetry/request-scope.ts";
import { type Backend, exchangeFailure, unavailable, unusable } from "./backend.ts";
import { type CallOutcome, Circuit, outcomeOf, pauseSeconds, succeeded } from "./circuit.ts";

/** No model replies in less time, so a call would be wasted. */
const minMilliseconds = 1_000;

/** Before the second attempt, and at random up to as long again. */
const retryPauseMilliseconds = 200;

/** The part of a response's head that decides about another attempt. */
interface ResponseHead {
  readonly statusCode?: number | undefined;
  /** Reads and drops the body, where it is still to be read. */
  resume?(): unknown;
}

/** One call to a server, of one request or more. */
export interface ModelCall {
  /** @param path below the base URL, such as `/chat/completions`. */
  url(path: string): URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly silenceMilliseconds: number;
  /**
   * Sends a request, and repeats it once if the server could not be reached or returned 408, 502 or 503.
   * @param request must call `onSent` when all of it was sent.
   * @throws what the last attempt throws, or the signal's reason.
   */
  send<Whole extends ResponseHead>(
    request: (onSent: () => void) => Promise<Whole>,
    signal: AbortSignal,
  ): Promise<Whole>;
}

/** The server of one task's models, behind the policy by which all of them are called. */
export interface ModelServer {
  /**
   * Runs and measures an exchange for the current request, if there is time for it and the server's circuit is
   * closed. Reports to the request's scope whether a model started to work.
   *
   * A server that was unavailable five times in a row (unreachable, silent or with 5xx) gets no calls for ten
   * seconds; then a single call tests whether it is back. A model slower than its timeout counts, but not alone. A
   * stream counts as a success as soon as it has started.
   * @throws AppError `service_unavailable` or `external_service_error`, or another one that the exchange throws.
   */
  call<Result>(signal: AbortSignal, exchange: (call: ModelCall) => Promise<Result>): Promise<Result>;
}

const requireTime = (): void => {
  const scope = requestScope();
  if (scope && scope.endsAt - performance.now() < minMilliseconds) {
    throw unavailable("Too little time was left to call the model; try again.", { retryAfterSeconds: 5 });
  }
};

const readHeaders = async ({ apiKey }: Backend): Promise<Record<string, string>> => {
  try {
    const key = await apiKey();
    const traceparent = requestScope()?.span?.traceparent;
    return {
      ...(key ? { Authorization: `Bearer ${key}` } : {}),
      ...(traceparent ? { traceparent } : {}),
    };
  } catch (error) {
    throw dependencyFailure(error) ?? unusable("The key of the model's server could not be read.", error);
  }
};

/** The addresses below a base URL, each parsed once. */
const rememberedUrls = (baseUrl: string): ModelCall["url"] => {
  const urls = new Map<string, URL>();
  return (path) => {
    const known = urls.get(path);
    if (known) return known;
    const url = new URL(baseUrl);
    // The base URL's query, such as an API version, stays after the path.
    url.pathname = url.pathname.replace(/\/+$/, "") + path;
    urls.set(path, url);
    return url;
  };
};

/** Opens the server of a task, which names it in logs and metrics. Each has its own circuit in each process. */
export const openModelServer = (backend: Backend, task: ModelTask): ModelServer => {
  const { host } = new URL(backend.baseUrl);
  const url = rememberedUrls(backend.baseUrl);
  const circuit = new Circuit({
    onOpened: () => {
      logger.warn("circuit.opened", { backend: task, host, seconds: pauseSeconds });
      requestScope()?.backends.noteCircuitOpened(task);
      backend.report?.circuitOpened();
    },
    onClosed: () => logger.info("circuit.closed", { backend: task, host }),
  });

  return {
    call: async (signal, exchange) => {
      requireTime();
      const headers = await readHeaders(backend);
      const endCall = circuit.enter();
      if (!endCall) {
        throw unavailable(
          "The model's server has failed several times in a row and gets no requests for a few seconds; try again shortly.",
          { retryAfterSeconds: pauseSeconds },
        );
      }
      backend.report?.begin();
      const work = trackModelWork();
      const startedAt = performance.now();
      const end = ({ modelStarted, server, hasFailed }: CallOutcome): void => {
        const milliseconds = performance.now() - startedAt;
        backend.report?.end(milliseconds, hasFailed);
        endCall(server);
        work.set(modelStarted);
        const scope = requestScope();
        if (!scope) return;
        scope.upstreamMilliseconds = (scope.upstreamMilliseconds ?? 0) + milliseconds;
        scope.backends.noteCall(task, milliseconds, hasFailed);
      };
      try {
        const result = await exchange({
          headers,
          silenceMilliseconds: backend.silenceMilliseconds,
          url,
          send: (request, requestSignal) => sendTwice(request, work, requestSignal),
        });
        end(succeeded);
        return result;
      } catch (thrown) {
        const failure = exchangeFailure(thrown);
        end(outcomeOf(failure, work.mayHaveStarted(), signal));
        throw failure;
      }
    },
  };
};

/** Reports to the request's scope whether a model is, or may be, working for this call. */
const trackModelWork = () => {
  const scope = requestScope();
  let hasStarted = false;
  return {
    mayHaveStarted: (): boolean => hasStarted,
    set: (started: boolean): void => {
      if (scope && started !== hasStarted) scope.modelCallsStarted += started ? 1 : -1;
      hasStarted = started;
    },
  };
};

const sendTwice = <Whole extends ResponseHead>(
  request: (onSent: () => void) => Promise<Whole>,
  work: ReturnType<typeof trackModelWork>,
  signal: AbortSignal,
): Promise<Whole> =>
  retry(() => request(() => work.set(true)), {
    attempts: 2,
    isWorthRepeating: (outcome) =>
      outcome.status === "rejected"
        ? outcome.reason instanceof BackendUnreachable
        : [408, 502, 503].includes(outcome.value.statusCode ?? 0),
    discard: (response) => {
      work.set(false);
      response.resume?.();
    },
    pauseMilliseconds: () => retryPauseMilliseconds,
    signal,
  });

/** The body is serialised once, even when it is sent twice. */
const jsonRequest = ({ url, headers }: ModelCall, path: string, body: unknown, signal: AbortSignal) => ({
  url: url(path),
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
  signal,
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
