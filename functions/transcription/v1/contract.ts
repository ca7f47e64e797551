import * as z from "zod";
import { defineOperation } from "../../../shared/http/operation.ts";
import { languageForms } from "../../../shared/platform/catalogue/languages.ts";
import {
  formBoolean,
  formNumber,
  optionalField,
  text,
  unknownMembers,
  unsupported,
} from "../../../shared/platform/validation/fields.ts";
import { oneRecording, recordingErrors, recordingFile } from "../recording-fields.ts";
import { transcript } from "./transcript.ts";

const formats = ["json", "text", "srt", "verbose_json", "vtt"] as const;
const speakerFormats = [...formats, "diarized_json"] as const;
export type TranscriptFormat = (typeof speakerFormats)[number];

const granularities = ["segment", "word"] as const;
export type Granularity = (typeof granularities)[number];

/** A list field arrives as a single value when a client omits the brackets. */
const listed = <Schema extends z.ZodType<unknown, string>>(entry: Schema) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((value) => [value].flat())
    .pipe(z.array(entry))
    .optional();

const recording = {
  file: recordingFile,
  file_id: optionalField(z.guid()).meta({
    override: { type: "string", format: "uuid" },
    description:
      "Not in the OpenAI API: a recording of at most 100 MB that was uploaded through `POST /tasks/generate-upload-url`",
  }),
  model: text()
    .max(100)
    .meta({
      example: "stt-51",
      description:
        "`stt-51`, or `stt-51:lug` for one language; OpenAI's names mean the same, such as `whisper-1` and `gpt-4o-transcribe`, also " +
        "with a date",
    }),
  language: optionalField(text().max(100)).meta({
    override: { type: "string" },
    example: "lg",
    description:
      `${languageForms}; by default that of the model, or the \`default_language\` of your account ` +
      "(`PUT /auth/profile`). Without any, transcription determines the language, among `languages` or your `default_languages`",
  }),
  prompt: optionalField(text().max(4_000)).meta({
    override: { type: "string" },
    description: "Names and words in the recording, or the text that precedes it",
  }),
  temperature: optionalField(formNumber().pipe(z.number().min(0).max(1))).meta({
    override: { type: "number", minimum: 0, maximum: 1 },
    description: "How much the choice of words varies; by default the model decides",
  }),
} as const;

const responseFormat = <const Format extends string>(known: readonly Format[], description: string) =>
  optionalField(z.enum(known, unsupported(`Supported response formats: ${known.join(", ")}.`)))
    .transform((format) => format ?? "json")
    .meta({ override: { type: "string", enum: [...known], default: "json" }, description });

const timedFormats = "`verbose_json` has the times; `srt` and `vtt` are subtitles";

const onlyFalse = (sentence: string) =>
  optionalField(formBoolean().pipe(z.literal(false, unsupported(sentence)))).meta({
    override: { type: "boolean", default: false },
    description: sentence,
  });

const noNames = "Speakers are named by letters.";

/** A list that is refused by its name. */
const refused = (sentence: string) =>
  listed(z.never(unsupported(sentence))).meta({
    override: { type: "array", items: { type: "string" } },
    description: `Not supported. ${sentence}`,
  });

