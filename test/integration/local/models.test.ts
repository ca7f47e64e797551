import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Models, startModels } from "../../../infra/local/models.ts";
import { synthesisLanguages } from "../../../shared/platform/catalogue/voices.ts";
import {
  type Behaviour,
  type FakeBackend,
  responding,
  startFakeBackend,
} from "../../support/fake-backend.ts";
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

/** A server that has these models, and transcribes silence as nothing. */
const listing =
  (...names: string[]): Behaviour =>
  (response, request) => {
    const list = { object: "list", data: names.map((id) => ({ id })) };
    const body = request.url?.endsWith("/audio/transcriptions") ? { text: "" } : list;
    responding(200, body)(response, request);
  };

/** What a server responds to any request, also for its models. */
const serve = (server: FakeBackend, behaviour: Behaviour): void => {
  server.behave(behaviour);
  server.listModels(behaviour);
};

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
    const keys: unknown[] = [];
    serve(backend, (response, request) => {
      keys.push(request.headers.authorization);
      listing("my-model")(response, request);
    });
    const started = await start({ CHAT_MODEL: "my-model" });
    expect(tasksOf(started)).toEqual([
      ["other", "chat", "translation"],
      ["sample", "transcription", "speech"],
    ]);
    expect(started.warnings).toEqual([]);
    expect(keys).toEqual(["Bearer the-key"]);
    expect(backend.lists).toEqual(["/v1/models"]);
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
    serve(backend, listing("my-model"));
    const { SPEECH_BASE_URL: url = "" } = (await start()).variables;
    const list = { method: "GET", path: "/models" };
    expect((await sendOverWire(url, { ...list, headers: {} })).status).toBe(200);
    expect((await sendOverWire(url, { ...list, headers })).status).toBe(403);
  });

  it.each([
    ["that it lists", ["my-model", "stt-51"], {}],
    ["that the person names", ["my-model"], { TRANSCRIPTION_MODEL: "whisper-large-v3" }],
  ])("are its own for audio with a model %s", async (_case, names, variables) => {
    serve(backend, listing(...names));
    const started = await start({ CHAT_MODEL: "my-model", ...variables });
    expect(tasksOf(started)).toEqual([
      ["other", "chat", "translation", "transcription"],
      ["sample", "speech"],
    ]);
  });

  it("are those of another server where one is named, which is queried for its names as well", async () => {
    const other = await startFakeBackend();
    serve(other, listing("their-voice"));
    serve(backend, listing("my-model", "stt-51"));
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
    serve(backend, listing("qwen", "llama"));
    const { warnings } = await start({ CHAT_MODEL_9B: "llama" });
    expect(warnings).toEqual([
      `The server at ${backend.baseUrl} has no model 'chat-14b' for chat (it has qwen, llama). Set CHAT_MODEL_9B, or requests may fail with 502.`,
    ]);
  });

  it("are reported when the server does not know the alternative model of transcription", async () => {
    const variables = { CHAT_MODEL: "my-model", TRANSCRIPTION_ALTERNATIVE_MODEL: "whisper" };
    const notListed = (url: string, names: string) =>
      `The server at ${url} has no model 'whisper' for transcription (it has ${names}). Set TRANSCRIPTION_ALTERNATIVE_MODEL, or requests may fail with 502.`;
    serve(backend, listing("my-model", "stt-51"));
    const own = await start(variables);
    expect(own.warnings).toEqual([notListed(backend.baseUrl, "my-model, stt-51")]);
    await own.close();
    serve(backend, listing("my-model", "stt-51", "whisper"));
    const listed = await start(variables);
    expect(listed.warnings).toEqual([]);
    await listed.close();

    // The sample server transcribes, with its one model.
    const samples = "sample-14b, sample-9b, sample-tts, sample-stt";
    serve(backend, listing("my-model"));
    const mixed = await start(variables);
    expect(mixed.warnings).toEqual([notListed(mixed.variables["TRANSCRIPTION_BASE_URL"] ?? "", samples)]);
    await mixed.close();
    const given = { TRANSCRIPTION_ALTERNATIVE_MODEL: "whisper", MODELS: "sample" };
    models = await startModels(0, given);
    expect(models.warnings).toEqual([notListed(models.variables["CHAT_BASE_URL"] ?? "", samples)]);
  });

  it("are known by their names without a tag, as Ollama takes them", async () => {
    serve(backend, listing("my-model:latest", "stt-51:latest"));
    const started = await start({ CHAT_MODEL: "my-model" });
    expect(started.warnings).toEqual([]);
    expect(tasksOf(started)).toEqual([
      ["other", "chat", "translation", "transcription"],
      ["sample", "speech"],
    ]);
    await started.close();
    serve(backend, listing("my-model:8b"));
    expect((await start({ CHAT_MODEL: "my-model" })).warnings).toEqual([
      `The server at ${backend.baseUrl} has no model 'my-model' for chat and translation (it has my-model:8b). Set CHAT_MODEL, or requests may fail with 502.`,
    ]);
  });

  it.each([
    ["does not list its models (status 404)", responding(404, { error: "not found" })],
    ["does not list its models (status 200)", responding(200, ["qwen"])],
  ])("start anyway when the server %s", async (problem, behaviour) => {
    serve(backend, behaviour);
    const started = await start();
    expect(started.warnings).toEqual([`The server at ${backend.baseUrl} (CHAT_BASE_URL) ${problem}.`]);
    expect(tasksOf(started).at(-1)).toEqual(["sample", "transcription", "speech"]);
  });

  it("start anyway when the address is closed", async () => {
    const nowhere = "http://127.0.0.1:9/v1";
    expect((await start({ CHAT_BASE_URL: nowhere })).warnings).toEqual([
      `The server at ${nowhere} (CHAT_BASE_URL) does not respond.`,
    ]);
  });
});

