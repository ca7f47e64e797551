import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { transcriptionEndpoints } from "../../functions/transcription/endpoints.ts";
import { translateEndpoints } from "../../functions/translate/endpoints.ts";
import type { Backend } from "../../shared/models/inference/openai/backend.ts";
import { createOpenAiTranscriber } from "../../shared/models/inference/openai/transcriber.ts";
import { createTranslator } from "../../shared/models/inference/openai/translator.ts";
import type { GivenProfile } from "../../shared/models/inference/profile-schema.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { type FakeBackend, startFakeBackend } from "../support/fake-backend.ts";
import { libreTranslateServer, whisperServer } from "../support/model-families.ts";
import { modelServer } from "../support/model-servers.ts";
import { decodeForm, encodeForm, formFile } from "../support/multipart.ts";
import { authorizedCaller, send } from "../support/send.ts";
import { uncountedCharacters } from "../support/uncounted-characters.ts";
import { unsureDetector } from "../support/unsure-detector.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

let server: FakeBackend;
let other: FakeBackend;
beforeEach(async () => {
  [server, other] = await Promise.all([startFakeBackend(), startFakeBackend()]);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([server.close(), other.close()]);
});

const unused = () => Promise.reject(new Error("The store is not needed."));

/** The service in front of servers of transcription. */
const transcription = (first: Backend, ...others: Backend[]) => {
  const endpoints = transcriptionEndpoints({
    transcriber: createOpenAiTranscriber([first, ...others]),
    uploads: { find: unused },
    store: { delete: unused, open: unused },
  });
  return async (language: string) => {
    const form = { audio: formFile(wavFile(audioBytes(48_000), { stated: true })), language };
    const request = { path: "/tasks/audio/transcriptions", ...(await encodeForm(form)) };
    return send(endpoints, { ...request, authorizer: authorizedCaller, remainingMilliseconds: 60_000 });
  };
};

const receivedCodes = async (at: FakeBackend): Promise<unknown[]> =>
  Promise.all(
    at.received.map(async ({ bytes, headers }) =>
      (await decodeForm(bytes, headers["content-type"])).get("language"),
    ),
  );

const unknownAcholi = {
  status: 502,
  body: expect.objectContaining({ detail: "The model behind this service does not know Acholi." }),
};

describe("a transcription by a server of Whisper's models", () => {
  it.each<[profile: GivenProfile["transcription"], language: string, code: string | undefined]>([
    [{}, "eng", "en"],
    [{}, "swa", "sw"],
    [{}, "lug", "lg"],
    [{}, "ach", "ach"],
    [{ language_codes: "iso639-3" }, "swa", "swa"],
    [{ language_codes: "names" }, "swa", "Swahili"],
    [{ language_codes: "none" }, "swa", undefined],
    [{ language_codes: { swa: "x-swahili" } }, "swa", "x-swahili"],
  ])("with the profile %j names %s as %s", async (profile, language, code) => {
    const transcribe = transcription(
      modelServer({ baseUrl: server.baseUrl, profile: { transcription: profile } }),
    );
    server.behave((response) => response.end('{"text":"x"}'));
    expect(await transcribe(language)).toMatchObject({ status: 200 });
    expect(await receivedCodes(server)).toEqual([code]);
  });

  it.each(["vLLM", "faster-whisper-server"] as const)(
    "of the family %s works in English and Swahili, and says which language its model does not know",
    async (family) => {
      const error = vi.spyOn(logger, "error").mockReturnValue();
      server.behave(whisperServer(server, family));
      const transcribe = transcription(modelServer({ baseUrl: server.baseUrl }));
      expect(await transcribe("eng")).toMatchObject({ status: 200, body: { text: "In en." } });
      expect(await transcribe("swa")).toMatchObject({ status: 200, body: { text: "In sw." } });
      for (let count = 0; count < 7; count += 1) expect(await transcribe("ach")).toMatchObject(unknownAcholi);
      const lines = error.mock.calls.filter(([event]) => event === "model.language_unknown");
      expect(lines).toEqual([
        ["model.language_unknown", { backend: "transcription", server: "transcription", language: "ach" }],
      ]);
      // A language that a model does not know is no failure of its server.
      expect(await transcribe("eng")).toMatchObject({ status: 200 });
    },
  );

  it("that fails without words gets silence once, in this language and in another", async () => {
    server.behave(whisperServer(server, "faster-whisper-server"));
    const transcribe = transcription(modelServer({ baseUrl: server.baseUrl }));
    await transcribe("ach");
    await transcribe("ach");
    expect(await receivedCodes(server)).toEqual(["ach", "en", "ach", "ach"]);
    const sizes = server.received.map(({ bytes }) => bytes.length);
    expect(sizes[1]).toBeLessThan(33_500);
  });

  it("that fails for everything is a server that fails, and gets silence once", async () => {
    server.behave(whisperServer(server, "faster-whisper-server", true));
    const transcribe = transcription(modelServer({ baseUrl: server.baseUrl }));
    for (let count = 0; count < 2; count += 1) {
      expect(await transcribe("ach")).toMatchObject({
        status: 502,
        body: { detail: "The model's server failed." },
      });
    }
    expect(await receivedCodes(server)).toEqual(["ach", "en", "ach"]);
  });

  it("gets a language that its model does not know from another server", async () => {
    server.behave(whisperServer(server, "vLLM"));
    other.behave((response) => response.end('{"text":"Itye maber."}'));
    const transcribe = transcription(
      modelServer({ name: "whisper", baseUrl: server.baseUrl }),
      modelServer({ name: "own", baseUrl: other.baseUrl, order: 2 }),
    );
    expect(await transcribe("ach")).toMatchObject({ status: 200, body: { text: "Itye maber." } });
  });

  it("is left to the servers whose profile has the language", async () => {
    for (const each of [server, other]) each.behave((response) => response.end('{"text":"x"}'));
    const transcribe = transcription(
      modelServer({
        name: "whisper",
        baseUrl: server.baseUrl,
        profile: { transcription: { languages: ["eng"] } },
      }),
      modelServer({
        name: "own",
        baseUrl: other.baseUrl,
        profile: { transcription: { language_codes: { lug: "sd" } } },
      }),
    );
    for (const language of ["eng", "eng", "lug", "lug"]) await transcribe(language);
    expect(await receivedCodes(server)).toEqual(["en", "en"]);
    expect(await receivedCodes(other)).toEqual(["sd", "sd"]);
    expect(await transcribe("ach")).toMatchObject(unknownAcholi);
    expect([server.received.length, other.received.length]).toEqual([2, 2]);
  });

  it("gets no prompt, and no request for speakers, where its profile says that it takes none", async () => {
    server.behave((response) => response.end('{"text":"x"}'));
    const profile = { transcription: { prompt: false, diarizes: false } };
    const transcriber = createOpenAiTranscriber([modelServer({ baseUrl: server.baseUrl, profile })]);
    const source = { size: 4, read: async () => Buffer.from("RIFF") };
    const recording = { source, mediaType: "audio/wav", fileExtension: "wav" };
    const request = {
      ...{ recording, language: "eng", withSegments: true, prompt: "Gulu" },
      speakers: "attempted" as const,
    };
    await transcriber.transcribe(request, { signal: new AbortController().signal });
    const [received] = server.received;
    const form = await decodeForm(received?.bytes ?? Buffer.alloc(0), received?.headers["content-type"]);
    expect([form.get("prompt"), form.get("response_format")]).toEqual([undefined, "verbose_json"]);
  });
});

