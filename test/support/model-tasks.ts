import { chatEndpoints } from "../../functions/chat/endpoints.ts";
import { speechEndpoints } from "../../functions/speech/endpoints.ts";
import { transcriptionEndpoints } from "../../functions/transcription/endpoints.ts";
import { translateEndpoints } from "../../functions/translate/endpoints.ts";
import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import type { Backends } from "../../shared/models/inference/openai/backend.ts";
import { createOpenAiChatModels } from "../../shared/models/inference/openai/chat-models.ts";
import { createOpenAiSynthesizer } from "../../shared/models/inference/openai/synthesizer.ts";
import { createOpenAiTranscriber } from "../../shared/models/inference/openai/transcriber.ts";
import { createTranslator } from "../../shared/models/inference/openai/translator.ts";
import { encodeForm, formFile } from "./multipart.ts";
import { uncountedCharacters } from "./uncounted-characters.ts";
import { unsureDetector } from "./unsure-detector.ts";
import { audioBytes, wavFile } from "./wav.ts";

const unused = () => Promise.reject(new Error("The store is not needed."));
const noStore = {
  delete: unused,
  describe: unused,
  open: unused,
  signDownload: unused,
  write: () => ({}) as never,
};

/** A task of the service: its endpoints in front of a model's server, and a request to it. */
export interface ModelTaskRequest {
  readonly endpoints: (backends: Backends) => Endpoint[];
  readonly request: () => Promise<{ path: string; body: unknown; headers?: Record<string, string> }>;
}

const chat = (stream: boolean): ModelTaskRequest => ({
  endpoints: (backends) => chatEndpoints({ models: createOpenAiChatModels(backends) }),
  request: async () => ({
    path: "/tasks/chat/completions",
    body: { messages: [{ role: "user", content: "How are you in Luganda?" }], stream },
  }),
});

/** A request of each kind that calls models. */
export const tasks = {
  translation: {
    endpoints: (backends) =>
      translateEndpoints({
        characters: uncountedCharacters,
        sourceDetector: unsureDetector,
        translator: createTranslator(backends),
      }),
    request: async () => ({
      path: "/tasks/translate",
      body: { source_language: "eng", target_language: "lug", text: "How are you?" },
    }),
  },
  chat: chat(false),
  "streamed chat": chat(true),
  speech: {
    endpoints: (backends) =>
      speechEndpoints({
        synthesizer: createOpenAiSynthesizer(backends),
        store: noStore,
        model: "model",
        encode: encodeAudio,
        platform: "platform",
      }),
    request: async () => ({
      path: "/tasks/audio/speech",
      body: { text: "Wasuze otya nno?", response_mode: "stream" },
    }),
  },
  transcription: {
    endpoints: (backends) =>
      transcriptionEndpoints({
        transcriber: createOpenAiTranscriber(backends),
        uploads: { find: unused },
        store: noStore,
      }),
    request: async () => ({
      path: "/tasks/audio/transcriptions",
      ...(await encodeForm({
        audio: formFile(wavFile(audioBytes(48_000), { stated: true })),
        language: "lug",
      })),
    }),
  },
} as const satisfies Record<string, ModelTaskRequest>;
export type TaskName = keyof typeof tasks;
export const everyTask = Object.keys(tasks) as TaskName[];
