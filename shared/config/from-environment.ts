import type * as z from "zod";
import { createTokenAuthorization } from "../auth/authorize.ts";
import type { Authorize } from "../http/authenticate.ts";
import type { ChatModels } from "../inference/chat.ts";
import { inferenceKey } from "../inference/inference-keys.ts";
import { createOpenAiChatModels } from "../inference/openai/chat-models.ts";
import { createOpenAiSynthesizer } from "../inference/openai/synthesizer.ts";
import { createOpenAiTranscriber } from "../inference/openai/transcriber.ts";
import { createOpenAiTranslator } from "../inference/openai/translator.ts";
import type { SpeechSynthesizer } from "../inference/speech.ts";
import type { Transcriber } from "../inference/transcription.ts";
import type { Translator } from "../inference/translation.ts";
import { createLimitCounters } from "../limits/limit-counters.ts";
import { createLimiter, type Limiter } from "../limits/limiter.ts";
import { createPlatformSecretSource, type PlatformSecretSource } from "../messaging/platform-secrets.ts";
import { openItemTable } from "../storage/item-table.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { openBucket } from "../storage/s3-calls.ts";
import { createS3ObjectStore } from "../storage/s3-object-store.ts";
import type { ModelTask } from "../telemetry/backend-uses.ts";
import {
  type anonymousLimitEnvironment,
  awsConfigOf,
  type bucketEnvironment,
  type chatBackendEnvironment,
  type credentialsLimitEnvironment,
  type PlatformEnvironment,
  type platformSecretsEnvironment,
  type speechBackendEnvironment,
  type tableEnvironment,
  type tokenEnvironment,
  type transcriptionBackendEnvironment,
  type translationBackendEnvironment,
} from "./environment.ts";
import { readSecret } from "./secrets.ts";

/**
 * What functions work with, made from the variables that they declare: one line for each in a `handler.ts`. Nothing here
 * reads the environment itself, and nothing is opened that a function does not ask for, so that the bundles of functions
 * which stand in the way of many requests hold no SDK.
 */

type Variables<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

type LimiterVariables = Variables<typeof tableEnvironment> &
  Partial<Variables<typeof anonymousLimitEnvironment & typeof credentialsLimitEnvironment>>;

/** Counts requests, by address with the stage's own limits where a function declares them. */
export const limiterFrom = (environment: LimiterVariables): Limiter => {
  const { LIMIT_ANONYMOUS_PER_MINUTE: anonymous, LIMIT_CREDENTIALS_PER_MINUTE: credentials } = environment;
  return createLimiter(createLimitCounters(openItemTable(environment.TABLE_NAME)), {
    addressLimits: {
      ...(anonymous === undefined ? {} : { anonymous }),
      ...(credentials === undefined ? {} : { credentials }),
    },
  });
};

/** Checks bearer tokens. */
export const authorizeFrom = (
  environment: Variables<typeof tableEnvironment & typeof tokenEnvironment>,
): Authorize => createTokenAuthorization(openItemTable(environment.TABLE_NAME), environment.TOKEN_SECRET_ID);

/** The audio files. */
export const objectStoreFrom = (
  environment: Variables<typeof bucketEnvironment> & PlatformEnvironment,
): ObjectStore =>
  createS3ObjectStore(openBucket(environment.BUCKET_NAME, awsConfigOf(environment).endpoints.S3));

/** The verify token, app secret and access token of the messaging platform. */
export const platformSecretsFrom = (
  environment: Variables<typeof platformSecretsEnvironment>,
): PlatformSecretSource =>
  createPlatformSecretSource((version) => readSecret(environment.MESSAGING_SECRET_ID, version));

const backend = (keysSecretId: string, task: ModelTask, baseUrl: string, silenceMilliseconds: number) => ({
  baseUrl,
  silenceMilliseconds,
  apiKey: inferenceKey(keysSecretId, task),
});

export const chatModelsFrom = (environment: Variables<typeof chatBackendEnvironment>): ChatModels => {
  const { INFERENCE_KEYS_SECRET_ID: keys, CHAT_BASE_URL, CHAT_TIMEOUT_MS } = environment;
  return createOpenAiChatModels(backend(keys, "chat", CHAT_BASE_URL, CHAT_TIMEOUT_MS), {
    "lang-14b": environment.CHAT_MODEL_14B,
    "lang-9b": environment.CHAT_MODEL_9B,
  });
};

export const translatorFrom = (environment: Variables<typeof translationBackendEnvironment>): Translator => {
  const { INFERENCE_KEYS_SECRET_ID: keys, TRANSLATION_BASE_URL, TRANSLATION_TIMEOUT_MS } = environment;
  return createOpenAiTranslator(
    backend(keys, "translation", TRANSLATION_BASE_URL, TRANSLATION_TIMEOUT_MS),
    environment.TRANSLATION_MODEL,
  );
};

export const transcriberFrom = (
  environment: Variables<typeof transcriptionBackendEnvironment>,
): Transcriber => {
  const { INFERENCE_KEYS_SECRET_ID: keys, TRANSCRIPTION_BASE_URL, TRANSCRIPTION_TIMEOUT_MS } = environment;
  return createOpenAiTranscriber(
    backend(keys, "transcription", TRANSCRIPTION_BASE_URL, TRANSCRIPTION_TIMEOUT_MS),
    environment.TRANSCRIPTION_MODEL,
  );
};

export const synthesizerFrom = (
  environment: Omit<Variables<typeof speechBackendEnvironment>, "SPEECH_PLATFORM">,
): SpeechSynthesizer => {
  const { INFERENCE_KEYS_SECRET_ID: keys, SPEECH_BASE_URL, SPEECH_TIMEOUT_MS } = environment;
  return createOpenAiSynthesizer(
    backend(keys, "speech", SPEECH_BASE_URL, SPEECH_TIMEOUT_MS),
    environment.SPEECH_MODEL,
  );
};
