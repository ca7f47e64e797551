import { isActiveAccount } from "../accounts/access/access.ts";
import type { Scope } from "../accounts/access/api-keys.ts";
import {
  createBearerSearch,
  createBearerVerification,
  type FindBearer,
  type VerifyBearer,
} from "../accounts/access/verify-bearer.ts";
import { createLimitCounters, createLimiter, type Limiter } from "../accounts/limits/limiter.ts";
import {
  type AccountPolicies,
  accountPoliciesWith,
  type CharacterQuotas,
} from "../accounts/limits/policies.ts";
import { createIdempotencyStore, type IdempotencyStore } from "../http/idempotency/idempotency-store.ts";
import { createResponseSecrets } from "../http/idempotency/sealed-response.ts";
import { createCallReport } from "../models/health/model-calls.ts";
import type { ChatModels } from "../models/inference/chat.ts";
import { createConfidentTranscriber } from "../models/inference/confidence.ts";
import { inferenceKeysIn, type KeyOf } from "../models/inference/inference-keys.ts";
import { createOpenAiChatModels } from "../models/inference/openai/chat-models.ts";
import { createOpenAiSynthesizer } from "../models/inference/openai/synthesizer.ts";
import { createOpenAiTranscriber } from "../models/inference/openai/transcriber.ts";
import { createTranslator } from "../models/inference/openai/translator.ts";
import { profileNamed } from "../models/inference/profiles.ts";
import type { SpeechSynthesizer } from "../models/inference/speech.ts";
import type { Transcriber } from "../models/inference/transcription.ts";
import type { Translator } from "../models/inference/translation.ts";
import { sourceLanguageDetectorOnDemand } from "../models/source-language/detector.ts";
import { stageCatalogue } from "../platform/catalogue/stage-catalogue.ts";
import {
  awsConfigOf,
  type bucketEnvironment,
  type chatBackendEnvironment,
  type limitsEnvironment,
  type PlatformEnvironment,
  type speechBackendEnvironment,
  type tableEnvironment,
  type tokenEnvironment,
  type transcriptionBackendEnvironment,
  type translationBackendEnvironment,
} from "../platform/config/environment.ts";
import { diarizerName } from "../platform/config/model-servers.ts";
import type { VariableShape, VariableValues } from "../platform/config/variables.ts";
import { awsAddress } from "../platform/outbound/aws-json.ts";
import { openConnection } from "../platform/outbound/connections.ts";
import { openLightTable } from "../platform/storage/light-table.ts";
import type { LinkedObjectStore, ObjectParts, ObjectStore } from "../platform/storage/object-store.ts";
import { openBucket } from "../platform/storage/s3-bucket.ts";
import { bucketAddress, createS3Links } from "../platform/storage/s3-links.ts";
import { createS3ObjectParts } from "../platform/storage/s3-multipart.ts";
import { createS3ObjectStore } from "../platform/storage/s3-object-store.ts";
import type { RequestTable } from "../platform/storage/table.ts";
import type { ModelTask } from "../platform/telemetry/backend-uses.ts";
import { type BackendOptions, firstAddress, modelServersFrom } from "./model-servers.ts";
import { secretReaderFrom, signingSecretFrom } from "./secrets-from-environment.ts";

/**
 * Factories for what functions need, from the variables that they declare. They are small and separate, so a bundle contains
 * only what its function uses, and none of them includes the AWS SDK: functions that callers wait for start fast without it.
 */

type Variables<Shape extends VariableShape> = VariableValues<Shape>;

type LimiterVariables = PlatformEnvironment &
  Variables<typeof tableEnvironment> &
  Variables<typeof limitsEnvironment>;

/** The service's table, without the SDK. Opens a connection at once. */
export const requestTableFrom = (
  environment: PlatformEnvironment & Variables<typeof tableEnvironment>,
): RequestTable => {
  const aws = awsConfigOf(environment);
  openConnection(awsAddress("DynamoDB", aws));
  return openLightTable(environment.TABLE_NAME, aws);
};

