import * as z from "zod";
import { defineOperation, longBodyBytes } from "../../shared/http/operation.ts";
import type { ApiHeaderName } from "../../shared/http/response-headers.ts";
import { languageForms } from "../../shared/platform/catalogue/languages.ts";
import {
  defaultSynthesisLanguage,
  defaultSynthesisLanguageName,
  defaultVoices,
} from "../../shared/platform/catalogue/voices.ts";
import { text } from "../../shared/platform/validation/fields.ts";
import { batchResponse, linkResponse, speechResponse } from "./speech-results.ts";

const tag = "Speech";

/** Fields of earlier versions that callers may still send; they are refused by name (specification, rule 1). */
const removed = {
  model: z.never().optional(),
  platform: z.never().optional(),
  max_new_audio_tokens: z.never().optional(),
};

const samplingParameter = (schema: z.ZodNumber, usual: number, description: string) =>
  schema.nullish().meta({ description: `${description}; when absent, the model decides (usually ${usual})` });

const spokenText = text()
  .trim()
  .min(1)
  .max(5_000)
  .meta({ example: "Wasuze otya nno?", description: "The text to speak" });

const speechFields = {
  text: spokenText,
  voice: text().trim().max(100).nullish().meta({
    example: defaultVoices[0],
    description: "Tag of a voice; when absent, the first voice of the language",
  }),
  language: text()
    .trim()
    .max(100)
    .nullish()
    .meta({
      example: defaultSynthesisLanguage,
      description: `${languageForms}; ${defaultSynthesisLanguageName} when both voice and language are absent`,
    }),
  temperature: samplingParameter(z.number().min(0).max(2), 0.6, "Sampling temperature"),
  top_p: samplingParameter(z.number().gt(0).max(1), 0.95, "Nucleus sampling"),
  repetition_penalty: samplingParameter(z.number().min(1).max(2), 1.1, "Penalty on repetition"),
  max_tokens: samplingParameter(
    z.int().min(64).max(4_096),
    1_200,
    "The maximum number of audio tokens for each chunk of the text",
  ),
  seed: z.int().nullish().meta({ description: "The same seed produces the same audio" }),
};

/** The format of the audio, an addition to the specification. */
const audioFormat = z
  .enum(["wav", "mp3", "opus"])
  .nullish()
  .meta({
    description:
      "`wav` as the model returns it (2.9 MB a minute), `mp3` (360 kB) or `opus` in Ogg (about 180 kB). When absent, " +
      "`wav`, or `opus` with the header `Save-Data: on`",
  });

const savesData = z.object({
  "Save-Data": z
    .string()
    .optional()
    .meta({ example: "on", description: "`on` requests the smallest format when the body names none" }),
});

export const speechItem = z.object({ ...speechFields, ...removed }).meta({ id: "SpeechItem" });
export type SpeechItem = z.infer<typeof speechItem>;

export const speechRequest = z
  .object({
    ...speechFields,
    response_mode: z.enum(["url", "stream", "both"]).default("url").meta({
      description: "A link to the audio, the audio as a stream, or the stream with a link",
    }),
    audio_format: audioFormat,
    ...removed,
  })
  .meta({ id: "SpeechRequest" });

/** Matches a body whose response is the audio itself. */
export const streamedSpeech = /"response_mode"\s*:\s*"(?:stream|both)"/;

/** What is known about a stream before its first byte. */
export const streamedSpeechHeaders = [
  "X-Sample-Rate",
  "X-Platform",
  "X-Usage-Characters",
  "X-Usage-Seconds",
] as const satisfies ApiHeaderName[];

const voiceErrors = [
  "invalid_speaker",
  "unknown_language",
  "invalid_speaker_for_language",
  "no_speaker_for_language",
] as const;
const synthesisErrors = [
  ...voiceErrors,
  "unsupported_parameter",
  "external_service_error",
  "storage_unavailable",
  "service_unavailable",
] as const;

export const synthesizeOperation = defineOperation({
  id: "synthesizeSpeech",
  method: "POST",
  path: "/tasks/audio/speech",
  summary: "Turn a text into speech",
  description:
    "With `response_mode: url` the response is JSON, sent once the audio is stored. `stream` and `both` stream the " +
    "audio from the model; a WAV header has a length only if the model's server knows it. `both` also stores the " +
    "audio: the header `X-Audio-Url` has the link and `X-Storage-Object` the name for a fresh one. The link returns " +
    "404 until the stream is complete, and permanently if it fails. The headers of both have what is known before the " +
    "first byte: `X-Platform`, `X-Usage-Characters`, and `X-Usage-Seconds` if the model's server states a length. The " +
    "seconds of every stream are in `GET /auth/usage`; trailers do not pass API Gateway.",
  tag,
  auth: "user",
  scope: "speech",
  body: { encoding: "json", schema: speechRequest },
  response: {
    status: 200,
    description: "A link to the audio, or the audio itself",
    schema: speechResponse,
    otherContentTypes: ["audio/wav", "audio/mpeg", "audio/ogg"],
    headers: [...streamedSpeechHeaders, "X-Audio-Url", "X-Storage-Object"],
  },
  variesBy: savesData,
  streams: streamedSpeech,
  errors: synthesisErrors,
});

export const batchRequest = z
  .object({
    items: z.array(speechItem).min(1).max(16).describe("The texts to speak; each counts as a task"),
    audio_format: audioFormat,
    ...removed,
  })
  .meta({ id: "SpeechBatchRequest" });
export type BatchRequest = z.infer<typeof batchRequest>;

export const batchOperation = defineOperation({
  id: "synthesizeSpeechBatch",
  method: "POST",
  path: "/tasks/audio/speech/batch",
  summary: "Turn up to 16 texts into speech",
  description:
    "Every item counts as a task, and all are validated first. An item that fails later is marked; if all items " +
    "fail, so does the request. `audio_format` applies to all items.",
  tag,
  auth: "user",
  scope: "speech",
  body: { encoding: "json", schema: batchRequest, maxBytes: longBodyBytes },
  variesBy: savesData,
  tasksIn: "items",
  response: { status: 200, description: "A result for each item, in order", schema: batchResponse },
  errors: synthesisErrors,
});

export const refreshLinkOperation = defineOperation({
  id: "refreshSpeechLink",
  method: "GET",
  path: "/tasks/audio/speech/url",
  summary: "Get a fresh link to stored speech",
  description:
    "Only the account that created the speech can get one. Speech is stored for 30 days, unless the operator has set another " +
    "time; then the response is 404, as for a name that never existed.",
  tag,
  auth: "user",
  scope: "speech",
  limit: "account",
  query: z.object({
    storage_object: text().min(1).max(1_024).meta({
      example: "speech/1/5e2a9c4f-7b1d-4e3f-8a6c-0b9d2e1f7a54.wav",
      description: "As in a response or the header `X-Storage-Object`",
    }),
  }),
  response: { status: 200, description: "The link", schema: linkResponse },
  errors: ["not_found", "storage_unavailable"],
});

/** How long Lambda lets the function work. */
export const speechTimeoutSeconds = 300;
