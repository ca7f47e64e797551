import { dependencyFailure } from "../../../platform/errors/dependency-failure.ts";
import { decodedCodings } from "../../../platform/outbound/decode-response.ts";
import { BackendRefusal, BackendUnreachable } from "../../../platform/outbound/failures.ts";
import { retry } from "../../../platform/outbound/retry.ts";
import type { ModelTask } from "../../../platform/telemetry/backend-uses.ts";
import { logger } from "../../../platform/telemetry/logger.ts";
import { requestScope } from "../../../platform/telemetry/request-scope.ts";
import { type Backend, CircuitOpen, exchangeFailure, unusable } from "./backend.ts";
import { type CallOutcome, Circuit, outcomeOf, pauseSeconds, succeeded } from "./circuit.ts";
import { excerptOf } from "./server-words.ts";

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
  /** The server that is called. */
  readonly backend: Backend;
  /** @param path below the base URL, such as `/chat/completions`. */
  url(path: string): URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as a bearer token in `headers`; `undefined` for servers that require none. */
  readonly key: string | undefined;
  readonly silenceMilliseconds: number;
  /** Takes the text of the request, of which the log must have nothing. */
  noteSent(text: string): void;
  /** Reports that a part of the response has gone to the caller: no other server may be called instead. */
  begin(): void;
  /**
   * Sends a request, and repeats it once if the server could not be reached or returned 408, 502 or 503. Where another server can
   * be called instead, it is only repeated if its connection had waited for too long.
   * @param request must call `onSent` when all of it was sent.
   * @throws what the last attempt throws, or the signal's reason.
   */
  send<Whole extends ResponseHead>(
    request: (onSent: () => void) => Promise<Whole>,
    signal: AbortSignal,
  ): Promise<Whole>;
}

/** What a server must know about the others of its task. */
export interface Substitutes {
  /** Whether none of them gets calls now. */
  areOpen(): boolean;
  /** What metrics call this server: its task if it is the only one. */
  readonly metricName: ModelTask | `${ModelTask}_${string}`;
}

/** What a server must know about a call. */
export interface CallOptions {
  /** See {@link ModelCall}. */
  readonly begin: () => void;
  /** Whether another server could be called now instead. */
  readonly canReplace: () => boolean;
}

/** A server of a task, with its circuit in this process. */
export interface TaskServer {
  /** What logs, metrics and responses call it. */
  readonly name: string;
  readonly backend: Backend;
  /** Whether it gets no calls now. */
  isOpen(): boolean;
  /**
   * Runs an exchange, if the server's circuit is closed.
   * @throws CircuitOpen, or another AppError, as the exchange does.
   */
  call<Result>(
    signal: AbortSignal,
    exchange: (call: ModelCall) => Promise<Result>,
    options: CallOptions,
  ): Promise<Result>;
}

