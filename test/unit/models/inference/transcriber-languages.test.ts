import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bufferSource } from "../../../../shared/audio/read-audio.ts";
import { createOpenAiTranscriber } from "../../../../shared/models/inference/openai/transcriber.ts";
import type { GivenProfile } from "../../../../shared/models/inference/profile-schema.ts";
import { type FakeBackend, responding, startFakeBackend } from "../../../support/fake-backend.ts";
import { modelServer } from "../../../support/model-servers.ts";
import { decodeForm } from "../../../support/multipart.ts";
import { audioBytes, wavFile } from "../../../support/wav.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

const source = bufferSource(wavFile(audioBytes(48_000), { stated: true }));
const recording = { source, mediaType: "audio/wav", fileExtension: "wav" };

const transcribe = (
  language: string | undefined,
  ...profiles: readonly [GivenProfile["transcription"], ...GivenProfile["transcription"][]]
) => {
  const [first, ...others] = profiles.map((transcription = {}, index) =>
    modelServer(
      { name: `server-${index}`, baseUrl: backend.baseUrl, profile: { transcription } },
      `model-${index}`,
    ),
  );
  if (!first) throw new Error("There is no server.");
  return createOpenAiTranscriber([first, ...others]).transcribe(
    { recording, language, detectsLanguage: language === undefined, withSegments: true },
    { signal: new AbortController().signal },
  );
};

describe("a transcription whose language a server detects", () => {
  it.each<[string, string | undefined, GivenProfile["transcription"]]>([
    ["english", "eng", {}],
    ["sw", "swa", {}],
    ["lug", "lug", { language_codes: "iso639-3" }],
    ["SD", "lug", { language_codes: { lug: "sd", eng: "en" } }],
    ["lug", undefined, { language_codes: { lug: "sd", eng: "en" } }],
    ["klingon", undefined, {}],
  ])("is in the language that the server calls %s: %s", async (language, code, profile) => {
    backend.behave(responding(200, { text: "Oli otya?", language }));
    expect((await transcribe(undefined, { ...profile, detects: true })).language).toBe(code);
    const [{ bytes, headers } = expect.fail("There was no request.")] = backend.received;
    const form = await decodeForm(bytes, headers["content-type"]);
    expect([form.has("language"), form.get("response_format")]).toEqual([false, "verbose_json"]);
  });

  it("goes to the only server whose profile says that it detects languages", async () => {
    backend.behave(responding(200, { text: "Oli otya?", language: "lg" }));
    expect((await transcribe(undefined, {}, { detects: false }, { detects: true })).language).toBe("lug");
    const models = backend.received.map(({ bytes, headers }) => decodeForm(bytes, headers["content-type"]));
    expect((await Promise.all(models)).map((form) => form.get("model"))).toEqual(["model-2"]);
  });

  it("costs one call, and says nothing about the language, when the request names it", async () => {
    backend.behave(responding(200, { text: "Oli otya?", language: "en" }));
    expect(await transcribe("lug", { detects: true })).toEqual({ text: "Oli otya?", segments: undefined });
    expect(backend.received).toHaveLength(1);
  });
});
