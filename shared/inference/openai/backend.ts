import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../errors/app-error.ts";
import { dependencyFailure } from "../../errors/dependency-failure.ts";
import {
  BackendRefusal,
  BackendTimeout,
  BackendUnreachable,
  sendRequest,
} from "../../outbound/http-client.ts";
import type { ModelTask } from "../../telemetry/backend-uses.ts";
import { requestScope } from "../../telemetry/request-scope.ts";

/** A server that speaks the OpenAI HTTP API. */
export interface Backend {
  /** With the `/v1` at its end. */
  readonly baseUrl: string;
  /** Sent as a bearer token; `undefined` for servers that ask for none. */
  readonly apiKey: () => Promise<string | undefined>;
  /** How long it may stay silent. */
  readonly silenceMilliseconds: number;
}

/** A server as one task's, whose name it has in logs and metrics. */
export interface TaskBackend extends Backend {
  readonly task: ModelTask;
}

/** When another try makes sense while a model is loading: GPUs take 2 to 3 minutes to start from nothing. */
const loadingRetrySeconds = 30;

/** The model cannot answer now; the caller should try again. */
export const unavailable = (
  message: string,
  cause?: unknown,
  retryAfterSeconds = loadingRetrySeconds,
): AppError => new AppError("service_unavailable", { message, retryAfterSeconds, cause });

/** The model's server answered, but nothing that can be used. */
export const unusable = (message: string, cause?: unknown): AppError =>
  new AppError("external_service_error", { message, cause });

/** What servers say while a model is not ready (vLLM, llama.cpp, RunPod), whatever status they say it with. */
const loadingWords =
  /loading model|model (is )?(still )?(loading|not (yet )?(ready|loaded)|unavailable)|downloading|service unavailable|(endpoint|worker)s? (is |are )?(not ready|starting)|no workers|cold start|initiali[sz]ing|IN_QUEUE|IN_PROGRESS|job failed to start/i;

/** Whether a server's own words mean that its model is not ready yet. */
export const saysLoading = (words: string): boolean => loadingWords.test(words);

/** An answer's status and words as one of our errors. The words go to the log only, as far as a status goes. */
export const failureOf = (status: number, words: string): AppError => {
  const refusal = new BackendRefusal(status);
  if (saysLoading(words))
    return unavailable("The model is loading; this can take 2 to 3 minutes. Try again.", refusal);
  if (status === 429) return unavailable("The model is busy; try again shortly.", refusal, 5);
  if (status === 502 || status === 503 || status === 504) {
    return unavailable("The model is not ready; it may be loading, which can take 2 to 3 minutes.", refusal);
  }
  return unusable(
    status === 400 || status === 413
      ? "The model's server refused the request; it may be too long for the model."
      : "The model's server failed.",
    refusal,
  );
};

/** A failed exchange as one of our errors; what is one already stays as it is. */
export const exchangeFailure = (thrown: unknown): AppError => {
  if (thrown instanceof AppError) return thrown;
  const failure = dependencyFailure(thrown);
  if (failure) return failure;
  if (thrown instanceof BackendTimeout || (thrown instanceof Error && thrown.name === "TimeoutError")) {
    return unavailable("The model timed out; it may be loading. Try again.", thrown);
  }
  if (thrown instanceof BackendUnreachable) {
    return unavailable("The connection to the model's server failed; try again shortly.", thrown, 10);
  }
  return unusable("The model's server gave no usable answer.", thrown);
};

/** The head of an answer, as far as it decides about another try. */
interface AnswerHead {
  readonly statusCode?: number | undefined;
  /** Reads and drops the body, where it is still to be read. */
  resume?(): unknown;
}

const isWorthAnotherTry = (outcome: AnswerHead | BackendUnreachable): boolean =>
  outcome instanceof BackendUnreachable || outcome.statusCode === 502 || outcome.statusCode === 503;

/** A pause before the second try, spread so that callers who failed together do not come back together. */
const pauseMilliseconds = (): number => 150 + Math.random() * 350;

/**
 * The one retry policy: one more try when the server could not be reached or answered 502 or 503, before any byte
 * of an answer was used.
 *
 * @throws what the last try throws, or the signal's reason.
 */
export const tryTwice = async <Answer extends AnswerHead>(
  once: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> => {
  const first = await once().catch((error: unknown) => {
    if (error instanceof BackendUnreachable) return error;
    throw error;
  });
  if (!isWorthAnotherTry(first)) {
    if (first instanceof BackendUnreachable) throw first;
    return first;
  }
  if (!(first instanceof BackendUnreachable)) first.resume?.();
  // The pause rejects with an error of its own, behind which a time-out could not be seen.
  await sleep(pauseMilliseconds(), undefined, { signal }).catch(() => signal.throwIfAborted());
  return once();
};

/**
 * The address of an endpoint, and the headers with which it is asked.
 *
 * @param path below the base URL, such as `/chat/completions`.
 */
export const endpointOf = async (
  { baseUrl, apiKey }: Backend,
  path: string,
): Promise<{ url: URL; headers: Record<string, string> }> => {
  const key = await apiKey();
  const traceparent = requestScope()?.traceparent;
  return {
    url: new URL(`${baseUrl.replace(/\/+$/, "")}${path}`),
    headers: {
      ...(key ? { Authorization: `Bearer ${key}` } : {}),
      ...(traceparent ? { traceparent } : {}),
    },
  };
};

/**
 * Posts JSON and resolves with the head of the answer, whatever its status.
 *
 * @throws BackendTimeout, BackendUnreachable, or the signal's reason.
 */
export const postJson = async (
  backend: Backend,
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<IncomingMessage> => {
  const { url, headers } = await endpointOf(backend, path);
  const once = () =>
    sendRequest({
      url,
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
      silenceMilliseconds: backend.silenceMilliseconds,
      signal,
    });
  return tryTwice(once, signal);
};
