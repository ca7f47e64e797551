import * as z from "zod";
import { dayMilliseconds } from "../../../shared/platform/durations.ts";

const count = z.int().min(0);
const amount = z.number().min(0);

const score = z.object({
  score: amount,
  /** The 95% interval; `null` when there are too few items for one. */
  interval: z.tuple([amount, amount]).nullable(),
});
export type EvaluatedScore = z.output<typeof score>;

/** What is the same for each task: `null` is what was not measured. */
const measured = {
  /** The items whose outputs were scored. */
  items: count.min(1),
  /** The items that the service refused or could not complete. They are in no score. */
  without_output: count,
  median_seconds: amount,
  /** 95 of 100 items took at most this long. */
  slow_seconds: amount,
  cost_per_item: z.object({
    characters: amount.nullable(),
    tokens: amount.nullable(),
    audio_seconds: amount.nullable(),
    dollars: amount.nullable(),
  }),
  /** The names that responses have in `X-Model-Server`. */
  servers: z.array(z.string()),
};

const language = z.string().min(1).max(100);

const direction = z.object({
  source_language: language,
  target_language: language,
  ...measured,
  chrf: score,
  bleu: score,
});

const transcribed = z.object({ language, ...measured, wer: score, cer: score });
const identified = z.object({ language, ...measured, accuracy: score });

/** What `npm run evaluate` writes as `evaluation.json`. Scores are from 0 to 100; error rates are in per cent and can exceed 100. */
export const evaluationSchema = z.object({
  version: z.literal(1),
  /** When the last output arrived. */
  measured_at: z.iso.datetime(),
  base_url: z.url(),
  data: z.object({ name: z.string().min(1).max(200), about: z.string().max(2_000) }),
  bootstrap: z.object({ resamples: count, seed: count, min_items: count }),
  translation: z.array(direction),
  transcription: z.array(transcribed),
  language_identification: z.array(identified),
});
export type Evaluation = z.output<typeof evaluationSchema>;
export type EvaluatedDirection = z.output<typeof direction>;
export type EvaluatedTranscription = z.output<typeof transcribed>;
export type EvaluatedIdentification = z.output<typeof identified>;
/** What a language or direction has for every task. */
export type Measured = Omit<EvaluatedIdentification, "language" | "accuracy">;

const freshDays = 30;

/** Whether an evaluation still counts as fresh. */
export const isFresh = ({ measured_at }: Pick<Evaluation, "measured_at">, now: number): boolean =>
  now - Date.parse(measured_at) < freshDays * dayMilliseconds;
