import { AppError, type AppErrorOptions } from "../../../platform/errors/app-error.ts";
import { dependencyFailure } from "../../../platform/errors/dependency-failure.ts";
import {
  BackendOverdue,
  BackendRefusal,
  BackendTimeout,
  BackendUnreachable,
} from "../../../platform/outbound/failures.ts";

/** A server that speaks the OpenAI HTTP API. */
export interface Backend {
  /** With the `/v1` at its end. */
  readonly baseUrl: string;
  /** Sent as a bearer token; `undefined` for servers that ask for none. */
  readonly apiKey: () => Promise<string | undefined>;
  /** How long it may stay silent. */
  readonly silenceMilliseconds: number;
}

/**
 * A server's refusal before its model began to work: the model is loading or busy, or the request is none that the server
 * takes. Whoever asked does not pay for it.
 */
export class ModelRefusal extends AppError {}

/** When another try makes sense while a model is loading: GPUs take 2 to 3 minutes to start from nothing. */
const loadingRetrySeconds = 30;

const busyRetrySeconds = 5;
const unreachableRetrySeconds = 10;

/** The model did not answer in time; the caller should try again. */
export const unavailable = (
  message: string,
  {
    cause,
    retryAfterSeconds = loadingRetrySeconds,
  }: Pick<AppErrorOptions, "cause" | "retryAfterSeconds"> = {},
): AppError => new AppError("service_unavailable", { message, retryAfterSeconds, cause });

/** The model is loading or busy and has not begun to work. */
export const notReady = (
  message: string,
  {
    cause,
    retryAfterSeconds = loadingRetrySeconds,
  }: Pick<AppErrorOptions, "cause" | "retryAfterSeconds"> = {},
): ModelRefusal => new ModelRefusal("service_unavailable", { message, retryAfterSeconds, cause });

/** The model's server answered, but nothing that can be used. */
export const unusable = (message: string, cause?: unknown): AppError =>
  new AppError("external_service_error", { message, cause });

/** What servers say while a model is not ready (vLLM, llama.cpp, RunPod), whatever status they say it with. */
const loadingWords =
  /loading model|model (is )?(still )?(loading|not (yet )?(ready|loaded)|unavailable)|downloading|service unavailable|(endpoint|worker)s? (is |are )?(not ready|starting)|no workers|cold start|initiali[sz]ing|IN_QUEUE|IN_PROGRESS|job failed to start/i;

/** Whether a server's own words mean that its model is not ready yet. */
export const saysLoading = (words: string): boolean => loadingWords.test(words);

/**
 * An answer's status and words as one of our errors. To the log goes the status, with the model that was asked for, and
 * never the words.
 */
export const failureOf = (status: number, words: string, model?: string): AppError => {
  const cause = new BackendRefusal(status, model);
  if (saysLoading(words)) {
    return notReady("The model is loading; this can take 2 to 3 minutes. Try again.", { cause });
  }
  if (status === 429) {
    return notReady("The model is busy; try again shortly.", { cause, retryAfterSeconds: busyRetrySeconds });
  }
  const maybeLoading = "The model is not ready; it may be loading, which can take 2 to 3 minutes.";
  if (status === 502 || status === 503) return notReady(maybeLoading, { cause });
  // A gateway that waited in vain for its model: that may have been at work all the time.
  if (status === 504) return unavailable(maybeLoading, { cause });
  if (status >= 500) return unusable("The model's server failed.", cause);
  const message =
    status === 400 || status === 413
      ? "The model's server refused the request; it may be too long for the model."
      : "The model's server failed.";
  return new ModelRefusal("external_service_error", { message, cause });
};

/** What servers say when a conversation is too long may speak of anything that is in it. */
const saysTooLong =
  /context (length|window|size)|too long|maximum.{0,30}tokens|exceeds? the (limit|available)/i;

/** By which of their own words servers name what they refuse, the more particular ones first. */
const refusableParameters = [
  ["parallel_tool_calls", /parallel.?tool/i],
  ["tool_choice", /tool.?choice/i],
  ["tools", /\btools?\b|function.?call/i],
  ["response_format", /response.?format|json.?(schema|object|mode)|structured|guided|grammar/i],
  ["seed", /\bseed\b/i],
  ["presence_penalty", /presence.?penalty/i],
  ["frequency_penalty", /frequency.?penalty/i],
  ["reasoning_effort", /reasoning/i],
] as const satisfies readonly (readonly [name: string, words: RegExp])[];
type RefusableParameter = (typeof refusableParameters)[number][0];

/** Servers that cannot do a thing at all say so with the status of a failure, too (llama.cpp): then their words decide. */
const saysUnable = /support|requires?\b|implement|enable/i;

const isRefusal = (status: number, words: string): boolean =>
  status === 400 || status === 422 || ((status === 500 || status === 501) && saysUnable.test(words));

/**
 * An answer's status and words as one of our errors. What only some servers can do, and this one refuses by name, is the
 * caller's to leave out.
 */
export const refusalOf = (
  status: number,
  words: string,
  request: { readonly model: string } & { readonly [Name in RefusableParameter]?: unknown },
): AppError => {
  const refused =
    isRefusal(status, words) &&
    !saysTooLong.test(words) &&
    refusableParameters.find(([name, pattern]) => request[name] !== undefined && pattern.test(words));
  if (!refused) return failureOf(status, words, request.model);
  const [param] = refused;
  return new ModelRefusal("unsupported_parameter", {
    message: `The model's server does not carry out \`${param}\` as it was sent.`,
    param,
    cause: new BackendRefusal(status, request.model),
  });
};

/** The model needed longer than it may: another try at the same may end in the same way, a smaller one will not. */
const overdue = (cause: BackendOverdue): AppError =>
  unavailable(
    `The model did not finish within the ${cause.milliseconds / 1_000} seconds that it may take. ` +
      "Ask for less at a time, or try again.",
    { cause },
  );

/** A failed exchange as one of our errors; what is one already stays as it is. */
export const exchangeFailure = (thrown: unknown): AppError => {
  if (thrown instanceof AppError) return thrown;
  const failure = dependencyFailure(thrown);
  if (failure) return failure;
  if (thrown instanceof BackendOverdue) return overdue(thrown);
  if (thrown instanceof BackendTimeout || (thrown instanceof Error && thrown.name === "TimeoutError")) {
    return unavailable("The model timed out; it may be loading. Try again.", { cause: thrown });
  }
  if (thrown instanceof BackendUnreachable) {
    return unavailable("The connection to the model's server failed; try again shortly.", {
      cause: thrown,
      retryAfterSeconds: unreachableRetrySeconds,
    });
  }
  return unusable("The model's server gave no usable answer.", thrown);
};
