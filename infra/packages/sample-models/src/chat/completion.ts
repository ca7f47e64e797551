import type { CompletionRequest } from "./completion-request.ts";
import { type Conversation, countTokens, messageText, readConversation, tokenise } from "./conversation.ts";
import { echo } from "./echo.ts";
import { fillSchema } from "./fill-schema.ts";
import { chooseCalls, type ToolCall } from "./tools.ts";
import { translationReply } from "./translation-replies.ts";

/** Token counts of one reply, in words, under OpenAI's names. */
export type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number };

/** The reply to a request, before it becomes one object or a stream. */
export type Completion = {
  /** Undefined where tools should be called. */
  readonly tokens: readonly string[];
  readonly calls: readonly ToolCall[];
  /** `length` when `max_tokens` cut the reply, `tool_calls` where tools should be called, `stop` otherwise. */
  readonly finishReason: "stop" | "length" | "tool_calls";
  readonly usage: Usage;
};

/** Replies to a request. The same request always gets the same reply, but for the ids of calls. */
export const complete = (request: CompletionRequest): Completion => {
  const conversation = readConversation(request.messages);
  const calls = chooseCalls(request, conversation);
  const promptTokens = request.messages.reduce((sum, message) => sum + countTokens(messageText(message)), 0);
  const usageOf = (completionTokens: number): Usage => ({
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  });
  if (calls.length > 0) {
    const spent = calls.reduce((sum, call) => sum + countTokens(call.arguments), 0);
    return { tokens: [], calls, finishReason: "tool_calls", usage: usageOf(spent) };
  }
  const { message, results } = conversation;
  const reply = (results.length === 0 ? translationReply(message) : undefined) ?? echo(conversation);
  const text = inForm(reply, conversation, request.response_format);
  const wholeReply = tokenise(cutAtStop(text, request.stop));
  const limit = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  const tokens = wholeReply.slice(0, limit);
  const finishReason = tokens.length < wholeReply.length ? "length" : "stop";
  return { tokens, calls, finishReason, usage: usageOf(tokens.length) };
};

/** The reply in the requested format: as JSON, where all texts are the reply in words. */
const inForm = (
  text: string,
  { message }: Conversation,
  format: CompletionRequest["response_format"],
): string => {
  if (format?.type === "json_schema") {
    return JSON.stringify(fillSchema(format.json_schema.schema ?? {}, { message, texts: [text] }));
  }
  return format?.type === "json_object" ? JSON.stringify({ answer: text }) : text;
};

/** The text up to the first of the stop strings, which is not part of the reply. */
const cutAtStop = (text: string, stop: CompletionRequest["stop"]): string => {
  const positions = [stop ?? []]
    .flat()
    .map((end) => text.indexOf(end))
    .filter((position) => position !== -1);
  return text.slice(
    0,
    positions.reduce((first, position) => Math.min(first, position), text.length),
  );
};
