import { defineFunction } from "../../shared/http/function-definition.ts";
import { createChatCompletionOperation } from "./contract.ts";
import { chatEnvironment, chatTimeoutSeconds } from "./environment.ts";
import { createV1ChatCompletionOperation } from "./v1/chat-contract.ts";
import { listModelsOperation, retrieveModelOperation } from "./v1/models-contract.ts";
import { createResponseOperation } from "./v1/responses-contract.ts";

export const chatFunction = defineFunction({
  name: "chat",
  description: "Chat, whole or streamed",
  operations: [
    createChatCompletionOperation,
    createV1ChatCompletionOperation,
    createResponseOperation,
    listModelsOperation,
    retrieveModelOperation,
  ],
  environment: chatEnvironment,
  memoryMegabytes: 512,
  timeoutSeconds: chatTimeoutSeconds,
  transfer: "stream",
  functionUrl: true,
});
