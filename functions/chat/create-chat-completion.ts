import { randomUUID } from "node:crypto";
import {
  type ChatMessage,
  type ChatModelId,
  type ChatModels,
  type ChatRequest,
  chatModelIds,
  defaultSystemMessage,
} from "../../shared/models/inference/chat.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { countTokens } from "../../shared/platform/telemetry/use.ts";
import type { ChatCompletion, ChatCompletionRequest } from "./contract.ts";

/** What a whole reply needs in addition to the conversation. */
export interface ChatOptions {
  readonly models: ChatModels;
  readonly signal: AbortSignal;
}

/** Continues a conversation with a whole reply. @throws AppError as the models do. */
export const createChatCompletion = async (
  request: ChatRequest,
  { models, signal }: ChatOptions,
): Promise<ChatCompletion> => {
  const head = newCompletionHead(request.model);
  const { text, finishReason, usage } = await models.reply(request, { signal });
  countTokens(usage);
  // Without tools there is nothing to call.
  const finish_reason = finishReason === "tool_calls" ? "stop" : finishReason;
  return {
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason }],
    usage: usage ?? { prompt_tokens: null, completion_tokens: null, total_tokens: null },
  };
};

export interface CompletionHead {
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  /** The service's own name for the model, never its server's. */
  readonly model: ChatModelId;
}

export const newCompletionHead = (model: ChatModelId): CompletionHead => ({
  id: `chatcmpl-${randomUUID().replaceAll("-", "")}`,
  created: Math.floor(Date.now() / 1_000),
  model,
});

/** @throws AppError `unknown_model` with the list of models. */
export const findModel = (id: string): ChatModelId => {
  const model = chatModelIds.find((known) => known === id);
  if (model) return model;
  throw new AppError("unknown_model", {
    message: `Unknown model. Supported models: ${chatModelIds.join(", ")}.`,
    param: "model",
    extra: { supported_models: chatModelIds },
  });
};

/** The texts that end a reply; `undefined` without any. */
export const stopTexts = (stop: ChatCompletionRequest["stop"]): string[] | undefined => {
  // An empty text would end every reply before it starts; most servers refuse it.
  const texts = [stop ?? []].flat().filter((text) => text !== "");
  return texts.length > 0 ? texts : undefined;
};

/** Adds the service's instruction to a conversation that has none. */
export const withInstruction = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  messages.some(({ role }) => role === "system")
    ? messages
    : [{ role: "system", content: defaultSystemMessage }, ...messages];

/** The request to the models. @throws AppError `unknown_model` with the list of models. */
export const readChatRequest = (request: ChatCompletionRequest): ChatRequest => ({
  model: findModel(request.model),
  messages: withInstruction(request.messages),
  temperature: request.temperature,
  topP: request.top_p ?? undefined,
  maxTokens: request.max_tokens ?? request.max_completion_tokens ?? undefined,
  stop: stopTexts(request.stop),
});