/** Checks credentials and counts requests, with the stage's own limits. */
export const limiterFrom = (environment: LimiterVariables): Limiter => {
  const { anonymousPerMinute, credentialsPerMinute, unverifiedQuotaShare, multiplier } = environment.LIMITS;
  return createLimiter(createLimitCounters(requestTableFrom(environment), unverifiedQuotaShare, multiplier), {
    addressLimits: { anonymous: anonymousPerMinute, credentials: credentialsPerMinute },
  });
};

/** The characters that accounts may translate a month. */
export const characterQuotasFrom = (environment: Variables<typeof limitsEnvironment>): CharacterQuotas => ({
  Free: environment.LIMITS.freeCharactersPerMonth,
  Premium: environment.LIMITS.premiumCharactersPerMonth,
});

/** The limits of accounts, as this stage has them. */
export const accountPoliciesFrom = (environment: Variables<typeof limitsEnvironment>): AccountPolicies =>
  accountPoliciesWith(
    environment.LIMITS.unverifiedQuotaShare,
    environment.LIMITS.multiplier,
    characterQuotasFrom(environment),
  );

/** What the request pipeline of a function needs to count requests of accounts. */
export const requestToolsFrom = (environment: LimiterVariables & Variables<typeof bucketEnvironment>) => ({
  limiter: limiterFrom(environment),
  isActive: (userId: number) => isActiveAccount(requestTableFrom(environment), userId),
  idempotencyStore: idempotencyStoreFrom(environment),
  metricsNamespace: environment.METRICS_NAMESPACE,
});

/** Checks the signature and expiry of tokens, and the checksum of keys. */
export const verifyBearerFrom = (
  environment: PlatformEnvironment & Variables<typeof tokenEnvironment>,
): VerifyBearer => createBearerVerification(signingSecretFrom(environment));

/** Finds the account of a token or key, which the request may lack; a key needs the scope. */
export const findBearerFrom = (
  environment: PlatformEnvironment & Variables<typeof tableEnvironment & typeof tokenEnvironment>,
  scope: Scope,
): FindBearer => createBearerSearch(verifyBearerFrom(environment), requestTableFrom(environment), scope);

/** The audio files. */
export const objectStoreFrom = (
  environment: Variables<typeof bucketEnvironment> & PlatformEnvironment,
): ObjectStore => createS3ObjectStore(openBucket(environment.BUCKET_NAME, awsConfigOf(environment)));

/** The same with links, for functions that give some to callers. */
export const linkedStoreFrom = (
  environment: Variables<typeof bucketEnvironment> & PlatformEnvironment,
): LinkedObjectStore => ({
  ...objectStoreFrom(environment),
  ...createS3Links(environment.BUCKET_NAME, awsConfigOf(environment)),
});

/** The origin of links to the audio files, for the pages' content security policy. */
export const storageOriginFrom = (
  environment: Variables<typeof bucketEnvironment> & PlatformEnvironment,
): string => new URL(bucketAddress(environment.BUCKET_NAME, awsConfigOf(environment))).origin;

/** Uploads of audio files in parts. */
export const objectPartsFrom = (
  environment: Variables<typeof bucketEnvironment> & PlatformEnvironment,
): ObjectParts => createS3ObjectParts(openBucket(environment.BUCKET_NAME, awsConfigOf(environment)));

/** Stores responses to requests with an `Idempotency-Key`; confidential ones only for functions that can sign tokens. */
export const idempotencyStoreFrom = (
  environment: PlatformEnvironment &
    Variables<typeof bucketEnvironment & typeof tableEnvironment> &
    Partial<Variables<typeof tokenEnvironment>>,
): IdempotencyStore => {
  const { TOKEN_SECRET_ID: secretId } = environment;
  return createIdempotencyStore({
    // Over the connection that the limiter has opened.
    table: openLightTable(environment.TABLE_NAME, awsConfigOf(environment)),
    store: objectStoreFrom(environment),
    secrets:
      secretId === undefined
        ? undefined
        : createResponseSecrets(signingSecretFrom({ ...environment, TOKEN_SECRET_ID: secretId })),
  });
};

type KeysEnvironment = PlatformEnvironment & { readonly INFERENCE_KEYS_SECRET_ID: string };

