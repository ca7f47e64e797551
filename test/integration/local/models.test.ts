import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Models, startModels } from "../../../infra/local/models.ts";
import { type FakeBackend, responding, startFakeBackend } from "../../support/fake-backend.ts";
import { sendOverWire } from "../../support/wire.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

let models: Models | undefined;
afterEach(async () => {
  await models?.close();
  models = undefined;
});

const listing = (...names: string[]) =>
  responding(200, { object: "list", data: names.map((id) => ({ id })) });

/** Starts the models of a person who has set these variables together with the address of a chat server. */
const start = async (variables: Readonly<Record<string, string>> = {}): Promise<Models> => {
  const given = { CHAT_BASE_URL: backend.baseUrl, CHAT_API_KEY: "the-key", ...variables };
  models = await startModels(0, given);
  return models;
};

const tasksOf = ({ servers }: Models) =>
  servers.map(({ tasks, isSample }) => [isSample ? "sample" : "other", ...tasks]);

describe("the models behind a chat server of a person's own", () => {
  it("are its own for chat and translation, and samples for audio that it has no models for", async () => {
    backend.behave(listing("my-model"));
    const started = await start({ CHAT_MODEL: "my-model" });
    expect(tasksOf(started)).toEqual([
      ["other", "chat", "translation"],
      ["sample", "transcription", "speech"],
    ]);
    expect(started.warnings).toEqual([]);
    expect(backend.received[0]).toMatchObject({
      path: "/v1/models",
      headers: { authorization: "Bearer the-key" },
    });
    const { SPEECH_BASE_URL = "", SPEECH_MODEL: model } = started.variables;
    const response = await fetch(`${SPEECH_BASE_URL}/audio/speech`, {
      method: "POST",
      body: JSON.stringify({ model, input: "Maama.", voice: "salt_lug_0001", response_format: "pcm" }),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });

  it.each([
    ["under another name", { host: "rebound.example" }],
    ["of another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
  ])("refuse the sample server to web pages %s", async (_case, headers) => {
    backend.behave(listing("my-model"));
    const { SPEECH_BASE_URL: url = "" } = (await start()).variables;
    const list = { method: "GET", path: "/models" };
    expect((await sendOverWire(url, { ...list, headers: {} })).status).toBe(200);
    expect((await sendOverWire(url, { ...list, headers })).status).toBe(403);
  });

  it.each([
    ["that it lists", ["my-model", "stt-51"], {}],
    ["that the person names", ["my-model"], { TRANSCRIPTION_MODEL: "whisper-large-v3" }],
  ])("are its own for audio with a model %s", async (_case, names, variables) => {
    backend.behave(listing(...names));
    const started = await start({ CHAT_MODEL: "my-model", ...variables });
    expect(tasksOf(started)).toEqual([
      ["other", "chat", "translation", "transcription"],
      ["sample", "speech"],
    ]);
  });

  it("are those of another server where one is named, which is queried for its names as well", async () => {
    const other = await startFakeBackend();
    other.behave(listing("their-voice"));
    backend.behave(listing("my-model", "stt-51"));
    const started = await start({
      CHAT_MODEL: "my-model",
      SPEECH_BASE_URL: other.baseUrl,
      SPEECH_MODEL: "their-voices",
    });
    expect(tasksOf(started)).toEqual([
      ["other", "chat", "translation", "transcription"],
      ["other", "speech"],
    ]);
    expect(started.warnings).toEqual([
      `The server at ${other.baseUrl} has no model 'their-voices' for speech (it has their-voice). Set SPEECH_MODEL, or requests may fail with 502.`,
    ]);
    await other.close();
  });

  it("are reported when the server does not know their names", async () => {
    backend.behave(listing("qwen", "llama"));
    const { warnings } = await start({ CHAT_MODEL_9B: "llama" });
    expect(warnings).toEqual([
      `The server at ${backend.baseUrl} has no model 'chat-14b' for chat (it has qwen, llama). Set CHAT_MODELS, or requests may fail with 502.`,
    ]);
  });

  it("are reported when the server does not know the alternative model of transcription", async () => {
    const variables = { CHAT_MODEL: "my-model", TRANSCRIPTION_ALTERNATIVE_MODEL: "whisper" };
    const notListed = (url: string, names: string) =>
      `The server at ${url} has no model 'whisper' for transcription (it has ${names}). Set TRANSCRIPTION_ALTERNATIVE_MODEL, or requests may fail with 502.`;
    backend.behave(listing("my-model", "stt-51"));
    const own = await start(variables);
    expect(own.warnings).toEqual([notListed(backend.baseUrl, "my-model, stt-51")]);
    await own.close();
    backend.behave(listing("my-model", "stt-51", "whisper"));
    const listed = await start(variables);
    expect(listed.warnings).toEqual([]);
    await listed.close();

    // The sample server transcribes, with its one model.
    const samples = "sample-14b, sample-9b, sample-tts, sample-stt";
    backend.behave(listing("my-model"));
    const mixed = await start(variables);
    expect(mixed.warnings).toEqual([notListed(mixed.variables["TRANSCRIPTION_BASE_URL"] ?? "", samples)]);
    await mixed.close();
    const given = { TRANSCRIPTION_ALTERNATIVE_MODEL: "whisper" };
    models = await startModels(0, given);
    expect(models.warnings).toEqual([notListed(models.variables["CHAT_BASE_URL"] ?? "", samples)]);
  });

  it("are known by their names without a tag, as Ollama takes them", async () => {
    backend.behave(listing("my-model:latest", "stt-51:latest"));
    const started = await start({ CHAT_MODEL: "my-model" });
    expect(started.warnings).toEqual([]);
    expect(tasksOf(started)).toEqual([
      ["other", "chat", "translation", "transcription"],
      ["sample", "speech"],
    ]);
    await started.close();
    backend.behave(listing("my-model:8b"));
    expect((await start({ CHAT_MODEL: "my-model" })).warnings).toHaveLength(2);
  });

  it.each([
    ["does not list its models (status 404)", responding(404, { error: "not found" })],
    ["does not list its models (status 200)", responding(200, ["qwen"])],
  ])("start anyway when the server %s", async (problem, behaviour) => {
    backend.behave(behaviour);
    const started = await start();
    expect(started.warnings).toEqual([`The server at ${backend.baseUrl} ${problem}.`]);
    expect(tasksOf(started).at(-1)).toEqual(["sample", "transcription", "speech"]);
  });

  it("start anyway when the address is closed", async () => {
    const nowhere = "http://127.0.0.1:9/v1";
    expect((await start({ CHAT_BASE_URL: nowhere })).warnings).toEqual([
      `The server at ${nowhere} does not respond.`,
    ]);
  });
});
