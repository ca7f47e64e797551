import type { AppError } from "../../../platform/errors/app-error.ts";
import { BackendRefusal } from "../../../platform/outbound/failures.ts";
import {
  ContextLengthExceeded,
  ModelRefusal,
  notReady,
  saysLoading,
  unavailable,
  unusable,
} from "./backend.ts";
import { isPage, readWireWords, readWords, type ServerWords } from "./server-words.ts";

/** A response with the status of a failure. */
export interface FailedResponse {
  readonly statusCode: number;
  readonly body: string;
  /** What the server says about the next attempt. */
  readonly retryAfterSeconds?: number | undefined;
}

/** What must be known about a request to say whose fault its refusal is. */
export interface RefusedRequest {
  /** The parameters that were sent, under the server's names for them. */
  readonly sent: { readonly model?: string | undefined; readonly [name: string]: unknown };
  /** Whether the caller chose a parameter; by default the service did. */
  readonly isCallers?: ((name: string) => boolean) | undefined;
  /** Whether it contains a recording. */
  readonly hasAudio?: boolean | undefined;
}

const busyRetrySeconds = 5;

/** What servers say about a conversation or text that their model cannot hold. */
const tooLong = new RegExp(
  [
    "context_length_exceeded|exceed_context_size|context_window_exceeded|maximum context length|configured context size|max_seq_len|text limit",
    "context (?:length|size|window|limit)\\b.{0,80}\\b(?:exceed|only|not enough)",
    "(?:exceed|longer|greater|larger|overflow|reached|fit).{0,90}\\bcontext (?:length|size|window|limit)",
    "context.{0,12}overflow|n_keep.{0,20}n_ctx|range of input length|too large for model with",
    "(?:prompt|input|request|conversation)\\b.{0,40}\\b(?:is |are )?too (?:long|many tokens)|too many (?:input|prompt) tokens",
    "token count.{0,40}exceeds|exceeded model token limit|prompt exceeds max length",
    "(?:longer than|exceeds?) the (?:maximum )?(?:model|allowed input|maximum input|length limit)",
    "reduce the (?:length|number) of (?:tokens in )?the (?:messages|input|prompt|text)",
    "inputs`? tokens \\+|inputs`? must have less than|tokens in request more than",
  ].join("|"),
  "i",
);

