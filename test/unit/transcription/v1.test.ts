import { describe, expect, it, vi } from "vitest";
import { furtherTranscriptionEndpoints } from "../../../functions/transcription/further-endpoints.ts";
import { NoSpeakers } from "../../../shared/models/inference/openai/backend.ts";
import type { Transcription, TranscriptionRequest } from "../../../shared/models/inference/transcription.ts";
import type { TranslationRequest } from "../../../shared/models/inference/translation.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { encodeForm, formFile } from "../../support/multipart.ts";
import { authorizedCaller, send } from "../../support/send.ts";
import { unsureDetector } from "../../support/unsure-detector.ts";
import { audioBytes, wavFile } from "../../support/wav.ts";

/** Two seconds at 24 kHz. */
const recording = wavFile(audioBytes(96_000), { stated: true });

const spoken: Transcription = {
  text: "Wasuze otya nno?",
  segments: [{ start: 0.1, end: 1.2, text: "Wasuze otya nno?" }],
};

const setup = (transcription: Transcription, detectsLanguages = false) => {
  const translator = {
    translate: vi.fn(async ({ text }: TranslationRequest) => ({
      text: text.toUpperCase(),
      usage: undefined,
    })),
  };
  const transcribe = vi.fn(async (_request: TranscriptionRequest) => transcription);
  const endpoints = furtherTranscriptionEndpoints({
    transcriber: { transcribe },
    detectsLanguages,
    detector: unsureDetector,
    wordOrder: () => 0,
    translator,
    uploads: { find: async () => undefined },
    store: { delete: async () => undefined, open: async () => undefined },
  });
  const post = async (task: "transcriptions" | "translations", fields: Readonly<Record<string, string>>) =>
    send(endpoints, {
      path: `/v1/audio/${task}`,
      authorizer: authorizedCaller,
      ...(await encodeForm({ file: formFile(recording), model: "stt-51:lug", ...fields })),
    });
  return { post, translator, transcribe };
};

const wordTimes = { response_format: "verbose_json", "timestamp_granularities[]": "word" };

describe("a form of the OpenAI API's next version", () => {
  it.each([
    "gpt-transcribe",
    "gpt-4o-transcribe-diarize",
    "gpt-4o-mini-transcribe-2025-12-15",
    "gpt-4o-transcribe-2025-03-20",
  ])("may name the model %s", async (model) => {
    const { post } = setup(spoken);
    expect(await post("transcriptions", { model, language: "lug" })).toMatchObject({ status: 200 });
  });

  it("passes keywords on as part of the prompt", async () => {
    const { post, transcribe } = setup(spoken);
    await post("transcriptions", { "keywords[]": "Sekitoleko", prompt: "At the market." });
    await post("transcriptions", { keywords: "Sekitoleko" });
    await post("transcriptions", {});
    const prompts = transcribe.mock.calls.map(([{ prompt }]) => prompt);
    expect(prompts).toEqual(["Sekitoleko. At the market.", "Sekitoleko", undefined]);
  });

  it("offers a keyword next to what was heard, where the model is not sure", async () => {
    const { post } = setup({
      text: "Sekitoreko azze.",
      segments: [{ start: 0, end: 1, text: "Sekitoreko azze.", confidence: 0.6 }],
      words: [{ start: 0, end: 0.5, text: "Sekitoreko", probability: 0.3, confidence: 0.5 }],
      confidence: 0.6,
      reasons: ["improbable"],
    });
    const body = async (granularity: string) => {
      const fields = { "keywords[]": "Sekitoleko", "timestamp_granularities[]": granularity };
      return (await post("transcriptions", { response_format: "verbose_json", ...fields })).body;
    };
    const whole = { text: "Sekitoreko azze.", confidence: 0.6, reasons: ["improbable"] };
    expect(await body("segment")).toMatchObject({
      ...whole,
      segments: [{ text: "Sekitoreko azze.", confidence: 0.6, alternatives: ["Sekitoleko azze."] }],
    });
    expect(await body("word")).toMatchObject({
      ...whole,
      words: [{ word: "Sekitoreko", probability: 0.3, confidence: 0.5, alternatives: ["Sekitoleko"] }],
    });
  });

  it.each([
    ["known_speaker_names", { "known_speaker_names[]": "Amina" }],
    ["known_speaker_references", { "known_speaker_references[]": "data:audio/wav;base64,UklGRg==" }],
    ["include", { "include[]": "logprobs" }],
  ])("is refused by the name of what it cannot have: %s", async (param, fields) => {
    const { post } = setup(spoken);
    expect(await post("transcriptions", fields)).toMatchObject({
      status: 400,
      body: { error: { code: "unsupported_parameter", param: expect.stringContaining(param) } },
    });
  });
});

