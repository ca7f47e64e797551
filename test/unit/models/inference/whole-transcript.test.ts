import { describe, expect, it } from "vitest";
import { StreamedTranscript } from "../../../../shared/models/inference/openai/streamed-transcript.ts";
import { parseTranscription } from "../../../../shared/models/inference/openai/whole-transcript.ts";
import transcripts from "../../../fixtures/model-servers/transcripts.json" with { type: "json" };

const segmentOf = (fields: object) => {
  const segment = { start: 0, end: 1, text: "Oli", ...fields };
  return parseTranscription(JSON.stringify({ text: "Oli", segments: [segment] })).segments?.[0];
};

describe("a transcript of a model's server", () => {
  it.each(transcripts)("loses nothing because of one odd entry: $name", ({ body, expected }) => {
    expect(parseTranscription(JSON.stringify(body))).toEqual(expected);
  });

  it.each([[{ text: null }], [{ language: "lg" }], [{ text: null, segments: [] }], [{ error: "CUDA" }]])(
    "needs a text: %j",
    (body) => {
      expect(() => parseTranscription(JSON.stringify(body))).toThrow();
    },
  );

  it("has the entries that can be read, next to those that cannot", () => {
    const segments = [
      { start: 2, end: 1, text: "Bulungi." },
      null,
      "x",
      { start: -1, end: 1, text: "Oli" },
      { start: "soon", end: [], text: "otya?" },
    ];
    expect(parseTranscription(JSON.stringify({ text: null, segments }))).toEqual({
      text: "Oli otya? Bulungi.",
      segments: [
        { start: 0, end: 1, text: "Oli" },
        { start: 1, end: 2, text: "otya?" },
        { start: 2, end: 2, text: "Bulungi." },
      ],
    });
  });

  it("has less-than signs and tags that are no tokens", () => {
    const text = "a <b> | 3 < 4 |> <|";
    expect(parseTranscription(JSON.stringify({ text })).text).toBe(text);
  });

  it("has each detail of a segment that its server sent", () => {
    expect(segmentOf({ no_speech_prob: 0.755, tokens: "none", seek: null })?.details).toEqual({
      noSpeechProbability: 0.755,
    });
    expect(segmentOf({ avg_logprob: "-0.25", tokens: [1] })?.details).toEqual({
      averageLogProbability: -0.25,
      tokens: [1],
    });
    expect(segmentOf({})).not.toHaveProperty("details");
  });
});

describe("a transcript that comes as a stream", () => {
  const text = "<|startoftranscript|><|lg|> Oli < otya?</s><|0.50|> Bulungi <b>.<|endoftext|>";
  const spoken = "Oli < otya? Bulungi <b>.";

  it.each([1, 2, 3, 5, 8, 100])("has no special tokens, in pieces of %i characters", (length) => {
    const pieces: string[] = [];
    const transcript = new StreamedTranscript((piece) => pieces.push(piece));
    for (let start = 0; start < text.length; start += length) {
      const delta = text.slice(start, start + length);
      transcript.read(`data: ${JSON.stringify({ type: "transcript.text.delta", delta })}\n\n`);
    }
    transcript.read(`data: ${JSON.stringify({ type: "transcript.text.done", text })}\n\n`);
    expect(transcript.end().text).toBe(spoken);
    expect(pieces.join("")).toBe(spoken);
  });
});
