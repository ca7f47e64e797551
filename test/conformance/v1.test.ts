import { beforeAll, describe, expect, inject, it } from "vitest";
import { createV1ChatCompletionOperation } from "../../functions/chat/v1/chat-contract.ts";
import { listModelsOperation, retrieveModelOperation } from "../../functions/chat/v1/models-contract.ts";
import { createResponseOperation } from "../../functions/chat/v1/responses-contract.ts";
import { baseUrl, call, createAccount, expectDeclared, expectError } from "../support/client.ts";

const messages = [{ role: "user", content: "How do you say 'thank you' in Luganda?" }];

// An account has fifty requests a minute.
let token: string;
beforeAll(async () => {
  ({ token } = await createAccount());
});

describe("GET /v1/models", () => {
  it("lists the models by their names in requests", async () => {
    const answer = await call("/v1/models", { token });
    expectDeclared(listModelsOperation, answer);
    expect(answer.status).toBe(200);
    const ids = answer.body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(["lang-14b", "lang-9b", "stt-51", "tts-20"]);
  });

  it.each(["lang-9b", "stt-51", "stt-51:lug", "stt-51:lg", "stt-51%3Alug"])("knows %s", async (id) => {
    const answer = await call(`/v1/models/${id}`, { token });
    expectDeclared(retrieveModelOperation, answer);
    expect(answer).toMatchObject({ status: 200, body: { id: decodeURIComponent(id), object: "model" } });
  });

  it.each(["gpt-4o", "stt-51:", "stt-51:klingon", "stt-51:lug:x", "lang-9b:lug"])(
    "has no model %s",
    async (id) => {
      const answer = await call(`/v1/models/${id}`, { token });
      expectError(answer, 404, "model_not_found");
      expect(answer.body.error).toMatchObject({ type: "invalid_request_error", param: "model" });
    },
  );

  it("requires a token", async () => {
    expectError(await call("/v1/models"), 401, "unauthenticated");
  });

  it("takes nothing off the quota", async () => {
    const { headers } = await call("/v1/models", { token });
    expect(headers.get("ratelimit-policy")).not.toContain("day");
  });
});

const doors = [
  ["the REST API", baseUrl],
  ["the function URL", inject("chatStreamUrl")],
] as const;

describe.each(doors)("through %s", (_name, door) => {
  const chat = (body: object) => call(`${door}/v1/chat/completions`, { token, body: { messages, ...body } });
  const respond = (body: object) =>
    call(`${door}/v1/responses`, { token, body: { input: "Good morning", ...body } });

  describe("POST /v1/chat/completions", () => {
    it("responds to a request without other parameters", async () => {
      const answer = await chat({});
      expectDeclared(createV1ChatCompletionOperation, answer);
      expect(answer).toMatchObject({
        status: 200,
        body: { model: "lang-14b", choices: [{ finish_reason: "stop" }] },
      });
      expect(answer.headers.get("x-ratelimit-limit-requests")).toBe("50");
    });

    it("takes what changes nothing", async () => {
      const answer = await chat({
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
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    });

    it("refuses unsupported parameters by name", async () => {
      const answer = await chat({ n: 2 });
      expectError(answer, 400, "unsupported_parameter");
      expect(answer.body.error).toMatchObject({ param: "n", type: "invalid_request_error" });
      expect(answer.body.detail).toBe(answer.body.error.message);
    });

    it("refuses OpenAI's own models", async () => {
      const answer = await chat({ model: "gpt-4o" });
      expectError(answer, 400, "unknown_model");
      expect(answer.body.error.param).toBe("model");
    });

    it("reports a malformed request as every route does", async () => {
      const answer = await chat({ messages: [{ role: "user", content: 5 }], n: 2 });
      expectError(answer, 422, "validation_failed");
      expect(answer.body.detail).toEqual([
        expect.objectContaining({ loc: ["body", "messages", 0, "content"] }),
      ]);
    });
  });

  describe("POST /v1/responses", () => {
    it("replies to a text", async () => {
      const answer = await respond({ instructions: "Be brief.", store: false });
      expectDeclared(createResponseOperation, answer);
      expect(answer).toMatchObject({
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
      const answer = await respond({ input: [{ type: "item_reference", id: "msg_1" }] });
      expectError(answer, 400, "unsupported_parameter");
      expect(answer.body.error).toMatchObject({
        param: "input[0].id",
        message: expect.stringContaining("store: false"),
      });
    });
  });
});
