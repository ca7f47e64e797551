import * as z from "zod";

const said = z.object({ start: z.number(), end: z.number(), text: z.string() });

/** What was said in a piece of a recording, as it is kept. Times of segments are on the piece's own clock. */
export const transcribedPiece = z.object({
  /** Where in the recording the piece begins and ends, in seconds. */
  start: z.number(),
  end: z.number(),
  text: z.string(),
  segments: z.array(said).readonly().optional(),
  words: z.array(said).readonly().optional(),
});
export type TranscribedPiece = z.infer<typeof transcribedPiece>;

/** The transcript of a whole recording, as it is kept. Times are on the recording's clock. */
export const jobTranscript = z.object({
  text: z.string(),
  segments: z.array(said).readonly().optional(),
  words: z.array(said).readonly().optional(),
});
export type JobTranscript = z.infer<typeof jobTranscript>;
