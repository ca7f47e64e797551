import { expect } from "vitest";
import { createChatCompletionOperation } from "../../../functions/chat/contract.ts";
import { createV1ChatCompletionOperation } from "../../../functions/chat/v1/chat-contract.ts";
import { listModelsOperation, retrieveModelOperation } from "../../../functions/chat/v1/models-contract.ts";
import { createResponseOperation } from "../../../functions/chat/v1/responses-contract.ts";
import { classifyOperation, identifyOperation } from "../../../functions/language/contract.ts";
import { translateBatchOperation, translateOperation } from "../../../functions/translate/contract.ts";
import type { Row } from "../row.ts";
import { key } from "../run.ts";

const messages = [{ role: "user", content: "Hello" }];
const text = "Webale nnyo, ssebo. Oli otya?";
const needsChat = { needs: ["chat"] } as const;

export const chat: readonly Row[] = [
  {
    operation: createChatCompletionOperation,
    ...needsChat,
    request: () => ({ token: key, body: { model: "lang-9b", messages, max_tokens: 16 } }),
  },
  {
    operation: createV1ChatCompletionOperation,
    ...needsChat,
    request: () => ({ token: key, body: { model: "lang-14b", messages, max_tokens: 16 } }),
  },
  {
    operation: createResponseOperation,
    ...needsChat,
    request: () => ({ token: key, body: { model: "lang-9b", input: "Hello", max_output_tokens: 16 } }),
  },
  { operation: listModelsOperation, request: () => ({ token: key }) },
  { operation: retrieveModelOperation, request: () => ({ token: key, path: "/v1/models/lang-9b" }) },
];

export const language: readonly Row[] = [
  {
    operation: identifyOperation,
    request: () => ({ token: key, body: { text } }),
    onSuccess: ({ body }) => expect(body.language).toBe("lug"),
  },
  {
    operation: classifyOperation,
    request: () => ({ token: key, body: { text } }),
  },
  {
    operation: translateOperation,
    needs: ["translation"],
    request: () => ({
      token: key,
      body: { source_language: "eng", target_language: "lug", text: "Thank you" },
    }),
  },
  {
    operation: translateBatchOperation,
    needs: ["translation"],
    request: () => ({ token: key, body: { target_language: "lug", items: [{ text: "Thank you" }] } }),
    onSuccess: ({ body }) => expect(body.results[0].status).toBe("COMPLETED"),
  },
];