/** How servers count what does not fit, the more exact ones first. */
const promptCounts = [
  /prompt contains (at least )?([\d,]+)/i,
  /\(?()([\d,]+) (?:tokens )?(?:in|from) (?:your |the )?(?:input )?(?:prompt|messages|input)/i,
  /resulted in ()([\d,]+) tokens/i,
  /(?:input|request|prompt|length|count|n_keep)s? (?:of )?\(()(?:length )?([\d,]+)(?: tokens)?\)/i,
  /(?:keep the first|passed|request has|prompt has|prompt is too long:|token count of|input length) ()([\d,]+)/i,
  /given: ()([\d,]+) `?inputs/i,
] as const;
/** The same of request and reply together. */
const totalCounts = [
  /requested (?:a total of |about )?([\d,]+) tokens/i,
  /requested: ([\d,]+)/i,
  /total of (?:at least )?([\d,]+) tokens/i,
] as const;
const contextCounts = [
  /context (?:length|size|window|limit)(?! by)\D{0,24}?([\d,]+)/i,
  /n_ctx \(([\d,]+)\)|too large for model with ([\d,]+)|input length should be \[\d+, ([\d,]+)\]/i,
  /(?:maximum model length of|limit of|token limit:|must be <=|allowed \(|allowed input length of|tokens >) ?([\d,]+)/i,
] as const;

const numberIn = (words: string, patterns: readonly RegExp[]): number | undefined => {
  for (const pattern of patterns) {
    const digits = pattern
      .exec(words)
      ?.slice(1)
      .findLast((group) => /\d/.test(group ?? ""));
    if (digits) return Number(digits.replaceAll(",", ""));
  }
  return undefined;
};

/** Counts that a server did not complete. */
const isPartial = (words: string): boolean => /at least [\d,]+ input tokens/i.test(words);

const contextExceeded = ({ message, promptTokens, contextTokens }: ServerWords, cause: BackendRefusal) =>
  new ContextLengthExceeded(
    {
      promptTokens: promptTokens ?? numberIn(message, promptCounts),
      totalTokens: numberIn(message, totalCounts),
      contextTokens: contextTokens ?? numberIn(message, contextCounts),
      isPartial: isPartial(message),
    },
    cause,
  );

const outOfCredit = /insufficient_quota|insufficient (?:credits?|balance|funds)|exceeded your current quota/i;
const unknownModel =
  /model_not_found|invalid_model|(?:no such|unsupported|unknown|invalid) model\b|\bmodel\b.{0,200}\b(?:does not exist|not found|is not (?:loaded|served|available))/is;
const contentPolicy =
  /content_filter|content_policy|ResponsibleAIPolicy|moderation|content (?:management )?policy|\bflagged\b|safety (?:system|policy|settings|filter)|PROHIBITED_CONTENT/i;
const rateLimit = /rate.?limit|too many requests|throttl|overloaded|slow ?down/i;

/** What servers say about recordings that they cannot read (OpenAI, vLLM, whisper.cpp, speaches). */
const unreadableAudio =
  /(?:audio|recording|file|media|wav|ffmpeg|soundfile)\b.{0,80}\b(?:corrupt|unsupported|invalid|damaged|empty|too short|conversion failed|not (?:be )?(?:supported|decoded|valid|read|opened|recogni[sz]ed))|(?:invalid|unsupported|corrupted?|unreadable|fail(?:ed|ure)? (?:to|in) (?:load|read|decode|open|process)(?:ing)?|(?:could|can) ?not (?:load|read|decode|open|process)|error (?:loading|opening|decoding|reading))\b.{0,40}\b(?:audio|recording|file|media|wav)|format not recogni[sz]ed|invalid data found|not support the format/i;

const voiceWords = /\bvoices?\b|\bspeakers?\b/i;
const unknownWords =
  /not found|unknown|invalid|unsupported|not supported|does not exist|must be|not available|should be|no such/i;

/** The words by which servers name what they refuse, the more specific ones first. */
const refusableParameters: readonly (readonly [name: string, words: RegExp])[] = [
  ["parallel_tool_calls", /parallel.?tool/i],
  ["tool_choice", /tool.?choice/i],
  ["tools", /\btools?\b|function.?call/i],
  ["response_format", /response.?format|json.?(schema|object|mode)|structured|guided|grammar/i],
  ["seed", /\bseed\b/i],
  ["presence_penalty", /presence.?penalty/i],
  ["frequency_penalty", /frequency.?penalty/i],
  ["repetition_penalty", /repetition.?penalty/i],
  ["reasoning_effort", /reasoning/i],
  ["top_k", /\btop_?k\b/i],
  ["min_p", /\bmin_?p\b/i],
  ["chat_template_kwargs", /chat.?template/i],
  ["enable_thinking", /enable.?thinking/i],
  ["top_p", /\btop_?p\b/i],
  ["temperature", /\btemperature\b/i],
  ["max_completion_tokens", /\bmax_(?:completion_)?tokens\b/i],
  ["max_tokens", /\bmax_(?:completion_|new_)?tokens\b|supports at most [\d,]+ .{0,12}tokens/i],
  ["stop", /\bstop\b.{0,3}(?:sequence|word|string|token|param)|[`'"]stop[`'"]/i],
  ["prompt", /\bprompt\b/i],
  ["messages", /\broles?\b|\b(?:system|first|last|assistant|user) messages?\b|\bmessages?\b.{0,40}\bmust\b/i],
];

/** Servers that lack a feature also report it with the status of a failure (llama.cpp): then their words decide. */
const saysUnable = /support|requires?\b|implement|enable/i;

/** Whether a status, or words with it, mean that the request was refused for what it is. */
const isRefusal = (status: number, words: string): boolean =>
  [400, 415, 422].includes(status) || ((status === 500 || status === 501) && saysUnable.test(words));

/** The refused parameter: the one that the server names, or of those it may mean rather one that the caller chose. */
const refusedParameter = (
  { message, param }: ServerWords,
  { sent, isCallers = () => false }: RefusedRequest,
): string | undefined => {
  const named = /^[a-z_]+/i.exec(param ?? "")?.[0];
  if (named !== undefined && named !== "model" && sent[named] !== undefined) return named;
  const meant = refusableParameters.flatMap(([name, pattern]) =>
    sent[name] !== undefined && pattern.test(message) ? [name] : [],
  );
  return meant.find(isCallers) ?? meant[0];
};

const parameterRefused = (name: string, request: RefusedRequest, cause: BackendRefusal): ModelRefusal => {
  if (request.isCallers?.(name)) {
    if (name === "messages") {
      const message =
        "The model does not accept the `messages` as sent, for example the order of their roles.";
      return new ModelRefusal("bad_request", { message, param: name, cause });
    }
    const message = `The model's server does not support \`${name}\` as sent.`;
    return new ModelRefusal("unsupported_parameter", { message, param: name, cause });
  }
  const message = `The model's server refused \`${name}\`, which this service chose.`;
  return new ModelRefusal("external_service_error", { message, cause });
};

const voiceRefused = ({ isCallers }: RefusedRequest, cause: BackendRefusal): ModelRefusal =>
  isCallers?.("voice")
    ? new ModelRefusal("invalid_speaker", {
        message: "The model behind this service does not have this voice.",
        param: "voice",
        cause,
      })
    : new ModelRefusal("external_service_error", {
        message: "The model behind this service does not have the voice that the service chose.",
        cause,
      });

/** A refusal of what the request is, if the server's words say which. */
const refusalIn = (
  status: number,
  words: ServerWords,
  request: RefusedRequest,
  cause: BackendRefusal,
): AppError | undefined => {
  const { message, codes, param } = words;
  const said = `${codes} ${message}`;
  if (contentPolicy.test(said)) return new ModelRefusal("content_policy_violation", { cause });
  if (request.hasAudio && (unreadableAudio.test(message) || status === 415))
    return new ModelRefusal("unreadable_audio", { cause });
  const isVoice = param === "voice" || (voiceWords.test(said) && unknownWords.test(message));
  if (request.sent["voice"] !== undefined && isVoice && status < 500) return voiceRefused(request, cause);
  if (!isRefusal(status, message)) return undefined;
  const name = refusedParameter(words, request);
  return name === undefined ? undefined : parameterRefused(name, request, cause);
};

/** What a failure amounts to: servers report lack of credit, and unknown models, with several statuses. */
const meaningOf = (status: number, { codes, message }: ServerWords): number => {
  const said = `${codes} ${message}`;
  if (outOfCredit.test(said)) return 402;
  return [400, 404, 422, 500].includes(status) && unknownModel.test(said) ? 404 : status;
};

const later = (ours: number, { retryAfterSeconds: theirs = 0 }: FailedResponse): number =>
  Math.max(ours, theirs);

const maybeLoading = "The model is not ready; it may be loading, which can take 2 to 3 minutes.";

const failureByStatus = (
  status: number,
  response: FailedResponse,
  words: string,
  cause: BackendRefusal,
): AppError => {
  if (saysLoading(words)) {
    const message = "The model is loading; this can take 2 to 3 minutes. Try again.";
    return notReady(message, { cause, retryAfterSeconds: later(30, response) });
  }
  if (status === 429) {
    const retryAfterSeconds = later(busyRetrySeconds, response);
    return notReady("The model is busy; try again shortly.", { cause, retryAfterSeconds });
  }
  if (status === 502 || status === 503)
    return notReady(maybeLoading, { cause, retryAfterSeconds: later(30, response) });
  // A gateway that waited in vain for its model: that may have been at work all the time.
  if (status === 504) return unavailable(maybeLoading, { cause, retryAfterSeconds: later(30, response) });
  if (status >= 500) return unusable("The model's server failed.", cause);
  return new ModelRefusal("external_service_error", { message: messageFor(status, words), cause });
};

const messageFor = (status: number, words: string): string => {
  if (status === 404 && /\bmodel\b/i.test(words))
    return "The model's server does not have the model that this service requests.";
  if (status === 404) return "The model's server has nothing at the address that this service calls.";
  if (status === 413) return "The model's server refused the request, because it is too large.";
  if (status >= 300 && status < 400) return "The model's server redirects elsewhere, which is not followed.";
  if (status === 400 || status === 422) return "The model's server refused the request.";
  return "The model's server failed.";
};

const failureWith = (response: FailedResponse, words: ServerWords, request: RefusedRequest): AppError => {
  const said = `${words.codes} ${words.message}`;
  const status = meaningOf(response.statusCode, words);
  const cause = new BackendRefusal(status, { model: request.sent.model, words: said.trim() });
  const isBusy = status === 429 || status === 402 || (rateLimit.test(words.codes) && status !== 400);
  const isText = !request.hasAudio && request.sent["voice"] === undefined;
  if (!isBusy && isText && (status === 413 || tooLong.test(said))) return contextExceeded(words, cause);
  return (
    (isBusy || saysLoading(said) ? undefined : refusalIn(status, words, request, cause)) ??
    failureByStatus(status, response, said, cause)
  );
};

/**
 * A response's status and words as one of our errors. The words reach the log, never the caller.
 *
 * A context that is too long, content that a policy forbids, a recording that cannot be read, and a voice or parameter that the caller
 * chose are 400. Anything else is 502, or 503 if another attempt may succeed.
 */
export const failureOf = (response: FailedResponse, request: RefusedRequest = { sent: {} }): AppError =>
  failureWith(response, readWords(response.body), request);

/** Codes and types of failures that come with status 200. */
const reportedStatuses: readonly (readonly [words: RegExp, status: number])[] = [
  [rateLimit, 429],
  [/context_length|invalid_request|BadRequest|content_filter/i, 400],
  [/not_found/i, 404],
  [/authentication|api_key/i, 401],
  [/server_error|internal|timeout|unavailable/i, 500],
];

/**
 * The failure that a response with status 200 reports in place of what was requested, or a page for people; `undefined` if it says
 * nothing that servers say.
 */
export const reportedFailure = (
  wire: unknown,
  request: RefusedRequest = { sent: {} },
): AppError | undefined => {
  // Any other text may be what a model wrote.
  if (typeof wire === "string" && !isPage(wire) && !saysLoading(wire)) return undefined;
  const words = readWireWords(wire);
  const isEmpty = words.message === "" && words.codes === "" && words.status === undefined;
  if (isEmpty && typeof wire !== "string") return undefined;
  const named = reportedStatuses.find(([pattern]) => pattern.test(words.codes))?.[1];
  const status = words.status ?? named;
  const failure = failureWith({ statusCode: status ?? 200, body: "" }, words, request);
  // Its server responds, so it is neither down nor loading.
  if (failure.status === 503 && (status ?? 0) >= 500 && !saysLoading(words.message))
    return unusable("The model's server failed.", failure.cause);
  // A failure that is no known refusal may have come after the model's work.
  const isUnknown = status === undefined && failure.code === "external_service_error";
  return isUnknown ? unusable(failure.message, failure.cause) : failure;
};
