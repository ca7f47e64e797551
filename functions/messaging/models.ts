import type * as z from "zod";
import type { ChatModels } from "../../shared/inference/chat.ts";
import { inferenceKey } from "../../shared/inference/inference-keys.ts";
import { createOpenAiChatModels } from "../../shared/inference/openai/chat-models.ts";
import { createOpenAiSynthesizer } from "../../shared/inference/openai/synthesizer.ts";
import { createOpenAiTranscriber } from "../../shared/inference/openai/transcriber.ts";
import { createOpenAiTranslator } from "../../shared/inference/openai/translator.ts";
import type { SpeechSynthesizer } from "../../shared/inference/speech.ts";
import type { Transcriber } from "../../shared/inference/transcription.ts";
import type { Translator } from "../../shared/inference/translation.ts";
import type { ModelTask } from "../../shared/telemetry/backend-uses.ts";
import type { messagingFunction } from "./contract.ts";

type Environment = z.output<typeof messagingFunction.environment>;

/** The models behind the assistant: the same servers as behind the API. */
export interface AssistantModels {
  readonly chat: ChatModels;
  readonly translator: Translator;
  readonly transcriber: Transcriber;
  readonly synthesizer: SpeechSynthesizer;
}

/** Connects the models that the environment names. */
export const connectModels = (environment: Environment): AssistantModels => {
  const backend = (task: ModelTask, baseUrl: string, silenceMilliseconds: number) => ({
    baseUrl,
    silenceMilliseconds,
    apiKey: inferenceKey(environment.INFERENCE_KEYS_SECRET_ID, task),
  });
  return {
    chat: createOpenAiChatModels(backend("chat", environment.CHAT_BASE_URL, environment.CHAT_TIMEOUT_MS), {
      "lang-14b": environment.CHAT_MODEL_14B,
      "lang-9b": environment.CHAT_MODEL_9B,
    }),
    translator: createOpenAiTranslator(
      backend("translation", environment.TRANSLATION_BASE_URL, environment.TRANSLATION_TIMEOUT_MS),
      environment.TRANSLATION_MODEL,
    ),
    transcriber: createOpenAiTranscriber(
      backend("transcription", environment.TRANSCRIPTION_BASE_URL, environment.TRANSCRIPTION_TIMEOUT_MS),
      environment.TRANSCRIPTION_MODEL,
    ),
    synthesizer: createOpenAiSynthesizer(
      backend("speech", environment.SPEECH_BASE_URL, environment.SPEECH_TIMEOUT_MS),
      environment.SPEECH_MODEL,
    ),
  };
};
