import * as z from "zod";

/** Tokens a language model counted for one request; a server may leave any of them out. */
export const tokenUsage = z
  .object({
    prompt_tokens: z.int().nullable(),
    completion_tokens: z.int().nullable(),
    total_tokens: z.int().nullable(),
  })
  .meta({ id: "TokenUsage" });
export type TokenUsage = z.infer<typeof tokenUsage>;

/** What a model is told when the caller gives no instruction of their own. */
export const defaultSystemMessage =
  "You are the assistant of the Language AI Service, at home in English and the languages of Uganda and its " +
  "neighbours. You translate accurately, explain and summarise, and answer in the language you are asked in.";

/** The models callers can choose, by the service's own names; the first is the default. */
export const chatModelIds = ["lang-14b", "lang-9b"] as const;
export type ChatModelId = (typeof chatModelIds)[number];

/** A turn of a conversation. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** A conversation to be continued. What is `undefined` is left to the model's server. */
export interface ChatRequest {
  readonly model: ChatModelId;
  readonly messages: readonly ChatMessage[];
  /** 0 to 2. */
  readonly temperature: number;
  /** Above 0 and at most 1. */
  readonly topP: number | undefined;
  readonly maximumTokens: number | undefined;
  /** Texts that end the answer and are no part of it; none of them is empty. */
  readonly stop: readonly string[] | undefined;
}

/** Why an answer ended: by itself, at the limit of tokens, or because a filter held the rest back. */
export type FinishReason = "stop" | "length" | "content_filter";

/** A whole answer. */
export interface ChatAnswer {
  /** Without what the model thought before it answered; trimmed, never empty. */
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage | undefined;
}

/** A piece of an answer on its way: texts, then one finish, then the token counts when the server reports them. */
export type ChatEvent =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "finish"; readonly finishReason: FinishReason }
  | { readonly type: "usage"; readonly usage: TokenUsage };

/**
 * An answer on its way, in groups of events that arrived together, so that they can leave together.
 *
 * An empty group says that the model is at work and has nothing to show yet. The model's server is read no faster
 * than groups are taken. Leaving the iteration, or aborting the request's signal, ends the exchange with it.
 */
export type ChatStream = AsyncIterable<readonly ChatEvent[]>;

/** Continues conversations. */
export interface ChatModels {
  /**
   * @throws AppError `service_unavailable` while the model is loading, busy or silent; `external_service_error`
   * when its answer is empty or no answer at all.
   */
  answer(request: ChatRequest, options: { readonly signal: AbortSignal }): Promise<ChatAnswer>;

  /**
   * Resolves when the model has begun to answer. A stream without an error is a whole answer: it has text and ends
   * with a finish.
   *
   * @throws AppError as `answer` does; what goes wrong after the beginning is thrown by the iteration.
   */
  streamAnswer(request: ChatRequest, options: { readonly signal: AbortSignal }): Promise<ChatStream>;
}

/** The most characters of a conversation, all its messages together. */
export const longestConversation = 200_000;

/** Whether the messages of a conversation are short enough in all, counted as zod counts: by code points. */
export const fitsConversation = (messages: readonly { readonly content: string }[]): boolean => {
  let characters = 0;
  for (const { content } of messages) for (const _ of content) characters += 1;
  return characters <= longestConversation;
};

/** How a conversation that is too long is refused. */
export const conversationTooLong = {
  error: "Value error, the messages have more than 200,000 characters in all",
  params: { type: "value_error" },
};
