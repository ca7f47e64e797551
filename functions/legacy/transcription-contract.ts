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
  description: "The recording, a file of at most 4.4 MB: MP3, WAV, OGG, M4A or AAC, told by its bytes",
});

const speakersFlag = flag(
  "Whether the speakers are to be told apart; where the model cannot, the answer says `X-Diarization: unavailable`",
);

const choices = {
  language: ofTheTenField("Of the recording"),
  adapter: ofTheTenField("Once chose the model's adapter; counts where `language` is absent"),
  recognise_speakers: speakersFlag,
  whisper: flag("Once chose the other of two models; there is one now, so it changes nothing"),
};

const diarization = z
  .object({
    text: z.string().optional(),
    chunks: z
      .array(
        z.object({
          speaker: z.string().meta({ example: "SPEAKER_00" }),
          text: z.string(),
          timestamp: z.tuple([z.number(), z.number()]).meta({ description: "From and to, in seconds" }),
        }),
      )
      .optional(),
  })
  .meta({
    id: "LegacyDiarization",
    description: "Empty unless speakers were to be told apart, and could be",
  });
export type Diarization = z.infer<typeof diarization>;

export const legacyTranscription = z
  .object({
    audio_transcription: z.string().meta({ example: "Wasuze otya nno?" }),
    diarization_output: diarization.meta({ example: {} }),
    formatted_diarization_output: z.string().meta({ example: "" }),
    audio_transcription_id: z
      .int()
      .nullable()
      .meta({ example: 12, description: "Of the saved transcription" }),
    audio_url: z.string().nullable().meta({ description: "The name under which the audio is kept; no link" }),
    language: z.string().nullable().meta({ example: "lug" }),
    was_audio_trimmed: z.boolean().meta({ example: false }),
    original_duration_minutes: z.number().nullable().meta({ description: "When it was trimmed" }),
  })
  .meta({ id: "LegacyTranscription" });
export type LegacyTranscription = z.infer<typeof legacyTranscription>;

const common = {
  method: "POST",
  auth: "user",
  scope: "transcribe",
  ...replacedBy("/tasks/audio/transcriptions"),
  response: { status: 200, description: "The transcription", schema: legacyTranscription },
} as const;
const errors = ["unreadable_audio", "external_service_error", "service_unavailable"] as const;
const firstTenMinutes =
  "Of longer recordings the first 10 minutes are transcribed. Audio and transcription are saved for 30 days; " +
  "`DELETE /tasks/stt/{audio_transcription_id}` removes them sooner.";

export const transcribeOperation = defineOperation({
  ...common,
  id: "legacyTranscribe",
  path: "/tasks/stt",
  summary: "Write down a recording in one of ten languages",
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
  summary: "Write down an upload in one of ten languages",
  description: firstTenMinutes,
  body: {
    encoding: "form",
    schema: z
      .object({
        gcs_blob_name: z.string().min(1).max(1_024).meta({
          example: "uploads/3f0a2c1e-7d4b-4c58-9a51-0e6b6a0f2d11/interview.mp3",
          description:
            "Storage object of an upload of the account's, of at most 100 MB; its `file_id` alone does too",
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
    "Only the account that made it can. The audio of an upload stays while another saved transcription of it does.",
  auth: "user",
  scope: "transcribe",
  limit: "account",
  pathParameters: z.object({
    audio_transcription_id: formNumber()
      .pipe(z.int().min(1))
      .meta({
        override: { type: "integer", minimum: 1 },
        example: 12,
        description: "As `POST /tasks/stt` and `/tasks/stt_from_gcs` give it",
      }),
  }),
  response: {
    status: 200,
    description: "It is deleted",
    schema: z
      .object({ success: z.literal(true), audio_transcription_id: z.int().meta({ example: 12 }) })
      .meta({ id: "LegacyDeletedTranscription" }),
  },
  errors: ["not_found", "storage_unavailable"],
});

export const transcribeForOrganizationOperation = defineOperation({
  ...common,
  id: "legacyTranscribeForOrganization",
  path: "/tasks/org/stt",
  summary: "Write down a recording in a language that the model finds out",
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
  summary: "Write down a recording",
  body: {
    encoding: "multipart",
    schema: z
      .object({
        audio,
        language: optionalField(language).meta({
          override: { type: "string" },
          example: "Luganda",
          description: `Found out when absent. ${ofTheTen}`,
        }),
      })
      .meta({ id: "LegacyVendorTranscribeForm" }),
  },
  errors: [...errors, "gone"],
});
