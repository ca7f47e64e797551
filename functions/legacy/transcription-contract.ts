import * as z from "zod";
import { defineOperation } from "../../shared/http/operation.ts";
import { languageField, languageForms } from "../../shared/platform/catalogue/languages.ts";
import {
  formBoolean,
  formNumber,
  optionalField,
  requiredFormFile,
} from "../../shared/platform/validation/fields.ts";
import { replacedBy } from "./settings.ts";

/** The languages of version 1 (specification, Legacy POST /tasks/stt). */
const languageCodes = ["ach", "teo", "eng", "lug", "lgg", "nyn", "swa", "kin", "xog", "myx"] as const;
const language = languageField(languageCodes);
const ofTheTen = `${languageForms}; one of ${languageCodes.join(", ")}`;

const ofTheTenField = (description: string) =>
  optionalField(language).meta({
    override: { type: "string", default: "lug" },
    description: `${description}. ${ofTheTen}`,
  });

const flag = (description: string) =>
  optionalField(formBoolean())
    .transform((value) => value ?? false)
    .meta({ override: { type: "boolean", default: false }, description });

const audio = requiredFormFile().meta({
  override: { type: "string", format: "binary" },
  example: "recording.wav",
  description:
    "The recording, a file of at most 4.4 MB: MP3, WAV, OGG, M4A or AAC. Its bytes decide the format",
});

const speakersFlag = flag(
  "Whether to identify the speakers. If the model cannot, the response has `X-Diarization: unavailable`",
);

const choices = {
  language: ofTheTenField("The recording's language"),
  adapter: ofTheTenField("The language if `language` is absent. In version 1, it chose the model's adapter"),
  recognise_speakers: speakersFlag,
  whisper: flag(
    "Whether to use the alternative model. If the service has none, the response has `X-Whisper: unavailable`",
  ),
};

const diarization = z
  .object({
    text: z.string().optional().describe("The whole text"),
    chunks: z
      .array(
        z.object({
          speaker: z
            .string()
            .meta({ example: "SPEAKER_00", description: "The speaker, numbered as they first speak" }),
          text: z.string().describe("What the speaker said in this time"),
          timestamp: z.tuple([z.number(), z.number()]).meta({ description: "Start and end, in seconds" }),
        }),
      )
      .optional()
      .describe("Who said what, in order"),
  })
  .meta({
    id: "LegacyDiarization",
    description: "Empty unless the speakers were requested and identified",
  });
export type Diarization = z.infer<typeof diarization>;

export const legacyTranscription = z
  .object({
    audio_transcription: z.string().meta({ example: "Wasuze otya nno?", description: "What was said" }),
    diarization_output: diarization.meta({ example: {} }),
    formatted_diarization_output: z.string().meta({
      example: "",
      description: "The same as Markdown, with times in seconds; empty without speakers",
    }),
    audio_transcription_id: z
      .int()
      .nullable()
      .meta({ example: 12, description: "The id of the saved transcription" }),
    audio_url: z
      .string()
      .nullable()
      .meta({ description: "The name of the stored audio, which is not a link" }),
    language: z
      .string()
      .nullable()
      .meta({ example: "lug", description: "The requested language; null where the model detects it" }),
    was_audio_trimmed: z
      .boolean()
      .meta({ example: false, description: "Whether only the first 10 minutes were transcribed" }),
    original_duration_minutes: z
      .number()
      .nullable()
      .meta({ description: "The length of the whole recording in minutes, if it was trimmed" }),
  })
  .meta({ id: "LegacyTranscription" });
export type LegacyTranscription = z.infer<typeof legacyTranscription>;

const common = {
  method: "POST",
  auth: "user",
  scope: "transcribe",
  ...replacedBy("/tasks/audio/transcriptions"),
  response: {
    status: 200,
    description: "The transcription",
    schema: legacyTranscription,
    headers: ["X-Diarization", "X-Whisper"],
  },
} as const;
const errors = ["unreadable_audio", "external_service_error", "service_unavailable"] as const;
const firstTenMinutes =
  "Transcribes the first 10 minutes of longer recordings. Audio and transcription are saved for 30 days; " +
  "`DELETE /tasks/stt/{audio_transcription_id}` removes them sooner.";

export const transcribeOperation = defineOperation({
  ...common,
  id: "legacyTranscribe",
  path: "/tasks/stt",
  summary: "Transcribe a recording in one of ten languages",
  description: firstTenMinutes,
  body: {
    encoding: "multipart",
    schema: z.object({ audio, ...choices }).meta({ id: "LegacyTranscribeForm" }),
  },
  errors: [...errors, "storage_unavailable"],
});

export const transcribeUploadOperation = defineOperation({
  ...common,
  id: "legacyTranscribeUpload",
  path: "/tasks/stt_from_gcs",
  summary: "Transcribe an upload in one of ten languages",
  description: firstTenMinutes,
  body: {
    encoding: "form",
    schema: z
      .object({
        gcs_blob_name: z.string().min(1).max(1_024).meta({
          example: "uploads/3f0a2c1e-7d4b-4c58-9a51-0e6b6a0f2d11/interview.mp3",
          description: "The object name or the `file_id` of one of the account's uploads, of at most 100 MB",
        }),
        ...choices,
      })
      .meta({ id: "LegacyTranscribeUploadForm" }),
  },
  errors: [...errors, "bad_request", "storage_unavailable"],
});

export const deleteTranscriptionOperation = defineOperation({
  ...replacedBy("/tasks/audio/transcriptions"),
  id: "legacyDeleteTranscription",
  method: "DELETE",
  path: "/tasks/stt/{audio_transcription_id}",
  summary: "Delete a saved transcription and its audio",
  description:
    "Only the account that created it can delete it. The audio stays if another saved transcription needs it.",
  auth: "user",
  scope: "transcribe",
  limit: "account",
  pathParameters: z.object({
    audio_transcription_id: formNumber()
      .pipe(z.int().min(1))
      .meta({
        override: { type: "integer", minimum: 1 },
        example: 12,
        description: "From the response of `POST /tasks/stt` or `/tasks/stt_from_gcs`",
      }),
  }),
  response: {
    status: 200,
    description: "It is deleted",
    schema: z
      .object({
        success: z.literal(true).describe("Failures have another status"),
        audio_transcription_id: z
          .int()
          .meta({ example: 12, description: "The id of the deleted transcription" }),
      })
      .meta({ id: "LegacyDeletedTranscription" }),
  },
  errors: ["not_found", "storage_unavailable"],
});

export const transcribeForOrganizationOperation = defineOperation({
  ...common,
  id: "legacyTranscribeForOrganization",
  path: "/tasks/org/stt",
  summary: "Transcribe a recording in a language that the model detects",
  body: {
    encoding: "multipart",
    schema: z
      .object({ audio, recognise_speakers: speakersFlag })
      .meta({ id: "LegacyTranscribeForOrganizationForm" }),
  },
  errors,
});

export const vendorTranscribeOperation = defineOperation({
  ...common,
  id: "legacyVendorTranscribe",
  path: "/tasks/modal/stt",
  summary: "Transcribe a recording",
  body: {
    encoding: "multipart",
    schema: z
      .object({
        audio,
        language: optionalField(language).meta({
          override: { type: "string" },
          example: "Luganda",
          description: `Detected when absent. ${ofTheTen}`,
        }),
      })
      .meta({ id: "LegacyVendorTranscribeForm" }),
  },
  errors: [...errors, "gone"],
});