/** Reads the keys of the models' servers, by their names. */
export const inferenceKeysFrom = (environment: KeysEnvironment): KeyOf =>
  inferenceKeysIn(environment.INFERENCE_KEYS_SECRET_ID, secretReaderFrom(environment));

/** What the adapters of a task need beyond its servers. */
const backendOptions = (
  environment: KeysEnvironment & Variables<typeof tableEnvironment>,
  task: ModelTask,
  silenceMilliseconds: number,
): BackendOptions => ({
  silenceMilliseconds,
  keyOf: inferenceKeysFrom(environment),
  reportOf: (server) =>
    createCallReport(openLightTable(environment.TABLE_NAME, awsConfigOf(environment)), { task, server }),
});

export const chatModelsFrom = (
  environment: PlatformEnvironment & Variables<typeof chatBackendEnvironment & typeof tableEnvironment>,
): ChatModels => {
  const { CHAT_SERVERS: servers, CHAT_BASE_URL: baseUrl, CHAT_MODELS: models } = environment;
  const options = backendOptions(environment, "chat", environment.CHAT_TIMEOUT_MS);
  const given = { servers, baseUrl, models, profile: environment.CHAT_PROFILE };
  const backends = modelServersFrom("chat", given, options);
  openConnection(firstAddress(backends));
  return createOpenAiChatModels(backends);
};

export const translatorFrom = (
  environment: PlatformEnvironment &
    Variables<typeof translationBackendEnvironment & typeof tableEnvironment>,
): Translator => {
  const { TRANSLATION_SERVERS: servers, TRANSLATION_BASE_URL: baseUrl, CHAT_BASE_URL } = environment;
  const options = backendOptions(environment, "translation", environment.TRANSLATION_TIMEOUT_MS);
  const models = [{ name: environment.TRANSLATION_MODEL }];
  const given = { servers, baseUrl, models, profile: environment.TRANSLATION_PROFILE };
  const backends = modelServersFrom("translation", { ...given, chatBaseUrl: CHAT_BASE_URL }, options);
  openConnection(firstAddress(backends));
  return createTranslator(backends);
};

export const transcriberFrom = (
  environment: PlatformEnvironment &
    Variables<typeof transcriptionBackendEnvironment & typeof tableEnvironment>,
): Transcriber => {
  const { TRANSCRIPTION_SERVERS: servers, TRANSCRIPTION_BASE_URL: baseUrl } = environment;
  const options = backendOptions(environment, "transcription", environment.TRANSCRIPTION_TIMEOUT_MS);
  const models = [{ name: environment.TRANSCRIPTION_MODEL }];
  const given = { servers, baseUrl, models, profile: environment.TRANSCRIPTION_PROFILE };
  const { DIARIZATION_BASE_URL: diarizerUrl, DIARIZATION_MODEL: diarizerModel = diarizerName } = environment;
  const diarizer = diarizerUrl && {
    ...{ name: diarizerName, baseUrl: diarizerUrl, apiKey: () => options.keyOf(diarizerName) },
    silenceMilliseconds: options.silenceMilliseconds,
    report: options.reportOf?.(diarizerName),
    model: { name: diarizerModel, profile: profileNamed(undefined) },
  };
  const transcriber = createOpenAiTranscriber(modelServersFrom("transcription", given, options), {
    diarizer: diarizer || undefined,
  });
  const { calibration } = stageCatalogue;
  if (!calibration) return transcriber;
  const detector = sourceLanguageDetectorOnDemand();
  const detect = (text: string): string | undefined => detector.detect(text)?.code;
  return createConfidentTranscriber(transcriber, { languages: calibration.languages, detect });
};

export const synthesizerFrom = (
  environment: PlatformEnvironment & Variables<typeof speechBackendEnvironment & typeof tableEnvironment>,
): SpeechSynthesizer => {
  const { SPEECH_SERVERS: servers, SPEECH_BASE_URL: baseUrl, SPEECH_TIMEOUT_MS } = environment;
  const options = backendOptions(environment, "speech", SPEECH_TIMEOUT_MS);
  const models = [{ name: environment.SPEECH_MODEL }];
  const given = { servers, baseUrl, models, profile: environment.SPEECH_PROFILE };
  return createOpenAiSynthesizer(modelServersFrom("speech", given, options));
};
