import * as z from "zod";

const times = { start: z.number(), end: z.number() };

/** What models report about a transcript, in a response of `POST /v1/audio/transcriptions`. */
export const heardDetails = z.object({
  segments: z.array(
    z.object({
      ...times,
      text: z.string(),
      avg_logprob: z.number(),
      compression_ratio: z.number(),
      no_speech_prob: z.number(),
    }),
  ),
  words: z
    .array(z.object({ ...times, word: z.string(), probability: z.number().exactOptional() }))
    .default([]),
});
export type HeardDetails = z.output<typeof heardDetails>;

/** What the service returned for an item. */
export interface ModelOutput {
  readonly output: string;
  /** From sending the request to the end of its response. */
  readonly seconds: number;
  /** As the model's server counts them. */
  readonly tokens: number | null;
  readonly audio_seconds: number | null;
  /** The name of the server that responded, if the service says it. */
  readonly server: string | null;
  /** Of a transcript that calibrates. */
  readonly heard?: HeardDetails;
}

/** The service refuses an item, and would again. */
export interface RefusedItem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

/** The outcome of one request for an item. */
export type ItemOutcome =
  | ({ readonly kind: "output" } & ModelOutput)
  | ({ readonly kind: "refused" } & RefusedItem)
  /** A limit is reached. */
  | { readonly kind: "limited"; readonly seconds: number }
  /** It may work later. */
  | { readonly kind: "failed"; readonly reason: string; readonly seconds: number | undefined };

/** Why no item can be evaluated now. */
export class EvaluationStopped extends Error {
  override readonly name = "EvaluationStopped";
}
