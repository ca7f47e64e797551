import OpenAI from "openai";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { chatCompletionChunk, createChatCompletionOperation } from "../../functions/chat/contract.ts";
import { baseUrl, call, expectDeclared, expectError, sharedAccount } from "../support/client.ts";

const messages = [{ role: "user" as const, content: "How do you say 'thank you' in Luganda?" }];

const doors = [
  ["the REST API", baseUrl],
  ["the function URL", inject("chatStreamUrl")],
] as const;

describe.each(doors)("through %s", (_name, door) => {
  const path = `${door}/tasks/chat/completions`;
  let token: string;
  let client: OpenAI;
  beforeAll(async () => {
    ({ token } = await sharedAccount());
    client = new OpenAI({ baseURL: `${door}/tasks`, apiKey: token, maxRetries: 0 });
  });

  describe("POST /tasks/chat/completions", () => {
    it.each([undefined, "lang-14b", "lang-9b"])("responds with the model %s", async (model) => {
      const response = await call(path, { token, body: { messages, ...(model ? { model } : {}) } });
      expectDeclared(createChatCompletionOperation, response);
      expect(response).toMatchObject({
        status: 200,
        body: { object: "chat.completion", model: model ?? "lang-14b" },
      });
      expect(response.body.choices[0].message.content.trim()).not.toBe("");
    });

    it.each(["Sunbird/Sunflower-14B", "gpt-4o"])("refuses the unknown model %s with 400", async (model) => {
      const response = await call(path, { token, body: { messages, model } });
      expectError(response, 400, "unknown_model");
      expect(response.body.error).toMatchObject({
        param: "model",
        supported_models: ["lang-14b", "lang-9b"],
      });
    });

    it("names what is wrong with a request", async () => {
      const response = await call(path, { token, body: { messages: [{ role: "user", content: " " }] } });
      expectDeclared(createChatCompletionOperation, response);
      expect(response).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["body", "messages", 0, "content"], type: "string_too_short" }] },
      });
    });

    it("streams events that are what the contract declares", async () => {
      const response = await call(path, { token, body: { messages, stream: true } });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
      expect(response.headers.get("x-accel-buffering")).toBe("no");
      expect(response.headers.get("x-request-id")).toBeTruthy();
      const events = String(response.body)
        .split("\n\n")
        .filter((event) => event.startsWith("data: "))
        .map((event) => event.slice("data: ".length));
      expect(events.pop()).toBe("[DONE]");
      const chunks = events.map((event) => chatCompletionChunk.parse(JSON.parse(event)));
      expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
      expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size).toBe(1);
      expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(["stop"]);
      // A plain loop over `choices[0]` must not break.
      expect(chunks.map(({ choices, usage }) => [choices.length, usage])).toEqual(
        chunks.map(() => [1, null]),
      );
    });

    it("streams the token counts, without choices, when requested", async () => {
      const body = { messages, stream: true, stream_options: { include_usage: true } };
      const response = await call(path, { token, body });
      const [last = "", done] = String(response.body).trimEnd().split("\n\n").slice(-2);
      expect(done).toBe("data: [DONE]");
      const { choices, usage } = chatCompletionChunk.parse(JSON.parse(last.slice("data: ".length)));
      expect(choices).toEqual([]);
      expect(usage?.completion_tokens).toBeGreaterThan(0);
    });

    it("refuses a stream that it cannot begin with an ordinary error", async () => {
      expectError(
        await call(path, { token, body: { messages, model: "x", stream: true } }),
        400,
        "unknown_model",
      );
    });
  });

  describe("the OpenAI SDK", () => {
    it("streams the same text that a whole response has", async () => {
      const request = { model: "lang-9b", messages, temperature: 0 };
      let text = "";
      let usage: OpenAI.CompletionUsage | null | undefined;
      const streamed = { ...request, stream: true, stream_options: { include_usage: true } } as const;
      for await (const chunk of await client.chat.completions.create(streamed)) {
        text += chunk.choices[0]?.delta.content ?? "";
        usage = chunk.usage ?? usage;
      }
      expect(text.trim()).not.toBe("");
      const whole = await client.chat.completions.create(request);
      expect(whole.usage?.total_tokens).toBeGreaterThan(0);
      if (!inject("isLocal")) return;
      expect(text.trim()).toBe(whole.choices[0]?.message.content);
      expect(usage).toEqual(whole.usage);
    });

    it.runIf(inject("isLocal"))("holds a conversation of several turns", async () => {
      const response = await client.chat.completions.create({
        model: "lang-14b",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "My name is Amina." },
          { role: "assistant", content: "Pleased to meet you." },
          {
            role: "user",
            content: [
              { type: "text", text: "What is " },
              { type: "text", text: "my name?" },
            ],
          },
        ],
      });
      expect(response.choices[0]?.message.content).toContain("Amina");
    });

    it("reports that the token limit cut the response", async () => {
      const stream = client.chat.completions.stream({ model: "lang-14b", messages, max_tokens: 2 });
      const { choices } = await stream.finalChatCompletion();
      expect(choices[0]?.finish_reason).toBe("length");
    });

    it("throws the error that a developer expects", async () => {
      const create = (body: object, apiKey = token) =>
        new OpenAI({ baseURL: `${door}/tasks`, apiKey, maxRetries: 0 }).post("/chat/completions", { body });
      const unknownModel = await create({ model: "gpt-4o", messages }).catch((error: unknown) => error);
      expect(unknownModel).toBeInstanceOf(OpenAI.BadRequestError);
      expect(unknownModel).toMatchObject({ code: "unknown_model", param: "model" });
      const noToken = await create({ messages }, "nonsense").catch((error: unknown) => error);
      expect(noToken).toBeInstanceOf(OpenAI.AuthenticationError);
      const noMessages = await create({ messages: [] }).catch((error: unknown) => error);
      expect(noMessages).toBeInstanceOf(OpenAI.UnprocessableEntityError);
      expect(noMessages).toMatchObject({ code: "validation_failed", param: "messages" });
    });
  });

  it("allows browsers to call it", async () => {
    const response = await call(path, {
      method: "OPTIONS",
      headers: {
        Origin: "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toContain("POST");
  });

  it("refuses another method with 405, another path with 404", async () => {
    expectError(await call(path), 405, "method_not_allowed");
    expectError(await call(`${door}/tasks/chat/nothing`, { body: {} }), 404, "not_found");
  });

  it("carries the same headers", async () => {
    const { headers } = await call(path, {
      token,
      body: { messages },
      headers: { "X-Request-Id": "trace-7" },
    });
    expect(headers.get("x-request-id")).toBe("trace-7");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("x-ratelimit-limit-requests")).toMatch(/^\d+$/);
  });
});
