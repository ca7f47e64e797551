import type { ChatRequest, TokenUsage, ToolCall } from "../../../shared/models/inference/chat.ts";
import { countTokens } from "../../../shared/platform/telemetry/use.ts";
import { type ChatOptions, newCompletionHead } from "../create-chat-completion.ts";
import type { V1ChatCompletion } from "./chat-completion.ts";

/** The token counts if the server reported all of them: OpenAI's clients do not accept null. */
export const wholeUsage = (usage: TokenUsage | undefined) => {
  const { prompt_tokens, completion_tokens, total_tokens } = usage ?? {};
  if (typeof prompt_tokens !== "number" || typeof completion_tokens !== "number") return undefined;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: total_tokens ?? prompt_tokens + completion_tokens,
  };
};

const wireCall = ({ id, name, arguments: text }: ToolCall) => ({
  id,
  type: "function" as const,
  function: { name, arguments: text },
});

/** Continues a conversation with a whole reply, or with calls of tools. @throws AppError as the models do. */
export const createV1ChatCompletion = async (
  request: ChatRequest,
  { models, signal }: ChatOptions,
): Promise<V1ChatCompletion> => {
  const head = newCompletionHead(request.model);
  const { text, toolCalls, finishReason, usage } = await models.reply(request, { signal });
  countTokens(usage);
  return {
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" ? null : text,
          refusal: null,
          ...(toolCalls ? { tool_calls: toolCalls.map(wireCall) } : {}),
        },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    usage: wholeUsage(usage),
  };
};
