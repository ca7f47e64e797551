import * as z from "zod";

const granularity = z.literal("segment", { error: "The sample server knows the times of segments only." });

/**
 * The fields of a request for a transcription, beside the file. What a model would take as a hint (`prompt`,
 * `temperature`) is ignored.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export const transcriptionRequest = z.looseObject({
  model: z.string(),
  language: z.string().max(100).optional(),
  response_format: z.string().optional(),
  "timestamp_granularities[]": z.array(granularity).optional(),
});
