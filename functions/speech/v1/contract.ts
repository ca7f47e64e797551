import * as z from "zod";
import { defineOperation } from "../../../shared/http/operation.ts";
import { languageForms } from "../../../shared/platform/catalogue/languages.ts";
import {
  defaultSynthesisLanguage,
  defaultSynthesisLanguageName,
  defaultVoices,
  nameOfVoice,
} from "../../../shared/platform/catalogue/voices.ts";
import { text, unknownMembers, unsupported } from "../../../shared/platform/validation/fields.ts";

const tag = "OpenAI clients";

const formats = ["mp3", "opus", "wav", "pcm"] as const;

const voiceName = text().trim().min(1).max(100);

const speechRequest = z
  .strictObject(
    {
      model: text().max(100).meta({
        example: "tts-20",
        description: "`tts-20`; `tts-1`, `tts-1-hd` and `gpt-4o-mini-tts` mean the same",
      }),
      input: text()
        .trim()
        .min(1)
        .max(5_000)
        .meta({ example: "Wasuze otya nno?", description: "The text to speak" }),
      voice: z
        .union([voiceName, z.strictObject({ id: voiceName.describe("A voice by its id") }, unknownMembers)])
        .nullish()
        .meta({
          example: "alloy",
          description:
            "A voice from `GET /v1/audio/voices`; a voice name of OpenAI means the first voice of the language",
        }),
      response_format: z
        .enum(formats, unsupported(`Supported formats: ${formats.join(", ")}.`))
        .nullish()
        .meta({
          override: { default: "mp3" },
          description: "`opus` is in Ogg; `pcm` is 24 kHz, 16 bits, little endian, mono, without a header",
        }),
      speed: z
        .literal(1, unsupported("Only `speed: 1` is supported."))
        .nullish()
        .describe("Only `speed: 1` is supported"),
      stream_format: z
        .enum(["audio", "sse"], unsupported("Supported stream formats: `audio`, `sse`."))
        .nullish()
        .meta({
          override: { default: "audio" },
          description: "Whether the audio is sent as bytes or as events",
        }),
      instructions: z
        .literal("", unsupported("Instructions on how to speak are not supported."))
        .nullish()
        .meta({ description: "Only an empty text" }),
      language: text()
        .trim()
        .max(100)
        .nullish()
        .meta({
          example: defaultSynthesisLanguage,
          description:
            `Not in the OpenAI API: ${languageForms}. By default the language of the voice, else the ` +
            `\`default_language\` of your account (\`PUT /auth/profile\`), else ${defaultSynthesisLanguageName}`,
        }),
    },
    unknownMembers,
  )
  .meta({ id: "V1SpeechRequest" });
export type V1SpeechRequest = z.output<typeof speechRequest>;

export const createV1SpeechOperation = defineOperation({
  id: "createV1Speech",
  method: "POST",
  path: "/v1/audio/speech",
  summary: "Turn a text into speech, for clients of the OpenAI API",
  description:
    "The audio is streamed. With `stream_format: sse` it is sent as events: `speech.audio.delta` with pieces in " +
    "base64, then `speech.audio.done`, whose token counts are 0, because the model does not count tokens; a later " +
    "failure is an event with an `error`.",
  tag,
  auth: "user",
  scope: "speech",
  body: { encoding: "json", schema: speechRequest },
  response: {
    status: 200,
    description: "The audio",
    schema: z.never(),
    otherContentTypes: ["audio/mpeg", "audio/ogg", "audio/wav", "audio/pcm", "text/event-stream"],
    headers: ["X-Sample-Rate"],
  },
  streams: "always",
  example: {
    otherResponses: {
      "text/event-stream":
        'data: {"type":"speech.audio.delta","audio":"SUQzBAAAAAAA"}\n\n' +
        'data: {"type":"speech.audio.done","usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0}}\n\n',
    },
  },
  errors: [
    "model_not_found",
    "unsupported_parameter",
    "invalid_speaker",
    "unknown_language",
    "invalid_speaker_for_language",
    "no_speaker_for_language",
    "external_service_error",
    "service_unavailable",
  ],
});

const common = { method: "GET", tag, auth: "public", limit: "reading" } as const;

export const listV1VoicesOperation = defineOperation({
  ...common,
  id: "listV1Voices",
  path: "/v1/audio/voices",
  summary: "List the voices, for clients of the OpenAI API",
  response: {
    status: 200,
    description: "The voices",
    schema: z
      .object({
        voices: z
          .array(
            z.object({
              id: z.string().meta({ example: defaultVoices[0], description: "The `voice` of requests" }),
              name: z.string().meta({
                example: nameOfVoice(defaultVoices[0] ?? ""),
                description: "The language and the voice",
              }),
            }),
          )
          .describe("All voices"),
      })
      .meta({ id: "V1Voices" }),
  },
  errors: [],
});

export const listV1SpeechModelsOperation = defineOperation({
  ...common,
  id: "listV1SpeechModels",
  path: "/v1/audio/models",
  summary: "List the speech models, for clients of the OpenAI API",
  response: {
    status: 200,
    description: "The models",
    schema: z
      .object({
        models: z
          .array(
            z.object({
              id: z.string().meta({ example: "tts-20", description: "The `model` of requests" }),
            }),
          )
          .describe("The models that speak"),
      })
      .meta({ id: "V1SpeechModels" }),
  },
  errors: [],
});
