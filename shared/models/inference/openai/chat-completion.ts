import * as z from "zod";
import type { AppError } from "../../../platform/errors/app-error.ts";
import { BackendOverdue } from "../../../platform/outbound/failures.ts";
import { limitTime } from "../../../platform/outbound/timeouts.ts";
import type {
  ChatReply,
  ChatTool,
  EngineParameters,
  FinishReason,
  ReasoningEffort,
  ResponseFormat,
  TokenUsage,
  ToolCall,
} from "../chat.ts";
import { unusable } from "./backend.ts";
import { postJsonForWhole } from "./call-policy.ts";
import { failureOf, type RefusedRequest, reportedFailure } from "./refusals.ts";
import { newCallId } from "./streamed-calls.ts";
import type { ModelCall } from "./task-server.ts";
import { type ThoughtHabits, withoutThoughts } from "./thinking.ts";
import {
  isWithoutArguments,
  textOf,
  type WireCall,
  wireCalls,
  wireFinish,
  wireIndex,
} from "./wire-fields.ts";

/** A message as servers read it. */
export interface WireMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly name?: string | undefined;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** The request for a chat completion; names and meanings are those of the OpenAI API. */
export interface CompletionRequest extends EngineParameters {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly max_tokens?: number | undefined;
  /** The same for servers that call it so. */
  readonly max_completion_tokens?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly tools?: readonly { readonly type: "function"; readonly function: ChatTool }[] | undefined;
  readonly tool_choice?:
    | "auto"
    | "none"
    | "required"
    | { readonly type: "function"; readonly function: { readonly name: string } }
    | undefined;
  readonly parallel_tool_calls?: boolean | undefined;
  readonly response_format?:
    | { readonly type: "json_object" }
    | {
        readonly type: "json_schema";
        readonly json_schema: Omit<Extract<ResponseFormat, { type: "json_schema" }>, "type">;
      }
    | undefined;
  readonly seed?: number | undefined;
  readonly presence_penalty?: number | undefined;
  readonly frequency_penalty?: number | undefined;
  readonly reasoning_effort?: ReasoningEffort | undefined;
}

/** A request, and what must be known about its model to read its reply. */
export interface CompletionPlan extends ThoughtHabits {
  readonly request: CompletionRequest;
  /** See {@link RefusedRequest}. */
  readonly isCallers?: RefusedRequest["isCallers"];
  /** Whether an empty reply is returned; otherwise it is an error. */
  readonly mayBeEmpty?: boolean;
}

const count = z.int().min(0).nullish().catch(null);

/** Token counts as servers report them; invalid ones are treated as absent. */
export const wireUsage = z
  .object({ prompt_tokens: count, completion_tokens: count, total_tokens: count })
  .nullish()
  .catch(undefined)
  .transform((usage): TokenUsage | undefined =>
    usage
      ? {
          prompt_tokens: usage.prompt_tokens ?? null,
          completion_tokens: usage.completion_tokens ?? null,
          total_tokens: usage.total_tokens ?? null,
        }
      : undefined,
  );

/** Servers' names for the end of a failed reply (vLLM, OpenRouter). */
const brokenOff: readonly string[] = ["abort", "error"];

/** Servers' names for the end of a reply that is not complete (OpenAI, Anthropic, Mistral, Gemini), in lower case. */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "content_filter"],
  ["safety", "content_filter"],
  ["prohibited_content", "content_filter"],
  ["recitation", "content_filter"],
  ["tool_calls", "tool_calls"],
  ["function_call", "tool_calls"],
]);

/**
 * Why a reply ended. Servers have their own names for a complete one, such as `eos_token`.
 * @throws AppError `external_service_error` when the reply ended early.
 */
const readFinishReason = (word: string): FinishReason => {
  if (brokenOff.includes(word)) throw unusable("The model's server ended its response early.");
  return finishReasons.get(word.toLowerCase()) ?? "stop";
};

/** Why a reply ended that may contain calls: several servers only report that it ended. */
export const finishReasonOf = (word: string, hasCalls: boolean): FinishReason => {
  const reason = readFinishReason(word);
  if (reason === "stop" || reason === "tool_calls") return hasCalls ? "tool_calls" : "stop";
  return reason;
};

