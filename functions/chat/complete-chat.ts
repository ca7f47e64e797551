import type { ChatModels, ChatRequest } from "../../shared/inference/chat.ts";
import { newAnswerHead } from "./answer-head.ts";
import type { ChatCompletion } from "./contract.ts";

/**
 * Continues a conversation with a whole answer.
 *
 * @throws AppError as the models do.
 */
export const completeChat = async (
  request: ChatRequest,
  { models, signal }: { readonly models: ChatModels; readonly signal: AbortSignal },
): Promise<ChatCompletion> => {
  const head = newAnswerHead(request.model);
  const { text, finishReason, usage } = await models.answer(request, { signal });
  return {
    id: head.id,
    object: "chat.completion",
    created: head.created,
    model: head.model,
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: finishReason }],
    usage: usage ?? { prompt_tokens: null, completion_tokens: null, total_tokens: null },
  };
};
