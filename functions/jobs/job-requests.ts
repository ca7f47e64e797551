import * as z from "zod";
import { documentFormats } from "../../shared/documents/document-formats.ts";
import {
  languageField,
  languageForms,
  transcriptionLanguages,
  translationLanguages,
} from "../../shared/platform/catalogue/languages.ts";
import { keywordList, text } from "../../shared/platform/validation/fields.ts";
import { maxCallbackUrlLength } from "../../shared/recordings/callbacks/callback-url.ts";
import { maxTargets, targetFormats } from "../../shared/recordings/jobs/target.ts";

const fileId = z.guid().meta({
  override: { type: "string", format: "uuid" },
  example: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69",
});

const callbackUrl = text().max(maxCallbackUrlLength).nullish().meta({
  example: "https://example.org/language-ai",
  description: "A URL to call when the job ends, following Standard Webhooks",
});

/** What a transcript is translated into. */
export const transcriptTargets = z
  .array(
    z
      .object({
        language: text()
          .max(100)
          .meta({
            example: "eng",
            description: `${languageForms}; one of the ${translationLanguages.length} of \`TranslationLanguage\``,
          }),
        format: z.enum(targetFormats).meta({
          example: "srt",
          description:
            "`srt` and `vtt` are subtitles with the times of the transcript; `text` and `json` the translated transcript; `audio` is Ogg Opus, " +
            "in which each segment is spoken at its time, for languages with voices",
        }),
      })
      .meta({ id: "TranscriptTarget" }),
  )
  .min(1)
  .max(maxTargets);

const recordingLanguage = languageField(transcriptionLanguages.map(({ code }) => code));

/** The body of a job that transcribes. */
export const transcriptionJobRequest = z
  .object({
    type: z.literal("transcription").describe("Transcribes a recording"),
    file_id: fileId.meta({
      description:
        "A recording of up to 500 MB, uploaded through `POST /tasks/generate-upload-url` with its `size`, or in parts through " +
        "`POST /tasks/uploads`",
    }),
    language: recordingLanguage.nullish().meta({
      override: { type: ["string", "null"] },
      example: "lug",
      description:
        `${languageForms}; one of the ${transcriptionLanguages.length} of \`TranscriptionLanguage\`. By default that of \`languages\`, or of ` +
        "your account's `default_language` or `default_languages`",
    }),
    languages: z
      .array(recordingLanguage)
      .nullish()
      .meta({
        override: { type: ["array", "null"], items: { type: "string" } },
        example: ["lug", "eng"],
        description:
          "The languages that the recording may be in, at most three where no model of this service detects languages. They are tried at " +
          "the ends and the middle of each piece of the recording, which may change its language",
      }),
    timestamps: z.boolean().default(false).meta({ description: "Whether the JSON result has `segments`" }),
    speakers: z
      .boolean()
      .default(false)
      .meta({
        description:
          "Whether the result says who speaks, as `A`, `B` and so on: in segments, in subtitles and in `text`. Refused where no model of this " +
          "service distinguishes speakers",
      }),
    keywords: keywordList()
      .nullish()
      .meta({
        example: ["Sekitoleko", "Ntungamo"],
        description:
          "Names and terms in the recording, in the order of their use. Models get them with those of your account (`PUT /auth/profile`). " +
          "Segments have `alternatives` where the model heard something similar and is not sure",
      }),
    targets: transcriptTargets.nullish().meta({
      example: [{ language: "eng", format: "srt" }],
      description:
        "What the transcript is translated into. A language is translated once for all of its formats, and can be fetched in any format of text",
    }),
    callback_url: callbackUrl,
  })
  .meta({ id: "TranscriptionJobRequest" });
export type TranscriptionJobRequest = z.output<typeof transcriptionJobRequest>;

const translationLanguage = text().max(100);

const translationJobRequest = z
  .object({
    type: z.literal("translation").describe("Translates a document"),
    file_id: fileId.meta({
      description:
        "A document of up to 10 MB and a million characters, uploaded through `POST /tasks/generate-upload-url`",
    }),
    source_language: translationLanguage.nullish().meta({
      example: "eng",
      description: `${languageForms}; when absent, or \`auto\`, the model infers it from the text`,
    }),
    target_language: translationLanguage.meta({ example: "lug", description: languageForms }),
    format: z.enum(documentFormats).nullish().meta({
      example: "docx",
      description: "The format of the document; by default it follows from its content and its name",
    }),
    columns: z
      .array(text().min(1).max(200))
      .min(1)
      .max(100)
      .nullish()
      .meta({
        example: ["title", "description"],
        description:
          "For `csv`: the columns to translate, by their names in the first row or their numbers from 1; by default those that hold words",
      }),
    header: z.boolean().nullish().meta({
      description:
        "For `csv`: whether the first row has the names of the columns and stays; by default that follows from what it contains",
    }),
    retranslate: z.boolean().nullish().meta({
      description:
        "For `po` and `xliff`: whether translations that the document has are replaced; by default they stay",
    }),
    keep_fuzzy: z.boolean().nullish().meta({
      description:
        "For `po`: whether entries that were fuzzy and are translated still say so; by default they do",
    }),
    callback_url: callbackUrl,
  })
  .meta({ id: "TranslationJobRequest" });
export type TranslationJobRequest = z.output<typeof translationJobRequest>;

export const jobRequest = z
  .discriminatedUnion("type", [transcriptionJobRequest, translationJobRequest])
  .meta({ id: "JobRequest" });
export type JobRequest = z.output<typeof jobRequest>;
