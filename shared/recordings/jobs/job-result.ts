import * as z from "zod";
import { doubtReasons, reasonTexts } from "../../models/inference/transcription.ts";

const confidenceText =
  "How often such texts are right, 0 to 1, as the operator has measured for the language; missing where that is not known";

const segment = z
  .object({
    start: z.number().meta({ example: 0.48, description: "Seconds from the start of the recording" }),
    end: z.number().meta({ example: 2.16, description: "Seconds from the start of the recording" }),
    text: z.string().meta({ example: "Wasuze otya nno?", description: "What was said in this time" }),
    speaker: z.string().exactOptional().meta({
      example: "A",
      description:
        "For jobs with `speakers`: the `label` of who said it; missing where the model does not say",
    }),
    language: z.string().exactOptional().meta({
      example: "lug",
      description:
        "For jobs without a `language`, where the recording changes it: that of the segment; ISO 639-3",
    }),
    confidence: z.number().exactOptional().meta({ example: 0.94, description: confidenceText }),
    alternatives: z
      .array(z.string())
      .exactOptional()
      .meta({
        example: ["Sekitoleko azze."],
        description: "For jobs with `keywords`: the text with a keyword that was probably said",
      }),
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
        "What was said when; for jobs with `timestamps` or `speakers`, and for translations, whose times are the same",
    }),
    speakers: z
      .array(
        z.object({
          label: z.string().meta({ example: "A", description: "What segments call the speaker" }),
          name: z
            .string()
            .nullable()
            .meta({ example: "Amina", description: "The name from the console; null without one" }),
          is_certain: z.boolean().meta({
            example: true,
            description:
              "Whether this is certainly no other speaker of the list. Long recordings are transcribed in pieces that share ten " +
              "seconds: who is silent in these may have several labels",
          }),
        }),
      )
      .exactOptional()
      .meta({ description: "For jobs with `speakers`: who speaks, in the order of their first words" }),
    confidence: z
      .number()
      .exactOptional()
      .meta({ example: 0.94, description: `Of the transcript: the mean of its words. ${confidenceText}` }),
    reasons: z
      .array(z.enum(doubtReasons))
      .exactOptional()
      .meta({ example: [], description: `With \`confidence\`: why the text may be wrong. ${reasonTexts}` }),
    language: z.string().meta({ example: "lug", description: "The language of the text; ISO 639-3" }),
    duration_seconds: z.number().meta({ description: "The recording's length in seconds", example: 10_800 }),
  })
  .meta({ id: "JobResult" });
export type JobResult = z.infer<typeof jobResult>;

/** The formats of a transcript. */
export const resultFormats = ["json", "text", "srt", "vtt"] as const;
export type ResultFormat = (typeof resultFormats)[number];
