import type { EvaluatedScore, Evaluation, Measured } from "../../functions/site/quality/evaluation.ts";

const score = (value: number, interval: EvaluatedScore["interval"] = null): EvaluatedScore => ({
  score: value,
  interval,
});

export const measuredSample: Measured = {
  items: 1,
  without_output: 0,
  median_seconds: 0.84,
  slow_seconds: 2.1,
  cost_per_item: { characters: 120, tokens: 80, audio_seconds: null, dollars: null },
  servers: ["gpu"],
};

/** An evaluation with three directions, one of them into a language that only the stage has. */
export const evaluationSample: Evaluation = {
  version: 1,
  measured_at: "2026-11-20T10:00:00.000Z",
  base_url: "https://api.example.org",
  data: { name: "Clinic questions", about: "Questions of patients, translated by two nurses." },
  bootstrap: { resamples: 1_000, seed: 1, min_items: 10 },
  translation: [
    {
      source_language: "eng",
      target_language: "lug",
      ...measuredSample,
      items: 1_012,
      without_output: 3,
      chrf: score(41.2, [38, 44.1]),
      bleu: score(12.5, [9.8, 15]),
    },
    { source_language: "lug", target_language: "eng", ...measuredSample, chrf: score(50), bleu: score(12.5) },
    { source_language: "eng", target_language: "swa", ...measuredSample, chrf: score(44), bleu: score(20) },
  ],
  transcription: [
    { language: "gof", ...measuredSample, items: 10, wer: score(12), cer: score(5) },
    { language: "lug", ...measuredSample, items: 40, wer: score(23.4, [20, 27]), cer: score(7, [6, 8.2]) },
  ],
  language_identification: [
    { language: "lug", ...measuredSample, items: 200, accuracy: score(93, [89.5, 96]) },
  ],
};
