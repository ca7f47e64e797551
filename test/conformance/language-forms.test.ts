import { beforeAll, describe, expect, inject, it } from "vitest";
import { call, sharedAccount } from "../support/client.ts";
import { formData, formFile } from "../support/multipart.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const recording = formFile(wavFile(audioBytes(24_000), { stated: true }));
const text = "Oli otya?";

const post = (path: string, body: object) => call(path, { token, body });

/** Every route that takes a language, as a request that names it. */
const routes = {
  "/tasks/translate, from": (language: string) =>
    post("/tasks/translate", { source_language: language, target_language: "eng", text }),
  "/tasks/translate, into": (language: string) =>
    post("/tasks/translate", { target_language: language, text: "Thank you" }),
  "/tasks/audio/transcriptions": (language: string) =>
    post("/tasks/audio/transcriptions", formData({ audio: recording, language })),
  "/tasks/audio/speech": (language: string) => post("/tasks/audio/speech", { text, language }),
  "/tasks/audio/speech/batch": (language: string) =>
    post("/tasks/audio/speech/batch", { items: [{ text, language }] }),
  "/tasks/voice/speakers": (language: string) =>
    call(`/tasks/voice/speakers?language=${encodeURIComponent(language)}`, { token }),
  "/v1/audio/transcriptions": (language: string) =>
    post("/v1/audio/transcriptions", formData({ file: recording, model: "stt-51", language })),
  "/v1/audio/transcriptions, by the model": (language: string) =>
    post("/v1/audio/transcriptions", formData({ file: recording, model: `stt-51:${language}` })),
  "/v1/audio/translations": (language: string) =>
    post("/v1/audio/translations", formData({ file: recording, model: "stt-51", language })),
  "/v1/audio/speech": (language: string) =>
    post("/v1/audio/speech", { model: "tts-20", input: text, voice: "alloy", language }),
  "/auth/profile": (language: string) =>
    call("/auth/profile", { method: "PUT", token, body: { default_language: language } }),
  "/tasks/stt": (language: string) => post("/tasks/stt", formData({ audio: recording, language })),
  "/tasks/modal/stt": (language: string) =>
    post("/tasks/modal/stt", formData({ audio: recording, language })),
  "/tasks/modal/orpheus/tts": (language: string) => post("/tasks/modal/orpheus/tts", { text, language }),
  "/tasks/modal/orpheus/speakers/{language}": (language: string) =>
    call(`/tasks/modal/orpheus/speakers/${encodeURIComponent(language)}`, { token }),
} as const;

// The stage's own names of the deprecated routes are known locally only.
describe.runIf(inject("isLocal"))("a language", () => {
  it.each(Object.entries(routes))("has four forms on %s, and no other", async (_name, request) => {
    for (const form of ["lug", "lg", "lg-UG", "Luganda"]) {
      expect({ form, status: (await request(form)).status }).toEqual({ form, status: 200 });
    }
    const { status } = await request("Klingon");
    expect([400, 404, 422]).toContain(status);
  });
});