/** An unusable response as one of our errors: some servers report failures with status 200. */
export const failureIn = (response: unknown, cause?: unknown, request?: RefusedRequest): AppError =>
  reportedFailure(response, request) ?? unusable("The model's server returned no usable response.", cause);

/** @throws AppError `external_service_error` for anything but JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch (error) {
    throw reportedFailure(text) ?? unusable("The model's server did not return JSON.", error);
  }
};

/** The error for a reply that contains nothing for the caller. */
export const emptyReply = (finishReason: FinishReason): AppError =>
  unusable(
    finishReason === "length"
      ? "The model produced no reply within the token limit; raise `max_tokens`."
      : "The model returned an empty reply.",
  );

/** More than any model replies, whole or in the body of an error. */
export const maxResponseBytes = 4 * 1024 * 1024;

/** The one requested reply; others are ignored. */
export const firstChoice = <Choice extends { readonly index?: number | null | undefined }>(
  choices: readonly Choice[],
): Choice | undefined => choices.find(({ index }) => (index ?? 0) === 0);

const wireCompletion = z.object({
  choices: z
    .array(
      z.object({
        index: wireIndex,
        message: z.object({
          content: z.unknown().optional().transform(textOf),
          refusal: z.unknown().optional().transform(textOf),
          tool_calls: wireCalls,
        }),
        finish_reason: wireFinish,
      }),
    )
    .min(1),
  usage: wireUsage,
});

/** What must be known about a request to read its response. */
export interface ReadingOptions extends ThoughtHabits {
  /** Without tools, calls are ignored: the caller has nothing to be called. */
  readonly hasTools?: boolean | undefined;
  /** Their names, which show where a name that comes in pieces ends. */
  readonly toolNames?: readonly string[] | undefined;
  readonly mayBeEmpty?: boolean | undefined;
}

/** What has no name cannot be called. */
const calledBy = (calls: readonly WireCall[]): ToolCall[] =>
  calls
    .filter(({ name }) => name !== "")
    .map(({ id, name, arguments: text }) => ({
      id: id || newCallId(),
      name,
      arguments: isWithoutArguments(text) ? "{}" : text,
    }));

/** Reads the body of a completion with status 200. @throws AppError as {@link completeChat} does. */
export const parseCompletion = (
  body: string,
  { thinksFirst, hasTools = false, mayBeEmpty = false }: ReadingOptions,
): ChatReply => {
  const response = parseJson(body);
  const completion = wireCompletion.safeParse(response);
  const choice = firstChoice(completion.data?.choices ?? []);
  if (!completion.success || !choice) throw failureIn(response, completion.error);
  const { content, refusal, tool_calls } = choice.message;
  const toolCalls = hasTools ? calledBy(tool_calls) : [];
  const finishWord = choice.finish_reason;
  const finishReason = finishReasonOf(finishWord ?? "stop", toolCalls.length > 0);
  const isCut = finishReason === "length";
  const text = withoutThoughts(content, { thinksFirst, isCut }).trim() || refusal.trim();
  if (text === "" && toolCalls.length === 0 && finishReason !== "content_filter" && !mayBeEmpty)
    throw emptyReply(finishReason);
  const { usage } = completion.data;
  return { text, toolCalls: toolCalls.length > 0 ? toolCalls : undefined, finishReason, finishWord, usage };
};

/**
 * Requests a whole completion, within the time that the backend may stay silent: a server that drips bytes cannot
 * hold a request forever.
 * @throws AppError `service_unavailable` or `external_service_error` (specification, Translation, rules 4 and 5).
 */
export const completeChat = async (
  call: ModelCall,
  { request, thinksFirst, isCallers, mayBeEmpty }: CompletionPlan,
  signal: AbortSignal,
): Promise<ChatReply> => {
  const { silenceMilliseconds } = call;
  const limit = limitTime(silenceMilliseconds, signal, () => new BackendOverdue(silenceMilliseconds));
  try {
    const response = await postJsonForWhole(
      call,
      "/chat/completions",
      { ...request, stream: false },
      { signal: limit.signal, maxBytes: maxResponseBytes },
    );
    if (response.statusCode !== 200) throw failureOf(response, { sent: { ...request }, isCallers });
    return parseCompletion(response.body, {
      thinksFirst,
      hasTools: request.tools !== undefined,
      mayBeEmpty,
    });
  } finally {
    limit.lift();
  }
};
