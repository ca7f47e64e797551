import * as z from "zod";
import { defineOperation } from "../../shared/http/operation.ts";
import {
  languageField,
  languageForms,
  transcriptionLanguages,
} from "../../shared/platform/catalogue/languages.ts";
import { formBoolean, keywordList, optionalField } from "../../shared/platform/validation/fields.ts";
import { oneRecording, recordingErrors, recordingFile } from "./recording-fields.ts";
import { certainty, textCertainty } from "./v1/transcript.ts";

/** In bytes. A function accepts events of 6 MB, with the body as base64; the rest is for the headers. */
export const maxFileBytes = Math.floor(4.4 * 1024 * 1024);

const languageCodes = transcriptionLanguages.map(({ code }) => code);
const language = z.enum(languageCodes).meta({
  id: "TranscriptionLanguage",
  example: "lug",
  description: transcriptionLanguages.map(({ code, name }) => `\`${code}\` ${name}`).join(", "),
});

/** Fields of earlier versions that callers may still send; they are refused by name (specification, rule 1). */
const removed = {
  platform: z.never().optional(),
  adapter: z.never().optional(),
  whisper: z.never().optional(),
  recognise_speakers: z.never().optional(),
  org: z.never().optional(),
  gcs_blob_name: z.never().optional(),
  gcs_object: z.never().optional(),
  storage_object: z.never().optional(),
};

const fields = z.object({
  audio: recordingFile,
  file_id: optionalField(z.guid()).meta({
    override: { type: "string", format: "uuid" },
    description: "A recording of at most 100 MB that was uploaded through `POST /tasks/generate-upload-url`",
  }),
  language: languageField(languageCodes).meta({
    override: { type: "string" },
    example: "lug",
    description: `${languageForms}; one of the ${languageCodes.length} of \`TranscriptionLanguage\``,
  }),
  timestamps: optionalField(formBoolean())
    .transform((wanted) => wanted ?? false)
    .meta({ override: { type: "boolean", default: false }, description: "Whether to return `segments`" }),
  ...removed,
});

export const transcriptionRequest = oneRecording(fields, "audio").meta({ id: "TranscriptionRequest" });
export type TranscriptionForm = z.output<typeof transcriptionRequest>;

const segment = z
  .object({
    start: z.number().meta({ description: "Seconds from the start of the recording", example: 0.48 }),
    end: z.number().meta({ description: "Seconds from the start of the recording", example: 2.16 }),
    text: z.string().meta({ example: "Wasuze otya nno?", description: "What was said in this time" }),
  })
  .meta({ id: "TranscriptionSegment" });

const usage = z
  .object({
    duration_seconds: z
      .number()
      .meta({ example: 2.64, description: "The length of the recording in seconds" }),
    input_audio_bytes: z.int().meta({ example: 84_524, description: "The size of the recording in bytes" }),
    output_characters: z.int().meta({ example: 16, description: "The length of the text in characters" }),
  })
  .meta({ id: "TranscriptionUsage", description: "What counts in the usage of the account" });

export const transcriptionResponse = z
  .object({
    text: z.string().meta({ description: "What was said; empty for silence", example: "Wasuze otya nno?" }),
    audio_transcription: z
      .string()
      .meta({ description: "Same as `text`; its name in earlier versions", example: "Wasuze otya nno?" }),
    language,
    segments: z
      .array(segment)
      .nullable()
      .meta({
        example: null,
        description:
          "With `timestamps`, the segments of speech; a single one when the model does not separate them. Otherwise " +
          "null",
      }),
    duration_seconds: z.number().meta({
      description: "The length of the recording in seconds, measured from its bytes",
      example: 2.64,
    }),
    usage,
    audio_transcription_id: z.null().meta({ description: "Transcriptions are not stored" }),
    audio_url: z.null().meta({ description: "Recordings are not stored" }),
    diarization_output: z.object({}).meta({ description: "Always empty: speakers are not distinguished" }),
    formatted_diarization_output: z
      .literal("")
      .meta({ description: "Always empty: speakers are not distinguished" }),
    was_audio_trimmed: z.literal(false).meta({ description: "Recordings are always transcribed in full" }),
    original_duration_minutes: z.null().meta({ description: "Always null: recordings are not trimmed" }),
  })
  .meta({ id: "Transcription" });
export type TranscriptionResponse = z.infer<typeof transcriptionResponse>;

