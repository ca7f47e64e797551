import * as z from "zod";

const segment = z
  .object({
    start: z.number().meta({ example: 0.48 }),
    end: z.number().meta({ example: 2.16 }),
    text: z.string().meta({ example: "Wasuze otya nno?" }),
  })
  .meta({ id: "JobSegment" });

export type JobSegment = z.infer<typeof segment>;

export const jobResult = z
  .object({
    text: z.string().meta({ example: "Wasuze otya nno?" }),
    segments: z.array(segment).optional().meta({
      description: "For jobs with `timestamps`. Times are in seconds from the start of the recording",
    }),
    language: z.string().meta({ example: "lug" }),
    duration_seconds: z.number().meta({ description: "The recording's length", example: 10_800 }),
  })
  .meta({ id: "JobResult" });
export type JobResult = z.infer<typeof jobResult>;

export const resultFormats = ["json", "text", "srt", "vtt"] as const;
