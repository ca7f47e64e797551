import * as z from "zod";
import { doubtReasons, reasonTexts } from "../../../shared/models/inference/transcription.ts";

/** The responses of both operations. */

const times = {
  start: z.number().meta({ description: "Seconds from the start of the recording", example: 0.48 }),
  end: z.number().meta({ description: "Seconds from the start of the recording", example: 2.16 }),
};

const probability = z
  .number()
  .optional()
  .meta({ description: "As the model reports it, 0 to 1, if it does; not measured" });

const alternatives = z
  .array(z.string())
  .optional()
  .meta({ description: "With `keywords`: the text with a keyword that was probably said" });

const confidence = z.number().optional().meta({
  example: 0.94,
  description:
    "How often such texts are right, 0 to 1, as the operator has measured for the language; missing where that is not known",
});

/** How sure a part of a transcript is. */
export const textCertainty = { confidence, alternatives };

/** How sure a whole transcript is. */
export const certainty = {
  confidence,
  reasons: z
    .array(z.enum(doubtReasons))
    .optional()
    .meta({ example: [], description: `With \`confidence\`: why the text may be wrong. ${reasonTexts}` }),
};

const segmentLanguage = z.string().optional().meta({
  description:
    "Where a recording changes its language, and the request does not name one: that of the segment, as `language` above",
});

const wholeText = z.string().describe("The whole text, in the language of the recording or in English");

const usage = z
  .object({
    type: z.literal("duration").describe("What is counted: the length of the recording"),
    seconds: z
      .number()
      .describe(
        "The length of the recording in seconds, and of what was transcribed to determine its language",
      ),
  })
  .describe("What counts in the usage of the account");

const detectedLanguage = z.string().optional().meta({
  description:
    "If the request does not name it: the ISO 639-1 code if there is one, else ISO 639-3; `und` for another language, and for silence",
});

const plainTranscript = z
  .object({
    text: wholeText.meta({ example: "Wasuze otya nno?" }),
    language: detectedLanguage,
    ...certainty,
    usage: usage.optional().meta({ example: { type: "duration", seconds: 3 } }),
  })
  .meta({ id: "Transcript" });

const verboseTranscript = z
  .object({
    task: z.enum(["transcribe", "translate"]).describe("What was done with the recording"),
    language: z.string().meta({
      example: "lg",
      description: "Of the recording: its ISO 639-1 code if there is one, else ISO 639-3",
    }),
    duration: z
      .number()
      .meta({ description: "The length of the recording in seconds, measured from its bytes" }),
    text: wholeText,
    segments: z
      .array(
        z
          .object({
            id: z.int().describe("The position of the segment, from 0"),
            seek: z.int().describe("The offset of the model's window; 0 when the model does not report it"),
            ...times,
            text: z.string().describe("What was said in this time"),
            tokens: z
              .array(z.int())
              .describe("The tokens of the text; empty when the model does not report them"),
            temperature: z.number().describe("The temperature with which the model wrote the text"),
            avg_logprob: z.number().meta({ description: "0 when the model does not report it" }),
            compression_ratio: z.number().describe("A high ratio means that the text repeats itself"),
            no_speech_prob: z.number().meta({ description: "0 when the model does not report it" }),
            language: segmentLanguage,
            ...textCertainty,
          })
          .meta({ id: "TranscriptSegment" }),
      )
      .optional()
      .describe("What was said when; with the granularity `segment`"),
    words: z
      .array(
        z
          .object({
            word: z.string().describe("One word of the text"),
            ...times,
            probability,
            ...textCertainty,
          })
          .meta({ id: "TranscriptWord" }),
      )
      .optional()
      .describe("With the granularity `word`, if the model reports the times of words"),
    ...certainty,
    usage,
  })
  .meta({ id: "VerboseTranscript" });
export type VerboseTranscript = z.infer<typeof verboseTranscript>;

export const diarizedTranscript = z
  .object({
    task: z.literal("transcribe").describe("What was done with the recording"),
    language: detectedLanguage,
    duration: z.number().describe("The length of the recording in seconds, measured from its bytes"),
    text: wholeText,
    segments: z
      .array(
        z
          .object({
            type: z.literal("transcript.text.segment").describe("What this is"),
            id: z.string().meta({ example: "seg_0", description: "The name of the segment" }),
            ...times,
            speaker: z.string().meta({
              example: "A",
              description:
                "`A`, `B` and so on, in the order of their first words; `unknown` where the model does not say",
            }),
            text: z.string().describe("What was said in this time"),
            language: segmentLanguage,
            ...textCertainty,
          })
          .meta({ id: "DiarizedSegment" }),
      )
      .describe("Who said what, and when"),
    ...certainty,
    usage,
  })
  .meta({ id: "DiarizedTranscript" });
export type DiarizedTranscript = z.infer<typeof diarizedTranscript>;

export const transcript = z.union([verboseTranscript, diarizedTranscript, plainTranscript]);
export type Transcript = z.infer<typeof transcript>;