describe("diarized_json", () => {
  const segments = [
    { start: 0, end: 0.9, text: "Oli otya?", speaker: "SPEAKER_01" },
    { start: 0.9, end: 1.4, text: "Bulungi.", speaker: "SPEAKER_00" },
    { start: 1.4, end: 9, text: "Mmm." },
  ];

  it("names speakers by letters, in the order of their first words, within the recording", async () => {
    const { post, transcribe } = setup({ text: "Oli otya? Bulungi. Mmm.", segments });
    const response = await post("transcriptions", { response_format: "diarized_json" });
    expect(transcribe.mock.calls[0]?.[0]).toMatchObject({ speakers: "required" });
    const type = "transcript.text.segment";
    expect(response).toMatchObject({ status: 200 });
    expect(response.body).toEqual({
      task: "transcribe",
      duration: 2,
      text: "Oli otya? Bulungi. Mmm.",
      segments: [
        { type, id: "seg_0", start: 0, end: 0.9, speaker: "A", text: "Oli otya?" },
        { type, id: "seg_1", start: 0.9, end: 1.4, speaker: "B", text: "Bulungi." },
        { type, id: "seg_2", start: 1.4, end: 2, speaker: "unknown", text: "Mmm." },
      ],
      usage: { type: "duration", seconds: 2 },
    });
  });

  it("is refused by its name where no model distinguishes speakers", async () => {
    const { post, transcribe } = setup(spoken);
    transcribe.mockRejectedValue(new NoSpeakers());
    expect(await post("transcriptions", { response_format: "diarized_json" })).toMatchObject({
      status: 400,
      body: { error: { code: "unsupported_parameter", param: "response_format" } },
    });
  });

  it.each([
    ["transcriptions", { response_format: "diarized_json", stream: "true" }, "stream"],
    ["translations", { response_format: "diarized_json" }, "response_format"],
  ] as const)("is refused for %s with %j", async (task, fields, param) => {
    const { post } = setup(spoken);
    expect(await post(task, fields)).toMatchObject({ status: 400, body: { error: { param } } });
  });
});

describe("a recording in a language that the request does not name", () => {
  const unnamed = { model: "whisper-1" };

  it.each([
    ["json", { text: "Wasuze otya nno?", language: "lg" }],
    ["verbose_json", { task: "transcribe", language: "lg", text: "Wasuze otya nno?" }],
  ])("is transcribed in the one that the model detects, and %s says so", async (response_format, body) => {
    const { post, transcribe } = setup({ ...spoken, language: "lug" }, true);
    expect(await post("transcriptions", { ...unnamed, response_format })).toMatchObject({
      status: 200,
      body,
    });
    expect(transcribe.mock.calls.map(([request]) => request)).toMatchObject([
      { language: undefined, detectsLanguage: true, withSegments: true },
    ]);
  });

  it("is und when the model detects one that is not known here", async () => {
    const { post } = setup(spoken, true);
    expect(await post("transcriptions", unnamed)).toMatchObject({ body: { language: "und" } });
  });

  it("is transcribed in the one that its model names, without detection and without another field", async () => {
    const { post, transcribe } = setup(spoken, true);
    const response = await post("transcriptions", {});
    expect(response.body).not.toHaveProperty("language");
    expect(transcribe.mock.calls.map(([request]) => request)).toMatchObject([
      { language: "lug", withSegments: false },
    ]);
  });

  it.each([
    ["transcriptions", false],
    ["translations", true],
  ] as const)("is refused for %s when models detect languages: %s", async (task, detects) => {
    const { post, transcribe } = setup(spoken, detects);
    expect(await post(task, unnamed)).toMatchObject({
      status: 400,
      body: { error: { code: "language_required", param: "language" } },
    });
    expect(transcribe).not.toHaveBeenCalled();
  });
});

