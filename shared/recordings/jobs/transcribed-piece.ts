import * as z from "zod";
import { doubtReasons } from "../../models/inference/transcription.ts";

const said = z.object({
  start: z.number(),
  end: z.number(),
  text: z.string(),
  /** As the model reports it, and as calibrated. */
  probability: z.number().exactOptional(),
  confidence: z.number().exactOptional(),
});
const reasons = z.array(z.enum(doubtReasons)).readonly().exactOptional();
const segment = said.extend({
  speaker: z.string().exactOptional(),
  language: z.string().exactOptional(),
  reasons,
});

/** The stored transcript of a recording. Times are in seconds on the recording's clock. */
export const jobTranscript = z.object({
  text: z.string(),
  segments: z.array(segment).readonly().optional(),
  /** Present when segments have speakers. */
  speakers: z
    .array(z.object({ label: z.string(), is_certain: z.boolean() }))
    .readonly()
    .exactOptional(),
  words: z.array(said).readonly().optional(),
  /** How sure all of it is, and why not more. */
  confidence: z.number().exactOptional(),
  reasons,
});
export type JobTranscript = z.infer<typeof jobTranscript>;

/** The stored transcript of a piece. Times of segments and words are on the piece's own clock. */
export const transcribedPiece = jobTranscript.extend({
  /** Where the piece starts and ends in the recording. */
  start: z.number(),
  end: z.number(),
});
export type TranscribedPiece = z.infer<typeof transcribedPiece>;
