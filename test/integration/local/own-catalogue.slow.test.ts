import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import ownLanguages from "../../fixtures/own-catalogue/languages.json" with { type: "json" };
import ownVoices from "../../fixtures/own-catalogue/voices.json" with { type: "json" };
import { completion, type FakeBackend, responding, startFakeBackend } from "../../support/fake-backend.ts";
import { type RunningService, runService } from "../../support/run-service.ts";
import { audioBytes, wavFile } from "../../support/wav.ts";

const stageFolder = join(import.meta.dirname, "../../fixtures/own-catalogue");
const password = "seven storks by the lake";
const { voices } = ownVoices;
const tags = voices.map(({ tag }) => tag);

let folder: string;
let backend: FakeBackend;
let service: RunningService;
let token: string;

/** A server of all models. */
const behave = (): void =>
  backend.behave((response, request) => {
    const path = request.url ?? "";
    if (path.endsWith("/audio/speech")) {
      response
        .writeHead(200, { "Content-Type": "audio/wav" })
        .end(wavFile(audioBytes(4_800), { stated: true }));
    } else if (path.endsWith("/audio/transcriptions")) {
      responding(200, { text: "Ooye", duration: 1 })(response, request);
    } else responding(200, completion("Ooye"))(response, request);
  });

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${token}`, ...headers } });

const getPage = async (path: string): Promise<string> =>
  (await fetch(`${service.url}${path}`, { headers: { Accept: "text/html" } })).text();

const post = (path: string, body: object | FormData) =>
  fetch(`${service.url}${path}`, {
    method: "POST",
    body: body instanceof FormData ? body : JSON.stringify(body),
    headers: {
      ...(body instanceof FormData ? {} : { "Content-Type": "application/json" }),
      Authorization: `Bearer ${token}`,
    },
  });

const lastRequest = (): string => backend.received.at(-1)?.body ?? "";

const languagesResponse = z.object({
  languages: z.array(
    z.object({ code: z.string(), name: z.string(), tasks: z.array(z.string()), voices: z.array(z.string()) }),
  ),
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-catalogue-"));
  backend = await startFakeBackend();
  behave();
  service = await runService({
    PORT: "0",
    DATA_DIR: folder,
    // The functions are built for this stage.
    BUILT_FUNCTIONS: "",
    STAGE_DIR: stageFolder,
    CHAT_BASE_URL: backend.baseUrl,
    SPEECH_BASE_URL: backend.baseUrl,
    TRANSCRIPTION_BASE_URL: backend.baseUrl,
  });
  token = "";
  await post("/auth/register", { username: "amina", email: "amina@example.com", password });
  const response = await fetch(`${service.url}/auth/token`, {
    method: "POST",
    body: new URLSearchParams({ username: "amina", password }),
  });
  ({ access_token: token } = z.object({ access_token: z.string() }).parse(await response.json()));
}, 120_000);

afterAll(async () => {
  await service.stop();
  await backend.close();
  await rm(folder, { recursive: true, force: true });
});

describe("a stage with ten voices and three languages of its own", () => {
  it("lists its languages with what they support", async () => {
    const { languages } = languagesResponse.parse(await (await get("/languages")).json());
    const find = (code: string) => languages.find((language) => language.code === code);
    expect(find("alz")).toEqual({
      code: "alz",
      name: "Alur",
      tasks: ["translate", "transcribe", "speech"],
      voices: ["alur.pa"],
    });
    expect(find("gof")?.tasks).toEqual(["translate", "transcribe", "speech"]);
    expect(find("tuv")?.tasks).toEqual(["translate", "speech"]);
    expect(languages.map(({ code }) => code)).toEqual(languages.map(({ code }) => code).toSorted());
    expect(languages.flatMap((language) => language.voices).toSorted()).toEqual(tags.toSorted());
  });

  it("lists its voices and no others", async () => {
    const catalogue = await (await get("/tasks/voice/speakers")).json();
    expect(catalogue).toMatchObject({ default: "nakato", total: 10 });
    const gofa = await (await get("/tasks/voice/speakers?language=Gofa")).json();
    expect(gofa).toEqual({ language: "gof", speakers: ["gofa-1", "gofa-2"], count: 2 });
    const openAi = await (await get("/v1/audio/voices")).json();
    expect(openAi).toMatchObject({
      voices: expect.arrayContaining([{ id: "gofa-1", name: "Dalgite (Gofa, female)" }]),
    });
  });

  it.each(voices)(
    "speaks with $tag, which its server knows as $model_voice",
    async ({ tag, model_voice }) => {
      behave();
      const response = await post("/tasks/audio/speech", {
        text: "Ooye",
        voice: tag,
        response_mode: "stream",
      });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      expect(JSON.parse(lastRequest())).toMatchObject({ voice: model_voice });
    },
  );

  it("names its own tag in responses, never the name that its server knows", async () => {
    const response = await post("/tasks/audio/speech", { text: "Ooye", language: "gof" });
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ voice: "gofa-1", language: "gof" });
    expect(text).not.toContain("voices/gofa");
  });

  it("speaks through OpenAI's route too, with the first voice of a language for one of OpenAI's", async () => {
    const response = await post("/v1/audio/speech", {
      model: "tts-1",
      voice: "alloy",
      input: "Ooye",
      language: "Turkana",
      response_format: "wav",
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    expect(JSON.parse(lastRequest())).toMatchObject({ voice: "speaker-08", language: "tuv" });
  });

  it("refuses the specification's voices, which it replaces, and languages without a voice", async () => {
    const refused = await post("/tasks/audio/speech", { text: "Ooye", voice: "salt_lug_0001" });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { code: "invalid_speaker", supported_voices: expect.arrayContaining(tags) },
    });
    const unknown = await post("/tasks/audio/speech", { text: "Ooye", language: "teo" });
    expect(await unknown.json()).toMatchObject({ error: { code: "unknown_language" } });
  });

  it("translates to its languages, by the names that its model knows", async () => {
    const response = await post("/tasks/translate", {
      source_language: "Gofa",
      target_language: "tuv",
      text: "Ooye",
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      output: { source_language: "gof", target_language: "tuv" },
    });
    expect(lastRequest()).toContain("Turkana");
    expect(lastRequest()).toContain("Gofa");
    const refused = await post("/tasks/translate", { target_language: "amh", text: "Ooye" });
    expect(await refused.json()).toMatchObject({
      error: { supported_languages: expect.arrayContaining([{ code: "tuv", name: "Turkana" }]) },
    });
  });

  it("transcribes its languages, by the field and by the model's name", async () => {
    const recording = new Blob([wavFile(audioBytes(48_000), { stated: true })], { type: "audio/wav" });
    for (const [path, fields] of [
      ["/tasks/audio/transcriptions", { audio: recording, language: "gof" }],
      ["/v1/audio/transcriptions", { file: recording, model: "stt-51:alz" }],
    ] as const) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      const response = await post(path, form);
      expect(response.status, await response.clone().text()).toBe(200);
      await response.text();
    }
    const sent = backend.received.filter(({ path }) => path.endsWith("/audio/transcriptions"));
    expect(sent.map(({ body }) => /name="language"\s+(?<code>\w+)/.exec(body)?.groups?.["code"])).toEqual([
      "gof",
      "alz",
    ]);
    const form = new FormData();
    form.set("audio", recording);
    form.set("language", "tuv");
    expect((await post("/tasks/audio/transcriptions", form)).status).toBe(422);
  });

  it.each([
    ["stt-51:gof", 200],
    ["stt-51:Alur", 200],
    ["stt-51:tuv", 404],
  ])("has the model %s or not: %i", async (model, status) => {
    expect((await get(`/v1/models/${model}`)).status).toBe(status);
  });

  it("takes one of its languages as an account's default, and for jobs", async () => {
    const profile = await fetch(`${service.url}/auth/profile`, {
      method: "PUT",
      body: JSON.stringify({ default_language: "Gofa" }),
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    });
    expect(profile.status).toBe(200);
    const job = { file_id: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69" };
    const known = await post("/tasks/jobs", { ...job, type: "transcription", language: "gof" });
    expect(known.status).toBe(404);
    const unknown = await post("/tasks/jobs", { ...job, type: "transcription", language: "tuv" });
    expect(unknown.status).toBe(422);
  });

  it("describes them in its OpenAPI document", async () => {
    const text = await (await get("/openapi.json")).text();
    expect(text).toContain("Transcribe audio in one of 53 languages");
    expect(text).toContain("Translate a text between two of the 34 languages");
    expect(text).toContain("`gof` Gofa");
    expect(text).toContain('"nakato"');
    expect(text).not.toMatch(/salt_|waxal_/);
    const schemas = z
      .object({
        components: z.object({
          schemas: z.looseObject({ TranscriptionLanguage: z.object({ enum: z.array(z.string()) }) }),
        }),
      })
      .parse(JSON.parse(text)).components.schemas;
    expect(schemas.TranscriptionLanguage.enum).toHaveLength(53);
  });

  it("shows them in the console and its documentation", async () => {
    const languages = await getPage("/console/languages");
    for (const { name } of [...ownLanguages.translation, ...ownLanguages.transcription]) {
      expect(languages).toContain(name);
    }
    const playground = await getPage("/console/playground?try=speak");
    expect(playground).toContain("Luganda · Nakato (female)");
    expect(playground).toContain('value="gofa-2"');
    expect(playground).not.toContain("salt_");
    const guide = await getPage("/docs/guides/languages");
    expect(guide).toContain("Turkana");
    expect(guide).toMatch(/transcribe 53 and speak\s+7/);
    expect(await getPage("/docs/guides/from-v1")).toContain("nakato");
    expect(await getPage("/")).not.toContain("salt_");
  });
});

describe("a stage without files of its own", () => {
  it("has the bundles of the specification's catalogue", async () => {
    const built = process.env["BUILT_FUNCTIONS"] ?? "";
    const bundle = await readFile(join(built, "speech/index.mjs"), "utf8");
    expect(bundle).toContain("salt_lug_0001");
    expect(bundle).not.toContain("nakato");
    const own = await readFile(join(folder, "build/functions/speech/index.mjs"), "utf8");
    expect(own).toContain("nakato");
  });
});
