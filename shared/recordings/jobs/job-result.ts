import * as z from "zod";

const segment = z
  .object({
    start: z.number().meta({ example: 0.48, description: "Seconds from the start of the recording" }),
    end: z.number().meta({ example: 2.16, description: "Seconds from the start of the recording" }),
    text: z.string().meta({ example: "Wasuze otya nno?", description: "What was said in this time" }),
  })
  .meta({ id: "JobSegment" });

export type JobSegment = z.infer<typeof segment>;

export const jobResult = z
  .object({
    text: z.string().meta({ example: "Wasuze otya nno?", description: "The whole transcript" }),
    segments: z.array(segment).optional().meta({
      description: "What was said when; for jobs with `timestamps`",
    }),
    language: z.string().meta({ example: "lug", description: "The language of the recording; ISO 639-3" }),
    duration_seconds: z.number().meta({ description: "The recording's length in seconds", example: 10_800 }),
  })
  .meta({ id: "JobResult" });
export type JobResult = z.infer<typeof jobResult>;

export const resultFormats = ["json", "text", "srt", "vtt"] as const;