export const createTranscriptionOperation = defineOperation({
  id: "createTranscription",
  method: "POST",
  path: "/tasks/audio/transcriptions",
  summary: `Transcribe audio in one of ${languageCodes.length} languages`,
  description:
    "Send files of up to 4.4 MB with the request, as `audio`. Upload larger files, of up to 100 MB, through the " +
    "link of `POST /tasks/generate-upload-url` and send their `file_id`; the link must have been requested by " +
    "the same account, or without a token. File names and declared types are ignored.",
  tag: "Speech",
  auth: "user",
  scope: "transcribe",
  body: { encoding: "multipart", schema: transcriptionRequest },
  response: { status: 200, description: "The transcription", schema: transcriptionResponse },
  errors: recordingErrors,
});

/** The result for silence, and for a language that is not known here. */
export const unknownLanguage = "unknown" as const;

const detectionRequest = oneRecording(
  z.object({
    audio: recordingFile,
    file_id: fields.shape.file_id,
    languages: z
      .union([z.string(), z.array(z.string())])
      .transform((sent) => [sent].flat().flatMap((codes) => codes.split(",")))
      .pipe(z.array(languageField(languageCodes)))
      .optional()
      .meta({
        override: { type: "string" },
        example: "lug,eng",
        description:
          "The languages that the recording may be in, separated by commas, or in several fields: at most three where no model of this service " +
          "detects languages. By default the `default_languages` of your account, or any language if a model detects it",
      }),
  }),
  "audio",
).meta({ id: "SpokenLanguageRequest" });
export type DetectionForm = z.output<typeof detectionRequest>;

const agentTranscriptionRequest = oneRecording(
  fields.extend({
    language: optionalField(languageField(languageCodes)).meta({
      override: { type: "string" },
      example: "lug",
      description: `${languageForms}. By default that of \`languages\`, or of the account's \`default_language\` or \`default_languages\``,
    }),
    languages: z
      .array(languageField(languageCodes))
      .optional()
      .meta({
        override: { type: "array", items: { type: "string" } },
        description:
          "The languages that the recording may be in, if `language` is absent: at most three where no model of this service detects languages. " +
          "The ends and the middle of the recording are transcribed in each, which `usage` includes",
      }),
    keywords: keywordList()
      .optional()
      .meta({ description: "Names and terms in the recording, in the order of their use" }),
    speakers: optionalField(formBoolean())
      .transform((wanted) => wanted ?? false)
      .meta({
        override: { type: "boolean", default: false },
        description:
          "Whether to return `segments` with who speaks. Refused where no model of this service distinguishes speakers",
      }),
  }),
  "audio",
);
export type AgentTranscriptionForm = z.output<typeof agentTranscriptionRequest>;

/**
 * The operation of the specification, as tools for agents call it. It has what the specification does not know: languages that are
 * determined, keywords, speakers, and how sure the text is.
 */
export const agentTranscriptionOperation = defineOperation({
  ...createTranscriptionOperation,
  scope: "transcribe",
  body: { encoding: "multipart", schema: agentTranscriptionRequest },
  response: {
    ...createTranscriptionOperation.response,
    schema: transcriptionResponse.extend({
      language: z.string().meta({
        example: "lug",
        description: `Its ISO 639-3 code. \`${unknownLanguage}\` for silence, and for a language that is not known here`,
      }),
      segments: z
        .array(
          segment.extend({
            speaker: z.string().optional().meta({
              description: "With `speakers`: `A`, `B` and so on; missing where the model does not say",
            }),
            language: z.string().optional().meta({
              description:
                "Where the recording changes its language, and the request does not name one: its ISO 639-3 code",
            }),
            ...textCertainty,
          }),
        )
        .nullable()
        .meta({
          example: null,
          description: "With `timestamps` or `speakers`, the segments of speech. Otherwise null",
        }),
      ...certainty,
    }),
  },
  errors: [...createTranscriptionOperation.errors, "language_required", "unsupported_parameter"],
});
export type AgentTranscription = z.infer<typeof agentTranscriptionOperation.response.schema>;

export const detectSpokenLanguageOperation = defineOperation({
  id: "detectSpokenLanguage",
  method: "POST",
  path: "/tasks/auto_detect_audio_language",
  summary: "Detect the language of a recording",
  description:
    "By the first 30 seconds of the recording, which count in the usage of the account for each language that is tried.",
  tag: "Language identification",
  auth: "user",
  scope: "transcribe",
  body: { encoding: "multipart", schema: detectionRequest },
  response: {
    status: 200,
    description: "The language's ISO 639-3 code",
    schema: z
      .object({
        detected_language: z.string().meta({
          example: "lug",
          description: `The language; ISO 639-3. \`${unknownLanguage}\` for silence, and for a language that is not known here`,
        }),
      })
      .meta({ id: "DetectedSpokenLanguage" }),
  },
  errors: ["language_required", "unsupported_parameter", ...recordingErrors],
});
