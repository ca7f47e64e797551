import * as z from "zod";
import type { Source } from "../../platform/outbound/source.ts";

/** Tokens a language model counted for one request; a server may leave any of them out. */
export const tokenUsage = z
  .object({
    prompt_tokens: z
      .int()
      .nullable()
      .meta({ example: 44, description: "Tokens of the input; null when unknown" }),
    completion_tokens: z
      .int()
      .nullable()
      .meta({ example: 9, description: "Tokens of the reply; null when unknown" }),
    total_tokens: z.int().nullable().meta({ example: 53, description: "The sum of both; null when unknown" }),
  })
  .meta({ id: "TokenUsage", description: "Token counts, as the model's server reports them" });
export type TokenUsage = z.infer<typeof tokenUsage>;

/** The instruction for the model when the caller sends none. */
export const defaultSystemMessage =
  "You are the assistant of the Language AI Service, at home in English and the languages of Uganda and its " +
  "neighbours. You translate accurately, explain and summarise, and answer in the language you are asked in.";

/** How much the choice of words varies, when the caller does not say. */
export const defaultTemperature = 0.3;

/** The models callers can choose, by the service's own names; the first is the default. */
export const chatModelIds = ["lang-14b", "lang-9b"] as const;
export type ChatModelId = (typeof chatModelIds)[number];

/** A model's call of one of the caller's functions. */
export interface ToolCall {
  /** The id for its result. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote them: JSON, unless it made a mistake. */
  readonly arguments: string;
}

/** A turn of a conversation without tool calls. */
export interface TextMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string; readonly name?: string | undefined }
  | {
      readonly role: "assistant";
      /** Empty when the turn consists of calls only. */
      readonly content: string;
      readonly name?: string | undefined;
      readonly toolCalls?: readonly ToolCall[] | undefined;
    }
  | { readonly role: "tool"; readonly content: string; readonly toolCallId: string };

/** A JSON Schema, which is not interpreted here. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** A function of the caller's that the model may call. */
export interface ChatTool {
  readonly name: string;
  readonly description: string | undefined;
  /** The schema of its arguments. */
  readonly parameters: JsonSchema | undefined;
  /** Whether the arguments must match the schema exactly. */
  readonly strict: boolean | undefined;
}

/** Whether the model calls tools: as it likes, never, at least one, or the named one. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

/** A response format other than free text. */
export type ResponseFormat =
  | { readonly type: "json_object" }
  | {
      readonly type: "json_schema";
      readonly name: string;
      readonly description: string | undefined;
      readonly schema: JsonSchema | undefined;
      readonly strict: boolean | undefined;
    };

/** How much a model thinks before it replies, for models with that setting. */
export const reasoningEfforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** What engines such as vLLM know beyond the OpenAI API. A profile says which of it a model's server knows. */
export const engineParameters = [
  "chat_template_kwargs",
  "enable_thinking",
  "min_p",
  "repetition_penalty",
  "top_k",
] as const;
export type EngineParameters = Readonly<Partial<Record<(typeof engineParameters)[number], unknown>>>;

/** A conversation to be continued. What is `undefined` is left to the model's server. */
export interface ChatRequest {
  readonly model: ChatModelId;
  readonly messages: readonly ChatMessage[];
  /** 0 to 2. */
  readonly temperature: number;
  /** Above 0 and at most 1. */
  readonly topP: number | undefined;
  readonly maxTokens: number | undefined;
  /** Texts that end the reply and are not part of it; none of them is empty. */
  readonly stop: readonly string[] | undefined;
  /** At least one; without any the reply has no calls. */
  readonly tools?: readonly ChatTool[] | undefined;
  /** Only where there are tools. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Whether one reply may have several calls; only with tools. */
  readonly parallelToolCalls?: boolean | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  readonly seed?: number | undefined;
  /** -2 to 2, like `frequencyPenalty`. */
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly reasoningEffort?: ReasoningEffort | undefined;
  readonly engine?: EngineParameters | undefined;
}

/** Why a reply ended: complete, to have tools called, at the token limit, or because a filter withheld the rest. */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter";

export interface ChatReply {
  /** Without the model's thoughts; trimmed, and empty only when there are calls or a filter withheld everything. */
  readonly text: string;
  /** At least one; absent when the model calls nothing. */
  readonly toolCalls?: readonly ToolCall[] | undefined;
  readonly finishReason: FinishReason;
  /** The server's own word for the reason of its end, such as `eos_token`; absent when it sends none. */
  readonly finishWord?: string | undefined;
  readonly usage: TokenUsage | undefined;
}

/**
 * A piece of a streamed reply: texts and calls, then one finish, then the token counts when the server reports them.
 * The first piece of a call has its id and name, the following ones more of its arguments.
 */
export type ChatEvent =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "tool-call"; readonly index: number; readonly call: ToolCall }
  | { readonly type: "tool-call-delta"; readonly index: number; readonly arguments: string }
  | { readonly type: "finish"; readonly finishReason: FinishReason }
  | { readonly type: "usage"; readonly usage: TokenUsage };

/**
 * A streamed reply, in groups of events that arrived together, to be sent together. An empty group means that the
 * model is working and has nothing to show yet. The server is not read while the stream is paused. Stopping it, or
 * aborting the request's signal, ends the exchange. A failure after the start is reported at its end.
 */
export type ChatStream = Source<readonly ChatEvent[]>;

export interface ChatModels {
  /**
   * @throws AppError `service_unavailable` while the model is loading, busy or silent; `external_service_error` when
   * its reply is empty or unusable; `unsupported_parameter` when its server refuses an optional feature, or does not know one
   * by its profile.
   */
  reply(request: ChatRequest, options: { readonly signal: AbortSignal }): Promise<ChatReply>;

  /**
   * Resolves when the model has started to reply. A stream without an error ends with a finish, after text or calls unless a filter
   * withheld everything.
   * @throws AppError as `reply` does, for failures before the start.
   */
  streamReply(request: ChatRequest, options: { readonly signal: AbortSignal }): Promise<ChatStream>;
}

/** The maximum length of a conversation, in characters. */
export const maxConversationCharacters = 200_000;

/**
 * Whether all that a model reads of a request is short enough, counted like zod: by code points.
 *
 * @param rest anything else that models read, such as tools and schemas: all its texts and names count.
 */
export const fitsConversation = (
  messages: readonly { readonly content: string }[],
  rest?: unknown,
): boolean => {
  let characters = 0;
  // Without recursion: a schema that is too deep may not have been refused yet.
  const pending: unknown[] = [rest, ...messages.map(({ content }) => content)];
  while (pending.length > 0 && characters <= maxConversationCharacters) {
    const value = pending.pop();
    if (typeof value === "string") for (const _ of value) characters += 1;
    else if (Array.isArray(value)) for (const entry of value) pending.push(entry);
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) pending.push(name, member);
    }
  }
  return characters <= maxConversationCharacters;
};

/** The error for a conversation that is too long. */
export const conversationTooLong = {
  error: "Value error, the messages have more than 200,000 characters in total",
  params: { type: "value_error" },
};

/** The same where tools and schemas count as well. @param field the one that the error names. */
export const requestTooLong = (field: "messages" | "input") => ({
  error: `Value error, the ${field}, tools and schemas have more than 200,000 characters in total`,
  params: { type: "value_error" },
  path: [field],
});
