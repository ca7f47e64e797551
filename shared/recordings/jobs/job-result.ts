import * as z from "zod";

const segment = z
  .object({
    start: z.number().meta({ example: 0.48, description: "Seconds from the start of the recording" }),
    end: z.number().meta({ example: 2.16, description: "Seconds from the start of the recording" }),
    text: z.string().meta({ example: "Wasuze otya nno?", description: "What was said in this time" }),
  })
  .meta({ id: "JobSegment" });

export type JobSegment = z.infer<typeof segment>;

const resultSegment = segment
  .extend({
    speech: z
      .object({
        fits: z.boolean().meta({
          example: true,
          description: "Whether all of it is heard; otherwise it is cut off where the next segment starts",
        }),
        speed: z
          .number()
          .meta({ example: 1.12, description: "How much faster it is than the voice spoke, at most 1.25" }),
      })
      .optional()
      .meta({ description: "For languages with the target `audio`: how the segment is spoken" }),
  })
  .meta({ id: "JobResultSegment" });

export const jobResult = z
  .object({
    text: z.string().meta({ example: "Wasuze otya nno?", description: "The whole transcript" }),
    segments: z.array(resultSegment).optional().meta({
      description:
        "What was said when; for jobs with `timestamps`, and for translations, whose times are the same",
    }),
    language: z.string().meta({ example: "lug", description: "The language of the text; ISO 639-3" }),
    duration_seconds: z.number().meta({ description: "The recording's length in seconds", example: 10_800 }),
  })
  .meta({ id: "JobResult" });
export type JobResult = z.infer<typeof jobResult>;

/** The formats of a transcript. */
export const resultFormats = ["json", "text", "srt", "vtt"] as const;
export type ResultFormat = (typeof resultFormats)[number];
