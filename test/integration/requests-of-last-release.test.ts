import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localStage } from "../../infra/stages.ts";
import { createOpenAiTranscriber } from "../../shared/models/inference/openai/transcriber.ts";
import { createTranslator } from "../../shared/models/inference/openai/translator.ts";
import type { ModelTask } from "../../shared/platform/telemetry/backend-uses.ts";
import { modelServersFrom } from "../../shared/wiring/model-servers.ts";
import recorded from "../fixtures/model-servers/requests-of-2.8.0.json" with { type: "json" };
import { completion, type FakeBackend, responding, startFakeBackend } from "../support/fake-backend.ts";

let server: FakeBackend;
beforeAll(async () => {
  server = await startFakeBackend();
});
afterAll(() => server.close());

const call = { signal: new AbortController().signal };

/** The servers of a stage that has the settings of version 2.8.0 and names the profiles that keep what it sends. */
const serversOf = (task: Extract<ModelTask, "translation" | "transcription">) => {
  const { settings } = localStage({
    CHAT_BASE_URL: server.baseUrl,
    CHAT_MODEL_14B: "large",
    CHAT_MODEL_9B: "m",
    TRANSCRIPTION_MODEL: "m",
    TRANSLATION_PROFILE: "instructed",
    TRANSCRIPTION_PROFILE: "iso639-3",
  });
  const isTranslation = task === "translation";
  const given = {
    servers: undefined,
    baseUrl: isTranslation ? settings.TRANSLATION_BASE_URL : settings.TRANSCRIPTION_BASE_URL,
    models: [{ name: isTranslation ? settings.TRANSLATION_MODEL : settings.TRANSCRIPTION_MODEL }],
    profile: isTranslation ? settings.TRANSLATION_PROFILE : settings.TRANSCRIPTION_PROFILE,
  };
  return modelServersFrom(task, given, { silenceMilliseconds: 5_000, keyOf: async () => undefined });
};

/** How many tokens a reply may have is no part of a profile. */
const withoutLimit = (body: string): string => body.replace(/"max_tokens":\d+,/, "");

describe("a stage of version 2.8.0 that names instructed and iso639-3", () => {
  it.each(recorded.translations)("requests the translation $request as before", async ({ request, body }) => {
    server.behave(responding(200, completion("Oli otya?")));
    const translator = createTranslator(serversOf("translation"));
    await translator.translate({ sourceLanguage: undefined, ...request }, call);
    expect(withoutLimit(server.received[0]?.body ?? "")).toBe(withoutLimit(body));
  });

  it.each(recorded.transcriptions)("names $language as before", async ({ language, body }) => {
    server.behave(responding(200, { text: "Oli otya?" }));
    const source = { size: 4, read: async () => Buffer.from("RIFF") };
    const recording = { source, mediaType: "audio/wav", fileExtension: "wav" };
    await createOpenAiTranscriber(serversOf("transcription")).transcribe(
      { recording, language, withSegments: true, prompt: "p" },
      call,
    );
    expect(server.received[0]?.body.replaceAll(/form-[\da-f-]{36}/g, "form")).toBe(body);
  });
});
