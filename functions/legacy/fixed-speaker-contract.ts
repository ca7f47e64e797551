import * as z from "zod";
import { defineOperation, longBodyBytes } from "../../shared/http/operation.ts";
import { text } from "../../shared/platform/validation/fields.ts";
import { streamedSpeech, streamedSpeechHeaders } from "../speech/contract.ts";
import { speechResponse } from "../speech/speech-results.ts";
import { defaultSpeakerId, speakerIds } from "./fixed-speakers.ts";
import { replacedBy } from "./settings.ts";

/** The common part of the routes that `POST /tasks/audio/speech` replaces. */
export const bySpeech = {
  method: "POST",
  auth: "user",
  scope: "speech",
  ...replacedBy("/tasks/audio/speech"),
} as const;
/** The common part of the routes that `GET /tasks/voice/speakers` replaces. */
export const byVoices = {
  method: "GET",
  auth: "user",
  scope: "speech",
  ...replacedBy("/tasks/voice/speakers"),
  limit: "account",
} as const;

const failures = ["external_service_error", "storage_unavailable", "service_unavailable"] as const;
export const speakerFailures = ["no_speaker_for_language", ...failures] as const;
const speakerId = z.literal(speakerIds).default(defaultSpeakerId).meta({
  description: "One of the speakers of `GET /tasks/modal/tts/speakers`",
});

const givenSpeakerId = z.int().meta({ example: defaultSpeakerId, description: "The number of the speaker" });

const jobRequest = z
  .object({
    text: text().meta({ description: "1 to 10,000 characters; otherwise 400", example: "Wasuze otya nno?" }),
    speaker_id: speakerId,
    temperature: z
      .number()
      .min(0)
      .max(2)
      .optional()
      .describe("Sampling temperature; by default the model decides"),
    max_new_audio_tokens: z
      .int()
      .min(1)
      .optional()
      .describe(
        "The maximum number of audio tokens for each chunk of the text, at least 64 and at most 4,096",
      ),
  })
  .meta({ id: "LegacySpeechJob" });
export type SpeechJobRequest = z.output<typeof jobRequest>;

const jobResponse = z
  .object({
    output: z
      .object({
        audio_url: speechResponse.shape.audio_url,
        blob: speechResponse.shape.storage_object.meta({ description: "The object's name" }),
        sample_rate: speechResponse.shape.sample_rate,
        duration_seconds: speechResponse.shape.duration_seconds,
        format: z.literal("wav").describe("The format of the audio"),
        speaker_id: givenSpeakerId,
        processing_time: z.number().meta({ example: 0.88, description: "Seconds that the request took" }),
      })
      .describe("The stored audio"),
  })
  .meta({ id: "LegacySpeechJobResult" });
export type JobResponse = z.infer<typeof jobResponse>;

const declareJob = (id: string, path: `/${string}`, errors: readonly "gone"[]) =>
  defineOperation({
    ...bySpeech,
    id,
    path,
    summary: "Turn a text into speech",
    body: { encoding: "json", schema: jobRequest, maxBytes: longBodyBytes },
    response: { status: 200, description: "The stored audio", schema: jobResponse },
    errors: ["bad_request", ...speakerFailures, ...errors],
  });

export const speechJobOperation = declareJob("legacySpeechJob", "/tasks/tts", []);
export const vendorSpeechJobOperation = declareJob("legacyVendorSpeechJob", "/tasks/runpod/tts", ["gone"]);

const spokenRequest = z
  .object({
    text: text()
      .trim()
      .min(1)
      .max(10_000)
      .meta({ example: "Wasuze otya nno?", description: "The text to speak" }),
    speaker_id: speakerId,
    response_mode: z.enum(["url", "stream", "both"]).default("url").meta({
      description: "Only for `/tts` and `/tts-alt`; the other two routes have one mode each",
    }),
  })
  .meta({ id: "LegacySpeechRequest" });
export type SpokenRequest = z.output<typeof spokenRequest>;

const linkMembers = {
  success: z.literal(true).describe("Failures have another status"),
  audio_url: speechResponse.shape.audio_url,
  expires_at: speechResponse.shape.audio_url_expires_at,
  file_name: speechResponse.shape.storage_object.meta({
    description: "For `GET /tasks/modal/tts/refresh-url`",
  }),
};

