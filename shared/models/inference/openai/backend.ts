import { findLanguage } from "../../../platform/catalogue/languages.ts";
import { AppError, type AppErrorOptions } from "../../../platform/errors/app-error.ts";
import { dependencyFailure } from "../../../platform/errors/dependency-failure.ts";
import {
  BackendOverdue,
  type BackendRefusal,
  BackendTimeout,
  BackendUnreachable,
} from "../../../platform/outbound/failures.ts";
import type { CallReport } from "../../health/model-calls.ts";
import type { ChatModelId } from "../chat.ts";
import type { ModelProfile } from "../profile-schema.ts";

/** A model, as its server knows it. */
export interface ServedModel {
  readonly name: string;
  /** What it expects. */
  readonly profile: ModelProfile;
}

/** A server of models. */
export interface Backend {
  /** What logs, metrics and `X-Model-Server` call it; by default its task. Servers of one task have different names. */
  readonly name?: string;
  /** With the `/v1` at its end, if it speaks the OpenAI HTTP API. */
  readonly baseUrl: string;
  /** `undefined` for servers that require none. */
  readonly apiKey: () => Promise<string | undefined>;
  /** How long it may stay silent. */
  readonly silenceMilliseconds: number;
  /** What counts its calls for operators. */
  readonly report?: CallReport | undefined;
  /** The task's model. */
  readonly model: ServedModel;
  /** The models of chat, where they differ. */
  readonly models?: ReadonlyMap<ChatModelId, ServedModel>;
  /** Among servers of one task, those with the lowest order are called first; by default 1. */
  readonly order?: number;
  /** Its share of the calls, among servers of the same order; by default 1. */
  readonly weight?: number;
}

/** The servers of a task, which replace each other. */
export type Backends = readonly [Backend, ...Backend[]];

/**
 * A refusal before the model started: it is loading or busy, or the server rejects the request. The caller does not
 * pay.
 */
export class ModelRefusal extends AppError {}

/** The model behind a server does not know the language of the request, which is a mistake of the set-up. */
export class UnknownLanguage extends ModelRefusal {
  constructor(code: string) {
    super("external_service_error", {
      message: `The model behind this service does not know ${findLanguage(code)?.name ?? code}.`,
    });
  }
}

/** The model behind a server does not distinguish speakers, and the request requires it. */
export class NoSpeakers extends ModelRefusal {
  constructor(cause?: BackendRefusal) {
    super("unsupported_parameter", {
      message: "The model behind this service does not distinguish speakers.",
      cause,
    });
  }
}

/** What a server counted of a request that its model cannot hold. */
export interface ContextCounts {
  readonly promptTokens: number | undefined;
  /** Of the prompt and the requested reply together. */
  readonly totalTokens: number | undefined;
  readonly contextTokens: number | undefined;
  /** Whether the server stopped counting the prompt. */
  readonly isPartial: boolean;
}

/** Frameworks recognise "maximum context length", and shorten the conversation. */
const tooLongText = ({ promptTokens, totalTokens, contextTokens }: ContextCounts): string => {
  if (contextTokens === undefined) return "it exceeds this model's maximum context length.";
  const limit = `this model's maximum context length is ${contextTokens} tokens.`;
  const leavesRoom = promptTokens === undefined || promptTokens <= contextTokens;
  if (leavesRoom && totalTokens !== undefined)
    return `${limit} However, the request needs ${totalTokens} tokens with its reply.`;
  return promptTokens === undefined ? limit : `${limit} However, the request has ${promptTokens} tokens.`;
};

/** A conversation or text that is too long for the model. Another server is not called. */
export class ContextLengthExceeded extends ModelRefusal {
  readonly counts: ContextCounts;

  constructor(counts: ContextCounts, cause: BackendRefusal) {
    super("context_length_exceeded", {
      message: `The request is too long: ${tooLongText(counts)}`,
      extra: {
        ...(counts.contextTokens === undefined ? {} : { context_tokens: counts.contextTokens }),
        ...(counts.promptTokens === undefined ? {} : { prompt_tokens: counts.promptTokens }),
      },
      cause,
    });
    this.counts = counts;
  }
}

/** How long to wait while a model is loading: a GPU's cold start takes 2 to 3 minutes. */
const loadingRetrySeconds = 30;

const unreachableRetrySeconds = 10;

type RetryOptions = Pick<AppErrorOptions, "cause" | "retryAfterSeconds">;

/** The model did not respond in time; the caller should try again. */
export const unavailable = (
  message: string,
  { cause, retryAfterSeconds = loadingRetrySeconds }: RetryOptions = {},
): AppError => new AppError("service_unavailable", { message, retryAfterSeconds, cause });

/** A server gets no calls, because its circuit is open. */
export class CircuitOpen extends AppError {
  constructor(retryAfterSeconds: number) {
    super("service_unavailable", {
      message:
        "The model's server has failed several times in a row and gets no requests for a few seconds; try again shortly.",
      retryAfterSeconds,
    });
  }
}

/** The model is loading or busy and has not started. */
export const notReady = (
  message: string,
  { cause, retryAfterSeconds = loadingRetrySeconds }: RetryOptions = {},
): ModelRefusal => new ModelRefusal("service_unavailable", { message, retryAfterSeconds, cause });

/** The model's server responded with something unusable. */
export const unusable = (message: string, cause?: unknown): AppError =>
  new AppError("external_service_error", { message, cause });

/** What servers say while a model is not ready (vLLM, llama.cpp, RunPod), with any status. */
const loadingWords =
  /loading model|model (is )?(still )?(loading|not (yet )?(ready|loaded)|unavailable)|downloading|service unavailable|(endpoint|worker)s? (is |are )?(not ready|starting)|no workers|cold start|initiali[sz]ing|IN_QUEUE|IN_PROGRESS|job failed to start/i;

/** Whether a server's own words mean that its model is not ready yet. */
export const saysLoading = (words: string): boolean => loadingWords.test(words);

/** The model took too long: the same request may fail again, a smaller one may succeed. */
const overdue = (cause: BackendOverdue): AppError =>
  unavailable(
    `The model did not finish within ${cause.milliseconds / 1_000} seconds. Send a smaller request, or try again.`,
    { cause },
  );

/** A failed exchange as one of our errors; those stay unchanged. */
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
  return unusable("The model's server returned no usable response.", thrown);
};
