import * as chat from "../../functions/legacy/chat-contract.ts";
import { vendorHealthOperation } from "../../functions/legacy/contract.ts";
import * as speech from "../../functions/legacy/fixed-speaker-contract.ts";
import * as orpheus from "../../functions/legacy/orpheus-contract.ts";
import * as transcription from "../../functions/legacy/transcription-contract.ts";
import type { Operation } from "../../shared/http/operation.ts";
import type { CallOptions } from "./client.ts";
import { formData, formFile } from "./multipart.ts";
import { audioBytes, wavFile } from "./wav.ts";

/** What a client of version 1 sends. */
export type LegacyRequest = Pick<CallOptions, "body"> & {
  readonly query?: string;
  /** In place of the route's. */
  readonly path?: string;
};

/** A deprecated route, with requests that clients of version 1 send. */
export interface LegacyRoute {
  readonly operation: Operation;
  /** `operation` with its path parameters filled in. */
  readonly path: string;
  /** Whether a model has to work for it. */
  readonly usesModel: boolean;
  /**
   *
   * @param created what a client has: an upload, speech and a transcription from earlier requests.
   */
  readonly valid: (created: {
    readonly upload: string;
    readonly speech: string;
    readonly transcription: number;
  }) => LegacyRequest;
  /** A request with one mistake, and its error; absent where nothing can be wrong. */
  readonly invalid?: {
    readonly request: LegacyRequest;
    readonly loc: readonly (string | number)[];
    readonly type: string;
  };
  /** By default JSON. */
  readonly contentType?: "audio/wav" | "text/event-stream; charset=utf-8";
}

const text = "Wasuze otya nno, ssebo?";

/** A second and a half of noise at 24 kHz. */
const noise = wavFile(audioBytes(72_000), { stated: true });
const audio = () => formFile(noise);

const noText = { request: { body: {} }, loc: ["body", "text"], type: "missing" };
const unknownSpeaker = {
  request: { body: { text, speaker_id: 1 } },
  loc: ["body", "speaker_id"],
  type: "enum",
};

const route = (
  operation: Operation,
  usesModel: boolean,
  details: Partial<Omit<LegacyRoute, "operation">>,
): LegacyRoute => ({ operation, path: operation.path, usesModel, valid: () => ({}), ...details });

/** Every deprecated route. */
export const legacyRoutes: readonly LegacyRoute[] = [
  route(transcription.transcribeOperation, true, {
    valid: () => ({ body: formData({ audio: audio(), language: "ach", recognise_speakers: "true" }) }),
    invalid: { request: { body: formData({ language: "lug" }) }, loc: ["body", "audio"], type: "missing" },
  }),
  route(transcription.transcribeUploadOperation, true, {
    valid: ({ upload }) => ({ body: new URLSearchParams({ gcs_blob_name: upload, language: "nyn" }) }),
    invalid: {
      request: { body: new URLSearchParams({ gcs_blob_name: "x", language: "fra" }) },
      loc: ["body", "language"],
      type: "enum",
    },
  }),
  route(transcription.deleteTranscriptionOperation, false, {
    path: "/tasks/stt/1",
    valid: ({ transcription: id }) => ({ path: `/tasks/stt/${id}` }),
    invalid: {
      request: { path: "/tasks/stt/first" },
      loc: ["path", "audio_transcription_id"],
      type: "float_parsing",
    },
  }),
  route(transcription.transcribeForOrganizationOperation, true, {
    valid: () => ({ body: formData({ audio: audio() }) }),
    invalid: {
      request: { body: formData({ audio: audio(), recognise_speakers: "perhaps" }) },
      loc: ["body", "recognise_speakers"],
      type: "bool_parsing",
    },
  }),
  route(transcription.vendorTranscribeOperation, true, {
    valid: () => ({ body: formData({ audio: audio(), language: "Luganda" }) }),
    invalid: {
      request: { body: formData({ audio: audio(), language: "Latin" }) },
      loc: ["body", "language"],
      type: "enum",
    },
  }),
  route(speech.speechJobOperation, true, {
    valid: () => ({ body: { text, speaker_id: 241, temperature: 0.7, max_new_audio_tokens: 2_000 } }),
    invalid: unknownSpeaker,
  }),
  route(speech.vendorSpeechJobOperation, true, { valid: () => ({ body: { text } }), invalid: noText }),
  route(speech.vendorSpeechOperation, true, {
    valid: () => ({ body: { text, speaker_id: 246 } }),
    invalid: { request: { body: { text: " " } }, loc: ["body", "text"], type: "string_too_short" },
  }),
  route(speech.alternativeSpeechOperation, true, {
    valid: () => ({ body: { text } }),
    invalid: unknownSpeaker,
  }),
  route(speech.speechStreamOperation, true, {
    valid: () => ({ body: { text } }),
    invalid: noText,
    contentType: "audio/wav",
  }),
  route(speech.speechEventsOperation, true, {
    valid: () => ({ body: { text } }),
    invalid: noText,
    contentType: "text/event-stream; charset=utf-8",
  }),
  route(speech.speakersOperation, false, {}),
  route(speech.refreshUrlOperation, false, {
    valid: ({ speech: created }) => ({ query: `?file_name=${encodeURIComponent(created)}` }),
    invalid: { request: {}, loc: ["query", "file_name"], type: "missing" },
  }),
  route(orpheus.orpheusSpeechOperation, true, {
    valid: () => ({ body: { text, speaker_id: "salt_nyn_0001", language: "nyn" } }),
    invalid: {
      request: { body: { text, max_tokens: 1 } },
      loc: ["body", "max_tokens"],
      type: "greater_than_equal",
    },
  }),
  route(orpheus.orpheusBatchOperation, true, {
    valid: () => ({ body: { items: [{ text }, { text: "Hi", speaker_id: "salt_eng_0001" }] } }),
    invalid: { request: { body: { items: [] } }, loc: ["body", "items"], type: "too_short" },
  }),
  route(orpheus.orpheusVoicesOperation, false, {}),
  route(orpheus.orpheusVoicesOfLanguageOperation, false, { path: "/tasks/modal/orpheus/speakers/teo" }),
  route(vendorHealthOperation, false, {}),
  route(chat.chatOperation, true, {
    valid: () => ({ body: { messages: [{ role: "user", content: "How are you?" }], model_type: "qwen" } }),
    invalid: {
      request: { body: { messages: [{ role: "user", content: " " }] } },
      loc: ["body", "messages", 0, "content"],
      type: "string_too_short",
    },
  }),
  route(chat.instructOperation, true, {
    valid: () => ({
      body: new URLSearchParams({ instruction: "How are you in Luganda?", model_type: "gemma" }),
    }),
    invalid: {
      request: { body: new URLSearchParams({ instruction: "Hello", model_type: "llama" }) },
      loc: ["body", "model_type"],
      type: "enum",
    },
  }),
  route(chat.summariseOperation, true, {
    valid: () => ({ body: { text: "The market opens at dawn. Farmers bring maize. By noon it is sold." } }),
    invalid: noText,
  }),
];
