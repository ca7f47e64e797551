import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { service } from "../../shared/http/function-definition.ts";
import type { ChatModels } from "../../shared/models/inference/chat.ts";
import { openFile } from "../transcription/open-recording.ts";
import * as chat from "./chat-contract.ts";
import { completeConversation, completeInstruction, summarise } from "./complete-chat.ts";
import { vendorHealthOperation } from "./contract.ts";
import { applySettings, defaultLegacySettings, type LegacySettings } from "./settings.ts";
import {
  deleteTranscription,
  type LegacyTranscriptionDependencies,
  openStorageObject,
  transcribeAndSave,
  transcribeOnly,
} from "./transcribe-recording.ts";
import * as transcription from "./transcription-contract.ts";

export interface LegacyDependencies {
  readonly models: ChatModels;
  readonly transcription: LegacyTranscriptionDependencies;
}

const openAudio = (audio: Parameters<typeof openFile>[0], signal: AbortSignal) =>
  openFile(audio, signal, {
    alternative: "send its file_id to POST /tasks/stt_from_gcs; split larger recordings",
  });

const transcriptionEndpoints = (dependencies: LegacyTranscriptionDependencies): Endpoint[] => [
  endpoint(transcription.transcribeOperation, async ({ body, caller: { userId }, request: { signal } }) => {
    const recording = await openAudio(body.audio, signal);
    return transcribeAndSave(recording, "audio", body, { userId, signal }, dependencies);
  }),
  endpoint(
    transcription.transcribeUploadOperation,
    async ({ body, caller: { userId }, request: { signal } }) => {
      const context = { userId, signal };
      const recording = await openStorageObject(body.gcs_blob_name, context, dependencies);
      return transcribeAndSave(recording, "gcs_blob_name", body, context, dependencies);
    },
  ),
  endpoint(transcription.deleteTranscriptionOperation, ({ path, caller: { userId } }) =>
    deleteTranscription(path.audio_transcription_id, userId, dependencies),
  ),
  endpoint(transcription.transcribeForOrganizationOperation, async ({ body, request: { signal } }) => {
    const choices = { language: undefined, withSpeakers: body.recognise_speakers };
    return transcribeOnly(await openAudio(body.audio, signal), choices, { ...dependencies, signal });
  }),
  endpoint(transcription.vendorTranscribeOperation, async ({ body, request: { signal } }) => {
    const choices = { language: body.language, withSpeakers: false };
    return transcribeOnly(await openAudio(body.audio, signal), choices, { ...dependencies, signal });
  }),
];

const chatEndpoints = (models: ChatModels): Endpoint[] => [
  endpoint(chat.chatOperation, ({ body, request: { signal } }) =>
    completeConversation(body, { models, signal }),
  ),
  endpoint(chat.instructOperation, ({ body, request: { signal } }) =>
    completeInstruction(body, { models, signal }),
  ),
  endpoint(chat.summariseOperation, ({ body, request: { signal } }) =>
    summarise(body.text, { models, signal }),
  ),
];

const healthEndpoint = endpoint(vendorHealthOperation, () => ({
  status: "healthy" as const,
  service: service.name,
  version: service.apiVersion,
}));

/** Binds the deprecated operations without speech to their use cases, with the settings of a stage. */
export const legacyEndpoints = (
  dependencies: LegacyDependencies,
  settings: LegacySettings = defaultLegacySettings,
): Endpoint[] =>
  [
    ...transcriptionEndpoints(dependencies.transcription),
    healthEndpoint,
    ...chatEndpoints(dependencies.models),
  ].map((bound) => applySettings(bound, settings));