describe("words of a transcription", () => {
  it("end with the recording, as segments do", async () => {
    const words = [
      { start: 0.1, end: 0.9, text: "Wasuze" },
      { start: 0.9, end: 30, text: "otya" },
    ];
    const { post } = setup({ ...spoken, words });
    const { body } = await post("transcriptions", wordTimes);
    expect(body.words).toEqual([
      { word: "Wasuze", start: 0.1, end: 0.9 },
      { word: "otya", start: 0.9, end: 2 },
    ]);
    const subtitles = await post("transcriptions", { response_format: "srt" });
    expect(subtitles.body).toContain("--> 00:00:02,000\nWasuze otya\n");
  });

  it("that a server omits, although they were requested, remove nothing from the subtitles", async () => {
    const { post } = setup({ ...spoken, words: [] });
    const subtitles = await post("transcriptions", { response_format: "srt" });
    expect(subtitles.body).toBe("1\n00:00:00,100 --> 00:00:01,200\nWasuze otya nno?\n");
    expect(await post("transcriptions", wordTimes)).toMatchObject({
      status: 400,
      body: { error: { code: "unsupported_parameter", param: "timestamp_granularities" } },
    });
  });
});

describe("a translation", () => {
  const maxPieceLength = 2_000;
  const sentences = Array.from({ length: 300 }, (_, index) => `Sentence number ${index} is spoken.`).join(
    " ",
  );
  const words = Array.from({ length: 1_000 }, (_, index) => `word${index}`).join(" ");

  it.each([
    ["sentences", sentences],
    ["words without any punctuation", words],
  ])("of a model without times is written piece by piece: %s", async (_name, text) => {
    const { post, translator } = setup({ text, segments: undefined });
    const { body } = await post("translations", {});
    expect(body.text).toBe(text.toUpperCase());
    const pieces = translator.translate.mock.calls.map(([request]) => request.text);
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(maxPieceLength);
  });

  it("uses the whole text, and each segment where the response has times", async () => {
    const segments = [
      { start: 0, end: 0.5, text: "Wasuze otya" },
      { start: 0.5, end: 1.5, text: "nno?" },
    ];
    const { post, translator } = setup({ text: "Wasuze otya nno?", segments });
    expect(await post("translations", {})).toMatchObject({ body: { text: "WASUZE OTYA NNO?" } });
    expect(translator.translate).toHaveBeenCalledOnce();
    const { body } = await post("translations", { response_format: "verbose_json" });
    expect(body.segments).toMatchObject([
      { start: 0, end: 0.5, text: "WASUZE OTYA" },
      { start: 0.5, end: 1.5, text: "NNO?" },
    ]);
  });

  it("requests nothing more once a piece of it has failed", async () => {
    const { post, translator } = setup({ text: sentences.repeat(20), segments: undefined });
    translator.translate.mockRejectedValue(new AppError("service_unavailable"));
    expect(await post("translations", {})).toMatchObject({ status: 503 });
    // Of 95; those that wait for their turn at that moment may still begin.
    expect(translator.translate.mock.calls.length).toBeLessThan(30);
  });
});