describe("a server of a single task, without one of chat", () => {
  it("is checked as well, and its address is named when it does not respond", async () => {
    const nowhere = "http://127.0.0.1:9/v1";
    models = await startModels(0, { TRANSCRIPTION_BASE_URL: nowhere });
    expect(models.warnings).toEqual([`The server at ${nowhere} (TRANSCRIPTION_BASE_URL) does not respond.`]);
    expect(tasksOf(models)).toEqual([
      ["sample", "chat", "translation", "speech"],
      ["other", "transcription"],
    ]);
  });

  it.each([
    ["chat", "CHAT_BASE_URL", "CHAT_MODELS", '["only"]'],
    ["transcription", "TRANSCRIPTION_BASE_URL", "TRANSCRIPTION_MODEL", "only"],
    ["speech", "SPEECH_BASE_URL", "SPEECH_MODEL", "only"],
    ["translation", "TRANSLATION_BASE_URL", "TRANSLATION_MODEL", "only"],
  ])(
    "lends its only model's name to %s, unless a person named one",
    async (_task, address, setting, value) => {
      serve(backend, listing("only", "nomic-embed-text"));
      models = await startModels(0, { [address]: backend.baseUrl });
      expect(models.variables[setting]).toBe(value);
      expect(models.warnings).toEqual([]);
      await models.close();
      models = await startModels(0, { [address]: backend.baseUrl, [setting]: "mine" });
      expect(models.variables[setting]).toBe("mine");
      expect(models.warnings.join()).toContain(`Set ${setting}, or requests may fail`);
    },
  );

  it("transcribes a second of silence in the first language of its profile, or the banner says why not", async () => {
    serve(backend, (response, request) => {
      const isListing = request.method === "GET";
      const refusal = { error: { message: "Unsupported language: sw" } };
      responding(isListing ? 200 : 400, isListing ? { data: [{ id: "whisper" }] } : refusal)(
        response,
        request,
      );
    });
    const variables = { TRANSCRIPTION_BASE_URL: backend.baseUrl, TRANSCRIPTION_PROFILE: "whisper-51" };
    models = await startModels(0, variables);
    expect(models.warnings).toEqual([
      `The server at ${backend.baseUrl} (TRANSCRIPTION_BASE_URL) does not transcribe a second of silence in English. The model behind this service does not know English.`,
    ]);
  });

  it("has the voices of the stage, or the banner says which it lacks", async () => {
    const voices =
      (names: readonly unknown[]): Behaviour =>
      (response, request) => {
        const body = request.url?.endsWith("/voices") ? { voices: names } : { data: [{ id: "kokoro" }] };
        responding(200, body)(response, request);
      };
    serve(backend, voices(["af_heart", { id: "af_bella" }]));
    const variables = { SPEECH_BASE_URL: backend.baseUrl };
    models = await startModels(0, variables);
    expect(models.warnings).toEqual([
      expect.stringMatching(
        /\(SPEECH_BASE_URL\) has no voice \w+, \w+, \w+ and \d+ others \(it has af_heart and af_bella\)\. Name its voices in voices\.json\.$/,
      ),
    ]);
    await models.close();
    serve(backend, voices(synthesisLanguages.flatMap(({ voices: tags }) => tags)));
    models = await startModels(0, variables);
    expect(models.warnings).toEqual([]);
  });
});