const transcriptionRequest = oneRecording(
  z.strictObject(
    {
      ...recording,
      response_format: responseFormat(
        speakerFormats,
        `${timedFormats}; \`diarized_json\` has the speakers, if a model of this service distinguishes them`,
      ),
      timestamp_granularities: listed(
        z.enum(granularities, unsupported("Supported granularities: `segment`, `word`.")),
      ).meta({
        override: { type: "array", items: { type: "string" } },
        description:
          "With `verbose_json`: what to return timestamps for, `segment` or `word`; segments by default",
      }),
      stream: optionalField(formBoolean())
        .transform((wanted) => wanted ?? false)
        .meta({
          override: { type: "boolean", default: false },
          description: "With `json` and `text`: whether the text is streamed as events",
        }),
      chunking_strategy: z
        .unknown()
        .optional()
        .meta({
          override: { type: "string" },
          description: "Accepted without effect",
        }),
      keywords: listed(text().max(200)).meta({
        override: { type: "array", items: { type: "string" } },
        description:
          "Names and terms in the recording, in the order of their use. They are added to `prompt`, after those of your account " +
          "(`PUT /auth/profile`): models read about 30 names, and of more the first are left out. `alternatives` in `verbose_json` " +
          "are texts with a keyword where the model heard something similar and is not sure",
      }),
      languages: listed(text().max(100)).meta({
        override: { type: "array", items: { type: "string" } },
        description:
          "The languages that the recording may be in, if `language` is absent: at most three where no model of this service detects " +
          "languages. Its ends and its middle are transcribed in each to determine it, which `usage` includes",
      }),
      known_speaker_names: refused(noNames),
      known_speaker_references: refused(noNames),
      include: refused("Log probabilities are not supported."),
    },
    unknownMembers,
  ),
  "file",
).meta({ id: "V1TranscriptionRequest" });
export type V1TranscriptionForm = z.output<typeof transcriptionRequest>;

const translationRequest = oneRecording(
  z.strictObject(
    {
      ...recording,
      response_format: responseFormat(formats, timedFormats),
      stream: onlyFalse("Translations cannot be streamed."),
    },
    unknownMembers,
  ),
  "file",
).meta({ id: "V1AudioTranslationRequest" });
export type V1TranslationForm = z.output<typeof translationRequest>;

const subtitles = ["text/plain", "application/x-subrip", "text/vtt"];

/** The documentation's example of a text in each format. */
const examplesOf = (text: string) => ({
  response: { text, usage: { type: "duration" as const, seconds: 3 } },
  otherResponses: {
    "text/plain": `${text}\n`,
    "application/x-subrip": `1\n00:00:00,480 --> 00:00:02,160\n${text}\n\n`,
    "text/vtt": `WEBVTT\n\n00:00:00.480 --> 00:00:02.160\n${text}\n\n`,
  },
});
const transcribed = examplesOf("Wasuze otya nno?");

const errors = [
  "model_not_found",
  "language_required",
  "unsupported_language",
  "unsupported_parameter",
  ...recordingErrors,
] as const;

export const createV1TranscriptionOperation = defineOperation({
  id: "createV1Transcription",
  method: "POST",
  path: "/v1/audio/transcriptions",
  summary: "Transcribe a recording, for clients of the OpenAI API",
  description:
    "Subtitles have cues of at most two lines of 42 characters. With `stream` the response is `text/event-stream`: " +
    "`transcript.text.delta` with each piece of the text, and `transcript.text.done` with all of it; a failure " +
    "after the start is an event with an `error`.",
  tag: "OpenAI clients",
  auth: "user",
  scope: "transcribe",
  body: { encoding: "multipart", schema: transcriptionRequest },
  response: {
    status: 200,
    description: "The transcription in the requested format",
    schema: transcript,
    otherContentTypes: [...subtitles, "text/event-stream"],
  },
  streams: /name="?stream"?(?![\w-])/i,
  example: {
    ...transcribed,
    otherResponses: {
      ...transcribed.otherResponses,
      "text/event-stream":
        'data: {"type":"transcript.text.delta","delta":"Wasuze otya nno?"}\n\n' +
        'data: {"type":"transcript.text.done","text":"Wasuze otya nno?"}\n\n',
    },
  },
  errors,
});

export const createV1TranslationOperation = defineOperation({
  id: "createV1AudioTranslation",
  method: "POST",
  path: "/v1/audio/translations",
  summary: "Translate a recording into English, for clients of the OpenAI API",
  description:
    "The recording is transcribed in its language, which must be one that can be translated, and then translated.",
  tag: "OpenAI clients",
  auth: "user",
  scope: "transcribe",
  body: { encoding: "multipart", schema: translationRequest },
  response: {
    status: 200,
    description: "The translation in the requested format",
    schema: transcript,
    otherContentTypes: subtitles,
  },
  example: examplesOf("Good morning!"),
  errors,
});
