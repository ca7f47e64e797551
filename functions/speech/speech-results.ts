import * as z from "zod";
import { defaultSynthesisLanguage, defaultVoices } from "../../shared/platform/catalogue/voices.ts";

const timings = {
  inference_ms: z.number().meta({ example: 840, description: "Until the last byte from the model's server" }),
  upload_ms: z.number().meta({ example: 35, description: "From then until the audio was stored" }),
};

const seconds = z.number().meta({ example: 1.8, description: "The length of the audio in seconds" });

const audioBytes = z.int().meta({ example: 86_444, description: "The size of the audio in bytes" });

const usage = z
  .object({
    input_characters: z.int().meta({ example: 16, description: "The length of the text in characters" }),
    output_audio_bytes: audioBytes,
    duration_seconds: seconds,
  })
  .meta({ id: "SpeechUsage", description: "What counts in the usage of the account" });
export type SpeechUsage = z.infer<typeof usage>;

const storageObject = z.string().meta({
  example: "speech/1/5e2a9c4f-7b1d-4e3f-8a6c-0b9d2e1f7a54.wav",
  description: "The name of the stored audio, for `GET /tasks/audio/speech/url`",
});
const requestId = z.string().meta({
  example: "8c1f6a52-3a4e-4d0b-9d27-5f2b1c7e9a10",
  description: "The id of the request, as in `X-Request-Id`",
});
const totalMilliseconds = z.number().meta({ example: 884, description: "The sum of all steps" });
const sampleRate = z.int().meta({ example: 24_000, description: "The sample rate of the audio in hertz" });
const timingsText = "How long the steps took, in milliseconds";

const link = {
  audio_url: z.url().meta({
    description:
      "A link to the audio, which works for 30 minutes, and for `GET` only: `HEAD` is 403. `GET` with `Range: bytes=0-0` shows type and length",
    example: "https://audio.example.com/speech/1/5e2a9c4f.wav?X-Amz-Signature=0a1b2c3d",
  }),
  audio_url_expires_at: z.iso
    .datetime()
    .meta({ example: "2026-11-22T10:00:00.000Z", description: "When the link stops working" }),
};

export const speechResponse = z
  .object({
    ...link,
    model: z.string().meta({ example: "tts-20", description: "The model that spoke" }),
    platform: z.string().meta({ example: "gpu", description: "Where the model runs" }),
    voice: z.string().meta({ example: defaultVoices[0], description: "The tag of the voice" }),
    language: z
      .string()
      .meta({ example: defaultSynthesisLanguage, description: "The language of the voice" }),
    sample_rate: sampleRate,
    duration_seconds: seconds,
    storage_object: storageObject,
    request_id: requestId,
    timings_ms: z
      .object({
        ...timings,
        signed_url_ms: z.number().meta({ example: 1, description: "To sign the link" }),
        total_ms: totalMilliseconds,
      })
      .describe(timingsText),
    usage,
  })
  .meta({ id: "SpeechResponse" });
export type SpeechResponse = z.infer<typeof speechResponse>;

export const batchResult = z
  .object({
    index: z.int().meta({ example: 0, description: "Position in the request, from 0" }),
    status: z.enum(["ok", "error"]).describe("With `error`, the link and the facts about the audio are null"),
    voice: speechResponse.shape.voice,
    language: speechResponse.shape.language,
    audio_url: link.audio_url.nullable(),
    audio_url_expires_at: link.audio_url_expires_at.nullable(),
    sample_rate: sampleRate.nullable(),
    duration_seconds: seconds.nullable(),
    audio_size_bytes: audioBytes.nullable(),
    storage_object: storageObject.nullable(),
    request_id: requestId.nullable(),
    error_code: z.string().nullish().describe("Why the item failed, for programs"),
    error_detail: z.string().nullish().describe("Why the item failed, for people"),
  })
  .meta({ id: "SpeechBatchResult" });
export type BatchResult = z.infer<typeof batchResult>;

export const batchResponse = z
  .object({
    model: speechResponse.shape.model,
    platform: speechResponse.shape.platform,
    results: z.array(batchResult).describe("A result for each item, in the order of the request"),
    request_id: requestId,
    timings_ms: z.object({ ...timings, total_ms: totalMilliseconds }).meta({
      description: `${timingsText}; \`inference_ms\` and \`upload_ms\` are totals of items that run in parallel`,
    }),
    usage: usage.meta({ description: "Of the items that succeeded" }),
  })
  .meta({ id: "SpeechBatchResponse" });
export type BatchResponse = z.infer<typeof batchResponse>;

export const linkResponse = z.object({ ...link, storage_object: storageObject }).meta({ id: "SpeechLink" });
export type LinkResponse = z.infer<typeof linkResponse>;
