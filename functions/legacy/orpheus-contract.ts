import * as z from "zod";
import { defineOperation, longBodyBytes } from "../../shared/http/operation.ts";
import { languageForms } from "../../shared/platform/catalogue/languages.ts";
import { defaultSynthesisLanguage, defaultVoices } from "../../shared/platform/catalogue/voices.ts";
import { text } from "../../shared/platform/validation/fields.ts";
import { speechItem } from "../speech/contract.ts";
import { batchResponse, batchResult, speechResponse } from "../speech/speech-results.ts";
import { voicesResponse } from "../speech/voices-contract.ts";
import { bySpeech, byVoices, speakerFailures } from "./fixed-speaker-contract.ts";
import { replacedBy } from "./settings.ts";

const exampleVoices = defaultVoices.slice(0, 2);

const voiceFailures = [
  "invalid_speaker",
  "unknown_language",
  "invalid_speaker_for_language",
  ...speakerFailures,
] as const;

const orpheusItem = speechItem
  .pick({
    language: true,
    temperature: true,
    top_p: true,
    repetition_penalty: true,
    max_tokens: true,
    seed: true,
  })
  .extend({
    text: text().trim().min(1).max(2_000).meta({ example: "Wasuze otya nno?", description: "What to say" }),
    speaker_id: speechItem.shape.voice,
  })
  .meta({ id: "LegacyVoiceItem" });
export type OrpheusItem = z.output<typeof orpheusItem>;

const orpheusResponse = speechResponse
  .omit({ model: true, platform: true, voice: true, storage_object: true, usage: true })
  .extend({
    speaker_id: speechResponse.shape.voice,
    chunks: z.null().meta({ description: "No longer reported" }),
    audio_size_bytes: batchResult.shape.audio_size_bytes.unwrap(),
    gcs_object: speechResponse.shape.storage_object,
  })
  .meta({ id: "LegacyVoiceSpeech" });
export type OrpheusResponse = z.infer<typeof orpheusResponse>;

export const orpheusSpeechOperation = defineOperation({
  ...bySpeech,
  id: "legacyVoiceSpeech",
  path: "/tasks/modal/orpheus/tts",
  summary: "Turn a text into speech with a voice of the catalogue",
  body: { encoding: "json", schema: orpheusItem },
  response: { status: 200, description: "The stored audio", schema: orpheusResponse },
  errors: [...voiceFailures, "gone"],
});

const orpheusBatchResponse = batchResponse
  .pick({ request_id: true, timings_ms: true })
  .extend({
    results: z
      .array(
        batchResult
          .omit({ voice: true, storage_object: true })
          .extend({ speaker_id: speechResponse.shape.voice, gcs_object: batchResult.shape.storage_object })
          .meta({ id: "LegacyVoiceBatchResult" }),
      )
      .describe("A result for each item, in the order of the request"),
  })
  .meta({ id: "LegacyVoiceBatch" });
export type OrpheusBatchResponse = z.infer<typeof orpheusBatchResponse>;

export const orpheusBatchOperation = defineOperation({
  ...bySpeech,
  ...replacedBy("/tasks/audio/speech/batch"),
  id: "legacyVoiceBatch",
  path: "/tasks/modal/orpheus/tts/batch",
  summary: "Turn up to 16 texts into speech",
  body: {
    encoding: "json",
    schema: z
      .object({
        items: z
          .array(orpheusItem)
          .min(1)
          .max(128)
          .describe("At most 16 texts to speak, each of which counts as a task; otherwise 400"),
      })
      .meta({ id: "LegacyVoiceBatchRequest" }),
    maxBytes: longBodyBytes,
  },
  tasksIn: "items",
  response: {
    status: 200,
    description: "A result for each item, in order",
    schema: orpheusBatchResponse,
  },
  errors: ["bad_request", ...voiceFailures, "gone"],
});

export const orpheusVoicesOperation = defineOperation({
  ...byVoices,
  id: "legacyVoices",
  path: "/tasks/modal/orpheus/speakers",
  summary: "The voices of the catalogue",
  response: { status: 200, description: "Tags of voices", schema: voicesResponse },
  errors: ["gone"],
});

export const orpheusVoicesOfLanguageOperation = defineOperation({
  ...byVoices,
  id: "legacyVoicesOfLanguage",
  path: "/tasks/modal/orpheus/speakers/{language}",
  summary: "The voices of one language",
  pathParameters: z.object({
    language: text().max(100).meta({ example: defaultSynthesisLanguage, description: languageForms }),
  }),
  response: { status: 200, description: "Tags of voices", schema: voicesResponse },
  example: {
    response: { language: defaultSynthesisLanguage, speakers: exampleVoices, count: exampleVoices.length },
  },
  errors: ["unknown_language", "gone"],
});
