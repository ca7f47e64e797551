import { AppError } from "../../shared/errors/app-error.ts";
import { type ChatModelId, type ChatRequest, chatModelIds } from "../../shared/inference/chat.ts";
import { defaultSystemMessage } from "../../shared/inference/system-message.ts";
import type { ChatCompletionRequest } from "./contract.ts";

const findModel = (id: string): ChatModelId => {
  const model = chatModelIds.find((known) => known === id);
  if (model) return model;
  throw new AppError("unknown_model", {
    message: `There is no such model. Supported models: ${chatModelIds.join(", ")}.`,
    param: "model",
    extra: { supported_models: chatModelIds },
  });
};

const stopTexts = (stop: ChatCompletionRequest["stop"]): string[] | undefined => {
  // An empty text would end every answer before it begins; most servers refuse it.
  const texts = [stop ?? []].flat().filter((text) => text !== "");
  return texts.length > 0 ? texts : undefined;
};

/**
 * What the models are asked for. A conversation without an instruction of the caller's own gets the service's.
 *
 * @throws AppError `unknown_model` with the list of models.
 */
export const readChatRequest = (request: ChatCompletionRequest): ChatRequest => ({
  model: findModel(request.model),
  messages: request.messages.some(({ role }) => role === "system")
    ? request.messages
    : [{ role: "system", content: defaultSystemMessage }, ...request.messages],
  temperature: request.temperature,
  topP: request.top_p ?? undefined,
  maximumTokens: request.max_tokens ?? request.max_completion_tokens ?? undefined,
  stop: stopTexts(request.stop),
});