describe("servers on this machine", () => {
  const portOf = ({ baseUrl }: FakeBackend): number => Number(new URL(baseUrl).port);

  it("are found at the usual ports, by the names of their models", async () => {
    const other = await startFakeBackend();
    serve(backend, listing("bge-m3", "qwen2.5:1.5b", "llama3:8b"));
    serve(other, listing("Systran/faster-whisper-small", "kokoro"));
    models = await startModels(0, {}, [9, portOf(backend), portOf(other)]);
    expect(models.found).toEqual([
      { task: "chat", url: backend.baseUrl, model: "qwen2.5:1.5b" },
      { task: "transcription", url: other.baseUrl, model: "Systran/faster-whisper-small" },
      { task: "speech", url: other.baseUrl, model: "kokoro" },
    ]);
    expect(tasksOf(models)).toEqual([
      ["other", "chat", "translation"],
      ["other", "transcription", "speech"],
    ]);
    expect(models.variables).toMatchObject({
      CHAT_BASE_URL: backend.baseUrl,
      CHAT_MODELS: '["qwen2.5:1.5b"]',
      TRANSCRIPTION_MODEL: "Systran/faster-whisper-small",
      SPEECH_MODEL: "kokoro",
    });
    await other.close();
  });

  it("leave to the samples what none of them does", async () => {
    serve(backend, listing("whisper-1"));
    models = await startModels(0, {}, [portOf(backend)]);
    expect(tasksOf(models)).toEqual([
      ["sample", "chat", "translation", "speech"],
      ["other", "transcription"],
    ]);
  });

  it("delay the start for a moment at most when they are silent", async () => {
    serve(backend, () => undefined);
    models = await startModels(0, {}, [portOf(backend)]);
    expect(models.found).toEqual([]);
  });

  it.each([
    [{ MODELS: "sample" }],
    [{ CI: "1" }],
    [{ HOST: "0.0.0.0" }],
    [{ SPEECH_BASE_URL: "http://127.0.0.1:9/v1" }],
    [{ CHAT_SERVERS: '[{"name": "gpu", "base_url": "http://127.0.0.1:9/v1"}]' }],
  ])("are not looked for with %j", async (variables) => {
    serve(backend, listing("qwen"));
    const { length: listed } = backend.lists;
    models = await startModels(0, variables, [portOf(backend)]);
    expect(models.found).toEqual([]);
    expect(backend.lists).toHaveLength(listed);
  });
});
