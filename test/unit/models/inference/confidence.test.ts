import { describe, expect, it, vi } from "vitest";
import { bufferSource } from "../../../../shared/audio/read-audio.ts";
import { createConfidentTranscriber, readCurve } from "../../../../shared/models/inference/confidence.ts";
import type {
  SegmentDetails,
  Transcription,
  TranscriptionRequest,
} from "../../../../shared/models/inference/transcription.ts";
import type { CalibratedLanguage } from "../../../../shared/platform/catalogue/stage-catalogue.ts";

const straight = [
  [0, 0],
  [1, 1],
] as const;
const none = { words: 500, curve: null, checks: [] };
const calibrated = (words: boolean, segments = true): CalibratedLanguage => ({
  recordings: 20,
  words: words ? { ...none, curve: straight } : none,
  segments: segments ? { ...none, curve: straight } : none,
});

const details = (probability: number, more: Partial<SegmentDetails> = {}): SegmentDetails => ({
  ...{ seek: undefined, tokens: undefined, temperature: undefined },
  ...{ compressionRatio: 1.2, noSpeechProbability: 0.1, ...more },
  averageLogProbability: Math.log(probability),
});

const request: TranscriptionRequest = {
  recording: { source: bufferSource(Buffer.alloc(0)), mediaType: "audio/wav", fileExtension: "wav" },
  language: "lug",
  withSegments: false,
};

const setUp = (
  transcription: Transcription,
  languages: Readonly<Record<string, CalibratedLanguage>>,
  seen?: string,
) => {
  const transcribe = vi.fn(async (_request: TranscriptionRequest) => transcription);
  const transcriber = createConfidentTranscriber({ transcribe }, { languages, detect: () => seen });
  const ask = (more: Partial<TranscriptionRequest> = {}) =>
    transcriber.transcribe({ ...request, ...more }, { signal: new AbortController().signal });
  return { ask, transcribe };
};

const text = "Wasuze otya nno";
const heard = (own: SegmentDetails, words?: Transcription["words"]): Transcription => ({
  text,
  segments: [{ start: 0, end: 3, text, details: own }],
  ...(words ? { words } : {}),
});

describe("the confidence of a transcript", () => {
  it.each([
    ["its probability", {}, undefined, 0.8, []],
    ["half of it for silence", { noSpeechProbability: 0.7 }, undefined, 0.4, ["silence"]],
    ["half of it for repetition", { compressionRatio: 3 }, undefined, 0.4, ["repetition"]],
    ["half of it for the words of another language", {}, "swa", 0.4, ["other_language"]],
    ["its probability for words of its language", {}, "lug", 0.8, []],
  ])("is read from the curve at %s", async (_title, more, seen, confidence, reasons) => {
    const { ask } = setUp(heard(details(0.8, more)), { lug: calibrated(false) }, seen);
    expect(await ask()).toMatchObject({ confidence, reasons, segments: [{ confidence }] });
  });

  it("says that the words are improbable", async () => {
    const { ask } = setUp(heard(details(0.3)), { lug: calibrated(false) });
    expect(await ask()).toMatchObject({ confidence: 0.3, reasons: ["improbable"] });
  });

  it("is that of its words, where the model reports it of each", async () => {
    const words = [0.9, 0.6, 0.3].map((probability, at) => ({
      start: at,
      end: at + 1,
      text: "w",
      probability,
    }));
    const { ask } = setUp(heard(details(0.8), words), { lug: calibrated(true) });
    expect(await ask()).toMatchObject({
      confidence: 0.6,
      segments: [{ confidence: 0.6 }],
      words: [{ confidence: 0.9 }, { confidence: 0.6 }, { confidence: 0.3 }],
    });
  });

  it("is that of the segment for words of which the model reports only the times", async () => {
    const { ask } = setUp(heard(details(0.8), [{ start: 0, end: 1, text: "Wasuze" }]), {
      lug: calibrated(false),
    });
    expect(await ask()).toMatchObject({ segments: [{ confidence: 0.8 }], words: [{ confidence: 0.8 }] });
  });

  it.each([
    ["without a calibration of the language", heard(details(0.8)), { swa: calibrated(true) }],
    ["where what the model reports says nothing", heard(details(0.8)), { lug: calibrated(false, false) }],
    [
      "where the model reports nothing",
      { text, segments: [{ start: 0, end: 3, text }] },
      { lug: calibrated(true) },
    ],
    ["without segments", { text, segments: undefined }, { lug: calibrated(true) }],
  ])("is missing %s", async (_title, transcription, languages) => {
    const { ask } = setUp(transcription, languages);
    expect(JSON.stringify(await ask())).not.toMatch(/confidence|reasons/);
  });

  it("is that of the language that the model detects", async () => {
    const { ask } = setUp({ ...heard(details(0.8)), language: "lug" }, { lug: calibrated(false) });
    expect(await ask({ language: undefined })).toMatchObject({ confidence: 0.8 });
  });

  it.each([
    [{ confidence: true }, { lug: calibrated(true) }, "words"],
    [{ confidence: true }, { lug: calibrated(false) }, "segments"],
    [{ confidence: true }, { lug: calibrated(false, false) }, undefined],
    [{ confidence: true }, {}, undefined],
    [{}, { lug: calibrated(true) }, undefined],
  ])("requests probabilities only for who wants it: %j", async (more, languages, scores) => {
    const { ask, transcribe } = setUp(heard(details(0.8)), languages);
    await ask(more);
    expect(transcribe.mock.calls.map(([sent]) => sent.scores)).toEqual([scores]);
  });
});

describe("a curve", () => {
  const curve = [
    [0.2, 0.3],
    [0.6, 0.5],
    [0.8, 0.9],
  ] as const;
  it.each([
    [0, 0.3],
    [0.2, 0.3],
    [0.4, 0.4],
    [0.7, 0.7],
    [0.8, 0.9],
    [1, 0.9],
  ])("is straight between its points and level beyond them: %d is %d", (score, confidence) => {
    expect(readCurve(curve, score)).toBeCloseTo(confidence);
  });
});