/** The service in front of a server of translation. */
const translation = (backend: Backend) => {
  const endpoints = translateEndpoints({
    characters: uncountedCharacters,
    sourceDetector: unsureDetector,
    translator: createTranslator([backend]),
  });
  return (body: object) =>
    send(endpoints, {
      path: "/tasks/translate",
      body,
      authorizer: authorizedCaller,
      remainingMilliseconds: 60_000,
    });
};

describe("a translation by a server of LibreTranslate's dialect", () => {
  const codes = { eng: "eng_Latn", lug: "lug_Latn", ach: "ach_Latn" };
  const direct = (language_codes: Record<string, string> = codes): GivenProfile => ({
    translation: { dialect: "libretranslate", language_codes },
  });
  const text = "How are you?";

  it("has the text, the model's codes and the key in its body", async () => {
    server.behave(libreTranslateServer(server, ["eng_Latn", "lug_Latn"]));
    const baseUrl = server.baseUrl.replace("/v1", "");
    const translate = translation(modelServer({ baseUrl, apiKey: async () => "secret", profile: direct() }));
    expect(await translate({ source_language: "eng", target_language: "lug", text })).toMatchObject({
      status: 200,
      body: { status: "COMPLETED", output: { translated_text: "[lug_Latn] How are you?" }, usage: null },
    });
    const [received] = server.received;
    expect(received?.path).toBe("/translate");
    expect(received?.headers.authorization).toBeUndefined();
    expect(JSON.parse(received?.body ?? "")).toEqual({
      q: text,
      source: "eng_Latn",
      target: "lug_Latn",
      format: "text",
      api_key: "secret",
    });
  });

  it("has no key where there is none, and leaves an unknown source to the server", async () => {
    server.behave(libreTranslateServer(server, ["lug_Latn"]));
    const translate = translation(modelServer({ baseUrl: server.baseUrl, profile: direct() }));
    expect(await translate({ target_language: "lug", text })).toMatchObject({ status: 200 });
    expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
      q: text,
      source: "auto",
      target: "lug_Latn",
      format: "text",
    });
  });

  it("says which language the model does not know, by the server's words or by the profile", async () => {
    vi.spyOn(logger, "error").mockReturnValue();
    server.behave(libreTranslateServer(server, ["eng_Latn"]));
    const request = { source_language: "eng", target_language: "ach", text };
    const ready = translation(modelServer({ baseUrl: server.baseUrl, profile: direct() }));
    expect(await ready(request)).toMatchObject(unknownAcholi);
    const { lug, eng } = codes;
    const known = translation(modelServer({ baseUrl: server.baseUrl, profile: direct({ lug, eng }) }));
    expect(await known(request)).toMatchObject(unknownAcholi);
    expect(server.received).toHaveLength(1);
  });

  it.each([
    ["an empty translation", 200, { translatedText: " " }, 502],
    ["no translation", 200, { hello: "world" }, 502],
    ["a refusal of the key", 403, { error: "Invalid API key" }, 502],
    ["that it is busy", 429, { error: "Slowdown: 20 per 1 minute" }, 503],
  ])("that returns %s is a failure", async (_what, status, body, expected) => {
    vi.spyOn(logger, "error").mockReturnValue();
    server.behave((response) => response.writeHead(status).end(JSON.stringify(body)));
    const translate = translation(modelServer({ baseUrl: server.baseUrl, profile: direct() }));
    expect(await translate({ source_language: "eng", target_language: "lug", text })).toMatchObject({
      status: expected,
    });
  });
});
