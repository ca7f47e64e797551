import { beforeAll, describe, expect, inject, it } from "vitest";
import { v1ChatCompletionChunk } from "../../functions/chat/v1/chat-completion.ts";
import { createV1ChatCompletionOperation } from "../../functions/chat/v1/chat-contract.ts";
import { call, expectDeclared, request, sharedAccount, speak } from "../support/client.ts";
import { compareWithReadme } from "../support/client-rows.ts";
import { problemsOf } from "../support/declared.ts";
import { formData, formFile } from "../support/multipart.ts";
import { decodeAudio } from "../support/test-audio.ts";
import { priceQuestion, priceReply, priceTool } from "../support/tools.ts";

/**
 * Requests of applications that are not packages to run here. When you update one, name where you read it.
 *
 * Open WebUI: backend/open_webui/routers/openai.py (`generate_chat_completion` removes `metadata`, and requests the
 * usage of every stream), utils/payload.py (`apply_model_params_to_body_openai`), utils/middleware.py
 * (`convert_content_blocks_to_messages`: calls go back as they were streamed, with their `index`), routers/tasks.py
 * (`generate_title`), routers/audio.py (`get_available_voices`, `get_available_models`, `transcribe`, `speech`).
 *
 * LibreChat: packages/api/src/endpoints/openai/llm.ts (`getOpenAILLMConfig`) passes its settings to `ChatOpenAI` of
 * `@langchain/openai` 1.6.0, whose request with them was recorded; api/server/services/Files/Audio/STTService.js and
 * TTSService.js (`openAIProvider`).
 *
 * LiteLLM 1.106.2 runs in `npm run verify`; here is the message that it stores of a reply, as users send it back.
 */
let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const model = "lang-14b";
const tools = [{ type: "function", function: priceTool }];

const send = (body: object) => call("/v1/chat/completions", { token, body });

/** The chunks of a stream as these applications read it: they need its usage, and its end. */
const stream = async (body: object) => {
  const response = await send(body);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  const events = String(response.body)
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => event.slice("data: ".length));
  expect(events.pop()).toBe("[DONE]");
  const chunks = events.map((event) => JSON.parse(event));
  for (const chunk of chunks) expect(problemsOf(v1ChatCompletionChunk, chunk)).toEqual([]);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  return chunks;
};

const textOf = (chunks: readonly { choices: readonly { delta: { content?: string } }[] }[]): string =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");

const spokenText = "Wasuze otya nno? Nnyabo, weebale kujja.";

/** What the sample server has spoken, and can read back. */
const recording = async () => formFile(await speak(spokenText, token));

/** An application stores this as a file `.mp3`, in any format. */
const mp3Of = async (body: object) => {
  const response = await request("/v1/audio/speech", { token, body });
  expect(response.headers.get("content-type")).toBe("audio/mpeg");
  return decodeAudio("mp3", Buffer.from(await response.arrayBuffer()));
};

compareWithReadme({ "Open WebUI": /^Open WebUI/, LibreChat: /^LibreChat/ });

