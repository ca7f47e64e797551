import { beforeAll, describe, expect, inject, it } from "vitest";
import { createV1ChatCompletionOperation } from "../../functions/chat/v1/chat-contract.ts";
import { listModelsOperation, retrieveModelOperation } from "../../functions/chat/v1/models-contract.ts";
import { createResponseOperation } from "../../functions/chat/v1/responses-contract.ts";
import { operations } from "../../functions/manifest.ts";
import { baseUrl, call, expectDeclared, expectError, sharedAccount } from "../support/client.ts";

const messages = [{ role: "user", content: "How do you say 'thank you' in Luganda?" }];

// An account has fifty requests a minute.
let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

describe("GET /v1/models", () => {
  it("lists the models by their names in requests", async () => {
    const response = await call("/v1/models", { token });
    expectDeclared(listModelsOperation, response);
    expect(response.status).toBe(200);
    const ids = response.body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(["lang-14b", "lang-9b", "stt-51", "tts-20"]);
  });

  it.each(["lang-9b", "stt-51", "stt-51:lug", "stt-51:lg", "stt-51%3Alug"])("knows %s", async (id) => {
    const response = await call(`/v1/models/${id}`, { token });
    expectDeclared(retrieveModelOperation, response);
    expect(response).toMatchObject({ status: 200, body: { id: decodeURIComponent(id), object: "model" } });
  });

  it.each(["gpt-4o", "stt-51:", "stt-51:klingon", "stt-51:lug:x", "lang-9b:lug"])(
    "has no model %s",
    async (id) => {
      const response = await call(`/v1/models/${id}`, { token });
      expectError(response, 404, "model_not_found");
      expect(response.body.error).toMatchObject({ type: "invalid_request_error", param: "model" });
    },
  );
});

const doors = [
  ["the REST API", baseUrl],
  ["the function URL", inject("chatStreamUrl")],
] as const;

describe.each(doors)("through %s", (_name, door) => {
  describe("a path of the OpenAI API that is not served", () => {
    it.each(["embeddings", "files/file-1/content", "chat/completions/chatcmpl-1/messages"])(
      "is refused in OpenAI's form, with what is served: %s",
      async (path) => {
        for (const request of [{ body: {} }, {}, { token, method: "DELETE" }]) {
          const response = await call(`${door}/v1/${path}`, request);
          expectError(response, 404, "unknown_url");
          expect(response.body.error.type).toBe("invalid_request_error");
          for (const { method, path: served } of operations) {
            if (/^\/v1\/(?!.*(?:\{|voices|audio\/models))/.test(served)) {
              expect(response.body.error.message).toContain(`${method} ${served}`);
            }
          }
        }
      },
    );
  });

  const chat = (body: object) => call(`${door}/v1/chat/completions`, { token, body: { messages, ...body } });
  const respond = (body: object) =>
    call(`${door}/v1/responses`, { token, body: { input: "Good morning", ...body } });

  describe("POST /v1/chat/completions", () => {
    it("responds to a request without other parameters", async () => {
      const response = await chat({});
      expectDeclared(createV1ChatCompletionOperation, response);
      expect(response).toMatchObject({
        status: 200,
        body: { model: "lang-14b", choices: [{ finish_reason: "stop" }] },
      });
    });

    it("takes what changes nothing", async () => {
      const response = await chat({
        user: "amina",
        store: false,
        metadata: { chat: "7" },
        n: 1,
        logprobs: false,
        top_logprobs: null,
        logit_bias: {},
        service_tier: "auto",
        stream: false,
        stream_options: { include_usage: true },
        max_completion_tokens: 200,
        prompt_cache_key: "x",
        safety_identifier: "x",
        modalities: ["text"],
        tools: [],
        tool_choice: "auto",
        parallel_tool_calls: true,
        response_format: { type: "text" },
        presence_penalty: 0,
        functions: null,
      });
      expect(response.status, JSON.stringify(response.body)).toBe(200);
    });

    it("refuses unsupported parameters by name", async () => {
      const response = await chat({ n: 2 });
      expectError(response, 400, "unsupported_parameter");
      expect(response.body.error).toMatchObject({ param: "n", type: "invalid_request_error" });
      expect(response.body.detail).toBe(response.body.error.message);
    });

    it("refuses OpenAI's own models", async () => {
      const response = await chat({ model: "gpt-4o" });
      expectError(response, 404, "model_not_found");
      expect(response.body.error.param).toBe("model");
    });

    it("reports a malformed request with 400, and names the field", async () => {
      const response = await chat({ messages: [{ role: "user", content: 5 }], n: 2 });
      expectError(response, 400, "validation_failed");
      expect(response.body.error).toMatchObject({
        type: "invalid_request_error",
        param: "messages[0].content",
      });
      expect(response.body.detail).toEqual([
        expect.objectContaining({ loc: ["body", "messages", 0, "content"] }),
      ]);
    });
  });

  describe("POST /v1/responses", () => {
    it("replies to a text", async () => {
      const response = await respond({ instructions: "Be brief.", store: false });
      expectDeclared(createResponseOperation, response);
      expect(response).toMatchObject({
        status: 200,
        body: {
          object: "response",
          status: "completed",
          store: false,
          instructions: "Be brief.",
          output: [{ type: "message", role: "assistant", content: [{ type: "output_text" }] }],
        },
      });
    });

    it("refuses what would have to be stored, and says how to do without", async () => {
      const response = await respond({ input: [{ type: "item_reference", id: "msg_1" }] });
      expectError(response, 400, "unsupported_parameter");
      expect(response.body.error).toMatchObject({
        param: "input[0].id",
        message: expect.stringContaining("store: false"),
      });
    });
  });
});
