import { describe, expect, it } from "vitest";
import { defaultSystemMessage } from "../../../shared/models/inference/chat.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { legacyInMemory } from "../../support/legacy.ts";

const question = { role: "user", content: "How are you?" };
const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };

const chat = async (body: object) => {
  const legacy = legacyInMemory();
  const response = await legacy.send({ path: "/tasks/sunflower_inference", body });
  return { ...response, requested: legacy.reply.mock.calls[0]?.[0] };
};

const instruct = async (fields: Record<string, string>) => {
  const legacy = legacyInMemory();
  const response = await legacy.send({
    path: "/tasks/sunflower_simple",
    body: new URLSearchParams(fields).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded", Authorization: "Bearer right" },
  });
  return { ...response, requested: legacy.reply.mock.calls[0]?.[0] };
};

describe("POST /tasks/sunflower_inference", () => {
  it("responds, and counts the instruction that it put before the conversation", async () => {
    const { status, body, requested } = await chat({ messages: [question], stream: true });
    expect(status).toBe(200);
    expect(body).toEqual({
      content: "Apwoyo.",
      model_type: "qwen",
      usage,
      processing_time: expect.any(Number),
      inference_time: expect.any(Number),
      message_count: 2,
    });
    expect(requested).toMatchObject({
      model: "lang-14b",
      temperature: 0.3,
      messages: [{ role: "system", content: defaultSystemMessage }, question],
    });
  });

  it("lets the other family's name choose the other model", async () => {
    const { body, requested } = await chat({ messages: [question], model_type: "gemma", temperature: 1 });
    expect(body.model_type).toBe("gemma");
    expect(requested).toMatchObject({ model: "lang-9b", temperature: 1 });
  });

  it("replaces the conversation's own instruction by the given one", async () => {
    const own = { role: "system", content: "Be long." };
    const { body, requested } = await chat({ messages: [own, question], system_message: "Be brief." });
    expect(requested?.messages).toEqual([{ role: "system", content: "Be brief." }, question]);
    expect(body.message_count).toBe(2);
    expect((await chat({ messages: [own, question] })).requested?.messages).toEqual([own, question]);
  });

  it.each([
    [{ messages: [] }, 400, "bad_request", "messages"],
    [{ messages: [{ role: "tool", content: "x" }] }, 422, "validation_failed", "messages[0].role"],
    [{ messages: [question], model_type: "llama" }, 422, "validation_failed", "model_type"],
    [{ messages: [question], temperature: 2.1 }, 422, "validation_failed", "temperature"],
  ])("refuses %j with %i", async (body, status, code, param) => {
    expect(await chat(body)).toMatchObject({
      status,
      requested: undefined,
      body: { error: { code, param } },
    });
  });

  it("keeps the conversation's own instruction when the given one is blank", async () => {
    const own = { role: "system", content: "Be long." };
    const { requested } = await chat({ messages: [own, question], system_message: " " });
    expect(requested?.messages).toEqual([own, question]);
  });
});

describe("POST /tasks/sunflower_simple", () => {
  it("follows an instruction", async () => {
    const { body, requested } = await instruct({ instruction: " Say thank you. ", temperature: "0.9" });
    expect(body).toEqual({
      response: "Apwoyo.",
      model_type: "qwen",
      processing_time: expect.any(Number),
      usage,
      success: true,
    });
    expect(requested).toMatchObject({ model: "lang-14b", temperature: 0.9 });
    expect(requested?.messages.at(-1)).toEqual({ role: "user", content: "Say thank you." });
  });

  it("takes the other model and an instruction of 4,000 characters, of any script", async () => {
    const instruction = "\u{1E900}".repeat(4_000);
    const { status, body, requested } = await instruct({
      instruction,
      model_type: "gemma",
      system_message: "Be brief.",
    });
    expect(status).toBe(200);
    expect(body.model_type).toBe("gemma");
    expect(requested).toMatchObject({
      model: "lang-9b",
      temperature: 0.3,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: instruction },
      ],
    });
  });

  it.each([
    [{ instruction: " " }, 400, "bad_request"],
    [{ instruction: "x".repeat(4_001) }, 400, "bad_request"],
    [{}, 422, "validation_failed"],
    [{ instruction: "x", temperature: "warm" }, 422, "validation_failed"],
    [{ instruction: "x", temperature: "3" }, 422, "validation_failed"],
  ])("refuses unsupported requests: %#", async (fields, status, code) => {
    expect(await instruct(fields)).toMatchObject({ status, body: { error: { code } } });
  });
});

describe("POST /tasks/summarise", () => {
  it("requests a summary without names from the chat model", async () => {
    const legacy = legacyInMemory();
    const text = "Amina of Plot 7 sold her maize.";
    const response = await legacy.send({ path: "/tasks/summarise", body: { text } });
    expect(response).toMatchObject({ status: 200, body: { summarized_text: "Apwoyo." } });
    const requested = legacy.reply.mock.calls[0]?.[0];
    expect(requested?.messages[0]).toMatchObject({
      role: "system",
      content: expect.stringMatching(/^Summarise/),
    });
    expect(requested?.messages[0]?.content).toContain("names of people");
    expect(requested?.messages[1]).toEqual({ role: "user", content: text });
  });

  it("reports that the model is loading", async () => {
    const legacy = legacyInMemory();
    legacy.reply.mockRejectedValue(new AppError("service_unavailable", { retryAfterSeconds: 30 }));
    expect(await legacy.send({ path: "/tasks/summarise", body: { text: "x" } })).toMatchObject({
      status: 503,
      headers: { "Retry-After": "30", Sunset: "Wed, 01 Dec 2027 00:00:00 GMT" },
    });
  });
});
