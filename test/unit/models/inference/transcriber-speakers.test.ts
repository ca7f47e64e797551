import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bufferSource } from "../../../../shared/audio/read-audio.ts";
import { createOpenAiTranscriber } from "../../../../shared/models/inference/openai/transcriber.ts";
import type { TranscriptionRequest } from "../../../../shared/models/inference/transcription.ts";
import { type FakeBackend, responding, startFakeBackend } from "../../../support/fake-backend.ts";
import { modelServer } from "../../../support/model-servers.ts";
import { decodeForm } from "../../../support/multipart.ts";
import { audioBytes, wavFile } from "../../../support/wav.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

const recording = {
  source: bufferSource(wavFile(audioBytes(48_000), { stated: true })),
  mediaType: "audio/wav",
  fileExtension: "wav",
};

const transcribe = (request: Partial<TranscriptionRequest>) =>
  createOpenAiTranscriber([
    modelServer(
      { baseUrl: backend.baseUrl, apiKey: async () => undefined, silenceMilliseconds: 500 },
      "model-1",
    ),
  ]).transcribe(
    { recording, language: "lug", withSegments: false, ...request },
    { signal: new AbortController().signal },
  );

const receivedForms = () =>
  Promise.all(backend.received.map(({ bytes, headers }) => decodeForm(bytes, headers["content-type"])));

const diarized = {
  task: "transcribe",
  duration: 27.4,
  text: "Oli otya? Bulungi.",
  segments: [
    { type: "transcript.text.segment", id: "seg_001", start: 0, end: 4.7, text: " Oli otya?", speaker: "A" },
    {
      type: "transcript.text.segment",
      id: "seg_002",
      start: 4.7,
      end: 11.8,
      text: " Bulungi.",
      speaker: "B",
    },
  ],
};

describe("a transcription that is to tell who speaks", () => {
  it("requests it in the format of OpenAI's own diarization", async () => {
    backend.behave(responding(200, diarized));
    expect(await transcribe({ withSpeakers: true })).toEqual({
      text: "Oli otya? Bulungi.",
      segments: [
        { start: 0, end: 4.7, text: "Oli otya?", speaker: "A" },
        { start: 4.7, end: 11.8, text: "Bulungi.", speaker: "B" },
      ],
    });
    const [form] = await receivedForms();
    expect(form?.get("response_format")).toBe("diarized_json");
    expect(form?.get("chunking_strategy")).toBe("auto");
    expect(form?.has("timestamp_granularities[]")).toBe(false);
  });

  it.each([
    [400, { error: { message: "response_format 'diarized_json' is not compatible with model 'x'." } }],
    [422, { detail: [{ loc: ["body", "chunking_strategy"], msg: "Extra inputs are not permitted" }] }],
  ])("does without when the server refuses it with %i", async (status, refusal) => {
    backend.behave(responding(status, refusal), responding(200, { text: "Oli otya?" }));
    expect(await transcribe({ withSpeakers: true })).toEqual({ text: "Oli otya?", segments: undefined });
    const forms = await receivedForms();
    expect(forms.map((form) => form.get("response_format"))).toEqual(["diarized_json", "json"]);
    expect(forms[1]?.has("chunking_strategy")).toBe(false);
  });

  it.each([[null], [""], [7], [undefined]])("does not use the speaker %j as a name", async (speaker) => {
    backend.behave(responding(200, { text: "Oli", segments: [{ start: 0, end: 1, text: "Oli", speaker }] }));
    expect((await transcribe({ withSpeakers: true })).segments).toEqual([{ start: 0, end: 1, text: "Oli" }]);
  });
});

describe("a transcription in an unknown language", () => {
  it("leaves it to the server to find it out", async () => {
    backend.behave(responding(200, { text: "Oli otya?" }));
    await transcribe({ language: undefined });
    expect((await receivedForms())[0]?.has("language")).toBe(false);
  });
});
