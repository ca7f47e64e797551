import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../errors/app-error.ts";
import { BackendTimeout, BackendUnreachable, sendRequest } from "./http-client.ts";

/** A server that speaks the OpenAI HTTP API. */
export interface Backend {
  /** With the `/v1` at its end. */
  readonly baseUrl: string;
  /** Sent as a bearer token; `undefined` for servers that ask for none. */
  readonly apiKey: () => Promise<string | undefined>;
  /** How long it may stay silent. */
  readonly silenceMilliseconds: number;
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
  if (saysLoading(words))
    return unavailable("The model is loading; this can take 2 to 3 minutes. Try again.");
  if (status === 429) return unavailable("The model is busy; try again shortly.", undefined, 5);
  if (status === 502 || status === 503 || status === 504) {
    return unavailable("The model is not ready; it may be loading, which can take 2 to 3 minutes.");
  }
  return unusable(
    "The model's server failed.",
    new Error(`The model's server answered with status ${status}.`),
  );
};

/** A failed exchange as one of our errors; what is one already stays as it is. */
export const exchangeFailure = (thrown: unknown): AppError => {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof BackendTimeout || (thrown instanceof Error && thrown.name === "TimeoutError")) {
    return unavailable("The model timed out; it may be loading. Try again.", thrown);
  }
  if (thrown instanceof BackendUnreachable) {
    return unavailable("The model's server cannot be reached; try again shortly.", thrown, 10);
  }
  return unusable("The model's server gave no usable answer.", thrown);
};

const isWorthAnotherTry = (outcome: IncomingMessage | BackendUnreachable): boolean =>
  outcome instanceof BackendUnreachable || outcome.statusCode === 502 || outcome.statusCode === 503;

/** A pause before the second try, spread so that callers who failed together do not come back together. */
const pauseMilliseconds = (): number => 150 + Math.random() * 350;

/**
 * Posts JSON and resolves with the head of the answer, whatever its status.
 *
 * The one retry policy: one more try when the server could not be reached or answered 502 or 503, before any byte
 * of an answer was used.
 *
 * @param path below the base URL, such as `/chat/completions`.
 * @throws BackendTimeout, BackendUnreachable, or the signal's reason.
 */
export const postJson = async (
  backend: Backend,
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<IncomingMessage> => {
  const apiKey = await backend.apiKey();
  const once = () =>
    sendRequest({
      url: new URL(`${backend.baseUrl.replace(/\/+$/, "")}${path}`),
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(apiKey ? { Authorization: `Bearer ${apiKey}` } : {}),
      },
      body: JSON.stringify(body),
      silenceMilliseconds: backend.silenceMilliseconds,
      signal,
    });

  const first = await once().catch((error: unknown) => {
    if (error instanceof BackendUnreachable) return error;
    throw error;
  });
  if (!isWorthAnotherTry(first)) {
    if (first instanceof BackendUnreachable) throw first;
    return first;
  }
  if (!(first instanceof BackendUnreachable)) first.resume();
  await sleep(pauseMilliseconds(), undefined, { signal });
  return once();
};