const readHeaders = async ({ apiKey }: Backend): Promise<Pick<ModelCall, "key" | "headers">> => {
  try {
    const key = await apiKey();
    const traceparent = requestScope()?.span?.traceparent;
    const headers = {
      "Accept-Encoding": decodedCodings,
      ...(key ? { Authorization: `Bearer ${key}` } : {}),
      ...(traceparent ? { traceparent } : {}),
    };
    return { key, headers };
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

type ModelWork = ReturnType<typeof trackModelWork>;

const sendTwice = <Whole extends ResponseHead>(
  request: (onSent: () => void) => Promise<Whole>,
  work: ModelWork,
  { signal, canMoveOn }: { readonly signal: AbortSignal; readonly canMoveOn: boolean },
): Promise<Whole> =>
  retry(() => request(() => work.set(true)), {
    attempts: 2,
    isWorthRepeating: (outcome) =>
      outcome.status === "rejected"
        ? outcome.reason instanceof BackendUnreachable && (!canMoveOn || outcome.reason.hadWaited)
        : (canMoveOn ? [408] : [408, 502, 503]).includes(outcome.value.statusCode ?? 0),
    discard: (response) => {
      work.set(false);
      response.resume?.();
    },
    pauseMilliseconds: () => (canMoveOn ? 0 : retryPauseMilliseconds),
    signal,
  });

/** Measures a call for the request's scope. */
const noteCall = (
  metricName: Substitutes["metricName"],
  milliseconds: number,
  { hasFailed }: CallOutcome,
): void => {
  const scope = requestScope();
  if (!scope) return;
  scope.upstreamMilliseconds = (scope.upstreamMilliseconds ?? 0) + milliseconds;
  scope.backends.noteCall(metricName, milliseconds, hasFailed);
};

/** Statuses by which a server refuses our key, or has no credit left for it. */
const keyRefusals: readonly number[] = [401, 402, 403];

/** Logs what a server says about its refusal or failure. */
const logRefusal = (
  cause: unknown,
  {
    backend,
    server,
    sent,
  }: { readonly backend: ModelTask; readonly server: string; readonly sent: readonly string[] },
): void => {
  if (!(cause instanceof BackendRefusal)) return;
  const { status, words } = cause;
  if (words !== "") logger.warn("model.refused", { backend, server, status, words: excerptOf(words, sent) });
  // An alarm counts these lines.
  if (keyRefusals.includes(status)) logger.error("model.key_refused", { backend, server, status });
};

const openCircuit = (
  { name = "", baseUrl, report }: Backend,
  task: ModelTask,
  { areOpen, metricName }: Substitutes,
): Circuit => {
  const { host } = new URL(baseUrl);
  return new Circuit({
    onOpened: () => {
      logger.warn("circuit.opened", { backend: task, server: name, host, seconds: pauseSeconds });
      report?.circuitOpened();
      const backends = requestScope()?.backends;
      backends?.noteCircuitOpened(metricName);
      // Of several servers, this one was the last.
      if (metricName !== task && areOpen()) backends?.noteCircuitOpened(task);
    },
    onClosed: () => logger.info("circuit.closed", { backend: task, server: name, host }),
  });
};

/** Opens a server of a task. Each has its own circuit in each process. */
export const openTaskServer = (backend: Backend, task: ModelTask, substitutes: Substitutes): TaskServer => {
  const name = backend.name ?? task;
  const { silenceMilliseconds, report } = backend;
  const url = rememberedUrls(backend.baseUrl);
  const circuit = openCircuit({ ...backend, name }, task, substitutes);
  return {
    name,
    backend,
    isOpen: () => circuit.isOpen,
    call: async (signal, exchange, { begin, canReplace }) => {
      const { key, headers } = await readHeaders(backend);
      const endCall = circuit.enter();
      if (!endCall) throw new CircuitOpen(pauseSeconds);
      report?.begin();
      const work = trackModelWork();
      let sent = "";
      const startedAt = performance.now();
      const end = (outcome: CallOutcome): void => {
        const milliseconds = performance.now() - startedAt;
        report?.end(milliseconds, outcome.hasFailed);
        endCall(outcome.server, outcome.timedOut && canReplace());
        work.set(outcome.modelStarted);
        noteCall(substitutes.metricName, milliseconds, outcome);
      };
      try {
        const result = await exchange({
          backend,
          key,
          headers,
          silenceMilliseconds,
          url,
          begin,
          noteSent: (text) => {
            sent = text;
          },
          send: (request, requestSignal) =>
            sendTwice(request, work, { signal: requestSignal, canMoveOn: canReplace() }),
        });
        end(succeeded);
        requestScope()?.backends.noteServer(name);
        return result;
      } catch (thrown) {
        const failure = exchangeFailure(thrown);
        end(outcomeOf(failure, work.mayHaveStarted(), signal));
        logRefusal(failure.cause, { backend: task, server: name, sent: [sent, ...(key ? [key] : [])] });
        throw failure;
      }
    },
  };
};