describe("Open WebUI", () => {
  it.runIf(inject("isLocal"))("lists voices without a key, transcribes a recording, and speaks", async () => {
    const voices = await call("/v1/audio/voices");
    expect(voices).toMatchObject({ status: 200 });
    expect(voices.body.voices[0]).toEqual({ id: expect.any(String), name: expect.any(String) });
    const models = await call("/v1/audio/models");
    expect(models).toMatchObject({ status: 200, body: { models: [{ id: "tts-20" }] } });

    const file = await recording();
    const transcribe = (fields: Readonly<Record<string, string>>) =>
      call("/v1/audio/transcriptions", { token, body: formData({ file, ...fields }) });
    // First with the language of its settings, then, when that was refused, without.
    const refused = await transcribe({ model: "stt-51:lug", language: "xx" });
    expect(refused).toMatchObject({ status: 400, body: { error: { message: expect.any(String) } } });
    const written = await transcribe({ model: "stt-51:lug" });
    expect(written).toMatchObject({ status: 200, body: { text: spokenText } });
    expect(await transcribe({ model: "whisper-1", language: "lg" })).toMatchObject({
      status: 200,
      body: written.body,
    });

    const audio = await mp3Of({ input: spokenText, voice: voices.body.voices[0].id, model: "tts-20" });
    expect(audio.samples.length / audio.sampleRate).toBeGreaterThan(1);
  });

  it("checks its connection and lists the models", async () => {
    const response = await call("/v1/models", { token });
    expect(response.status).toBe(200);
    expect(response.body.data[0]).toMatchObject({ id: expect.any(String), object: "model" });
  });

  it("streams a reply with the settings of a model", async () => {
    const chunks = await stream({
      stream: true,
      model,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "How do you say 'thank you' in Luganda?" },
      ],
      temperature: 0.8,
      top_p: 0.9,
      max_tokens: 128,
      frequency_penalty: 0,
      seed: 42,
      stop: ["###"],
      stream_options: { include_usage: true },
    });
    expect(textOf(chunks).trim()).not.toBe("");
  });

  it("requests the title of a chat", async () => {
    const response = await send({
      model,
      messages: [{ role: "user", content: "### Task:\nGenerate a concise, 3-5 word title." }],
      stream: false,
      max_completion_tokens: 1_000,
    });
    expectDeclared(createV1ChatCompletionOperation, response);
    expect(response.body.choices[0].message.content.trim()).not.toBe("");
  });

  it.runIf(inject("isLocal"))("has tools called, and sends the calls back as they came", async () => {
    const question = { role: "user", content: priceQuestion };
    const options = { stream: true, model, stream_options: { include_usage: true }, tools };
    const chunks = await stream({ ...options, messages: [question] });
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    const [first] = pieces;
    const text = pieces.map((piece) => piece.function.arguments).join("");
    const toolCall = { ...first, function: { ...first.function, arguments: text } };
    expect(toolCall).toMatchObject({ index: 0, type: "function", function: { name: "get_market_price" } });
    const reply = await stream({
      ...options,
      messages: [
        question,
        { role: "assistant", content: "", tool_calls: [toolCall] },
        { role: "tool", tool_call_id: toolCall.id, content: priceReply },
      ],
    });
    expect(textOf(reply)).toContain(priceReply);
  });
});

describe("LibreChat", () => {
  const settings = {
    model,
    temperature: 0.7,
    top_p: 1,
    frequency_penalty: 0,
    presence_penalty: 0,
    user: "66f1c0ffee66f1c0ffee66f1",
    max_tokens: 1_024,
  };

  it("streams a reply in a conversation whose messages are lists of parts", async () => {
    const chunks = await stream({
      ...settings,
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "My name is Amina." }] },
        { role: "assistant", content: "Pleased to meet you." },
        { role: "user", content: [{ type: "text", text: "What is my name?" }] },
      ],
    });
    expect(textOf(chunks).trim()).not.toBe("");
  });

  it.runIf(inject("isLocal"))(
    "transcribes a recording in the language of a browser, and speaks in pieces",
    async () => {
      const fields = { file: await recording(), model: "whisper-1", language: "lg-UG".split("-")[0] };
      const written = await call("/v1/audio/transcriptions", { token, body: formData(fields) });
      expect(written).toMatchObject({ status: 200, body: { text: spokenText } });
      // It requests no format, and passes the response on as audio/mpeg.
      const audio = await mp3Of({ input: spokenText, model: "tts-1", voice: "alloy" });
      expect(audio.samples.length / audio.sampleRate).toBeGreaterThan(1);
    },
  );
});

describe.runIf(inject("isLocal"))("LiteLLM", () => {
  it("sends back the call of a tool with what it keeps besides", async () => {
    const question = { role: "user", content: priceQuestion };
    const { body } = await send({ model, messages: [question], tools });
    const [toolCall] = body.choices[0].message.tool_calls;
    const call = {
      content: null,
      role: "assistant",
      tool_calls: [toolCall],
      function_call: null,
      provider_specific_fields: { refusal: null },
    };
    const result = { role: "tool", tool_call_id: toolCall.id, content: priceReply };
    const reply = await send({ model, messages: [question, call, result], tools });
    expect(reply.body.choices[0].message.content).toContain(priceReply);
  });
});