const spokenResponse = z
  .object({
    ...linkMembers,
    duration_estimate_seconds: z
      .number()
      .meta({ example: 1.2, description: "The length in seconds at 150 words a minute" }),
    text_length: z.int().meta({ example: 16, description: "The length of the text in characters" }),
    speaker_id: givenSpeakerId,
    speaker_name: z
      .string()
      .meta({ example: "Luganda (female)", description: "The name of the speaker, to show to a person" }),
  })
  .meta({ id: "LegacySpeech" });
export type SpokenResponse = z.infer<typeof spokenResponse>;

const wav = "audio/wav";
const events = "text/event-stream";
const exampleEvents =
  'data: {"event":"audio_chunk","data":"UklGRiQAAABXQVZF","bytes":12}\n\n' +
  'data: {"event":"complete","audio_url":"https://audio.example.com/speech/1/5e2a9c4f.wav?X-Amz-Signature=0a1b2c3d",' +
  '"expires_at":"2026-11-22T10:00:00.000Z","file_name":"speech/1/5e2a9c4f-7b1d-4e3f-8a6c-0b9d2e1f7a54.wav","total_bytes":86444}\n\n';

const speakerHeaders = ["X-Speaker-ID", "X-Speaker-Name", "X-Text-Length"] as const;

const byMode = "`response_mode` chooses the form of the response: a link, the audio, or events with both.";

const declareSpoken = (
  id: string,
  path: `/${string}`,
  description = byMode,
  types: readonly string[] = [wav, events],
  streams: "always" | RegExp = streamedSpeech,
) =>
  defineOperation({
    ...bySpeech,
    id,
    path,
    summary: "Turn a text into speech of one of the six fixed speakers",
    description,
    body: { encoding: "json", schema: spokenRequest, maxBytes: longBodyBytes },
    response: {
      status: 200,
      description: "The speech",
      schema: spokenResponse,
      otherContentTypes: types,
      headers: [
        ...speakerHeaders,
        ...(types.includes(wav) ? ([...streamedSpeechHeaders, "Content-Disposition"] as const) : []),
        ...(types.includes(events) ? (["Cache-Control"] as const) : []),
      ],
    },
    streams,
    ...(types.includes(events) ? { example: { otherResponses: { [events]: exampleEvents } } } : {}),
    errors: [...speakerFailures, "gone"],
  });

export const vendorSpeechOperation = declareSpoken("legacyVendorSpeech", "/tasks/modal/tts");
export const alternativeSpeechOperation = declareSpoken(
  "legacyVendorSpeechAlternative",
  "/tasks/modal/tts-alt",
);
export const speechStreamOperation = declareSpoken(
  "legacyVendorSpeechStream",
  "/tasks/modal/tts/stream",
  "Streams the audio.",
  [wav],
  "always",
);
export const speechEventsOperation = declareSpoken(
  "legacyVendorSpeechEvents",
  "/tasks/modal/tts/stream-with-url",
  'Streams events whose data is JSON: `{"event": "audio_chunk", "data": <base64>, "bytes"}`, and finally `{"event": ' +
    '"complete", "audio_url", "expires_at", "file_name", "total_bytes"}` or `{"event": "error", "error"}`.',
  [events],
  "always",
);

export const speakersOperation = defineOperation({
  ...byVoices,
  id: "legacyVendorSpeakers",
  path: "/tasks/modal/tts/speakers",
  summary: "The six fixed speakers",
  response: {
    status: 200,
    description: "The speakers",
    schema: z
      .object({
        speakers: z
          .array(
            z.object({
              id: givenSpeakerId,
              name: z.string().meta({ example: "LUGANDA_FEMALE", description: "The name for programs" }),
              display_name: z
                .string()
                .meta({ example: "Luganda (female)", description: "The name to show to a person" }),
              language: z.string().meta({ example: "Luganda", description: "The language it speaks" }),
              gender: z.string().meta({ example: "female", description: "`female` or `male`" }),
            }),
          )
          .describe("The six speakers"),
      })
      .meta({ id: "LegacySpeakers" }),
  },
  errors: ["gone"],
});

export const refreshUrlOperation = defineOperation({
  ...byVoices,
  ...replacedBy("/tasks/audio/speech/url"),
  id: "legacyVendorRefreshUrl",
  path: "/tasks/modal/tts/refresh-url",
  summary: "Get a fresh link to stored speech",
  query: z.object({ file_name: linkMembers.file_name.min(1) }),
  response: {
    status: 200,
    description: "The link",
    schema: z.object(linkMembers).meta({ id: "LegacySpeechLink" }),
  },
  errors: ["not_found", "storage_unavailable", "gone"],
});
