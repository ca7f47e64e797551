import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { defaultLegacySettings } from "../functions/legacy/settings.ts";
import { defaultAddressLimits } from "../shared/limits/policies.ts";
import { type OperatorVariables, readOperatorVariables, type Variables } from "./operator-variables.ts";
import { checkStageSettings, type StageSettings } from "./stage-settings.ts";

/** What a stage is before the operator's variables: the addresses and names are examples to be replaced. */
interface StageDefaults extends Omit<StageSettings, "inference" | "messaging"> {
  readonly chatBaseUrl: string | undefined;
}

const shared = {
  chatBaseUrl: "https://models.example.com/v1",
  tokenLifetimeDays: 7,
  authorizerCacheSeconds: 0,
  mailFrom: "Language AI Service <no-reply@example.com>",
  limits: {
    anonymousPerMinute: defaultAddressLimits.anonymous,
    credentialsPerMinute: defaultAddressLimits.credentials,
  },
  throttling: { requestsPerSecond: 200, burst: 400 },
  legacy: defaultLegacySettings,
} as const;

const deployedStages: ReadonlyMap<string, StageDefaults> = new Map([
  ["dev", { ...shared, name: "dev", removal: "destroy", logRetention: RetentionDays.ONE_WEEK }],
  ["prod", { ...shared, name: "prod", removal: "retain", logRetention: RetentionDays.THREE_MONTHS }],
]);

/**
 * The settings of a stage that is deployed to AWS.
 *
 * @param name `dev` or `prod`, chosen by `cdk deploy -c stage=prod`
 * @param variables the process environment; {@link readOperatorVariables} lists what it may override
 * @throws Error when there is no such stage or a setting is not valid.
 */
export const deployedStage = (name: string, variables: Variables): StageSettings => {
  const defaults = deployedStages.get(name);
  if (!defaults) {
    const names = [...deployedStages.keys()].join(", ");
    throw new Error(`There is no stage "${name}"; the stages are ${names}.`);
  }
  return applyVariables(defaults, readOperatorVariables(variables));
};

/**
 * The stage that runs on a laptop: the same settings and variables as a deployed one.
 *
 * @param variables must hold `CHAT_BASE_URL`; `PORT` (3000) is where the service listens
 * @throws Error when `CHAT_BASE_URL` is missing or a setting is not valid.
 */
export const localStage = (variables: Variables): StageSettings => {
  const given = readOperatorVariables(variables);
  return applyVariables(
    {
      ...shared,
      chatBaseUrl: undefined,
      name: "local",
      publicBaseUrl: `http://127.0.0.1:${given.PORT ?? 3000}`,
      removal: "retain",
      logRetention: RetentionDays.ONE_DAY,
      // Everybody is 127.0.0.1 here; a test suite alone registers hundreds of accounts.
      limits: { anonymousPerMinute: 6_000, credentialsPerMinute: 6_000 },
    },
    given,
  );
};

const applyVariables = (
  { chatBaseUrl, ...defaults }: StageDefaults,
  variables: OperatorVariables,
): StageSettings => {
  const baseUrl = variables.CHAT_BASE_URL ?? chatBaseUrl;
  if (baseUrl === undefined) {
    throw new Error("CHAT_BASE_URL is not set: it names the server of the chat models.");
  }
  const models = {
    "14b": variables.CHAT_MODEL_14B ?? variables.CHAT_MODEL ?? "chat-14b",
    "9b": variables.CHAT_MODEL_9B ?? variables.CHAT_MODEL ?? "chat-9b",
  };
  const thinksFirst = {
    "14b": variables.CHAT_MODEL_14B_THINKS_FIRST ?? false,
    "9b": variables.CHAT_MODEL_9B_THINKS_FIRST ?? false,
  };
  const timeoutMilliseconds = variables.CHAT_TIMEOUT_MS ?? 60_000;
  return checkStageSettings({
    ...defaults,
    publicBaseUrl: variables.PUBLIC_BASE_URL ?? defaults.publicBaseUrl,
    tokenLifetimeDays: variables.TOKEN_LIFETIME_DAYS ?? defaults.tokenLifetimeDays,
    authorizerCacheSeconds: variables.AUTHORIZER_CACHE_SECONDS ?? defaults.authorizerCacheSeconds,
    inference: {
      chat: { baseUrl, models, thinksFirst, timeoutMilliseconds },
      translation: {
        baseUrl: variables.TRANSLATION_BASE_URL ?? baseUrl,
        model: variables.TRANSLATION_MODEL ?? models["9b"],
        timeoutMilliseconds: variables.TRANSLATION_TIMEOUT_MS ?? timeoutMilliseconds,
      },
      transcription: {
        baseUrl: variables.TRANSCRIPTION_BASE_URL ?? baseUrl,
        model: variables.TRANSCRIPTION_MODEL ?? "stt-51",
        timeoutMilliseconds: variables.TRANSCRIPTION_TIMEOUT_MS ?? 240_000,
      },
      speech: {
        baseUrl: variables.SPEECH_BASE_URL ?? baseUrl,
        model: variables.SPEECH_MODEL ?? "tts-3b",
        platform: variables.SPEECH_PLATFORM ?? "language-ai",
        timeoutMilliseconds: variables.SPEECH_TIMEOUT_MS ?? 120_000,
      },
    },
    messaging: {
      apiUrl: variables.MESSAGING_API_URL ?? "https://graph.facebook.com",
      apiVersion: variables.MESSAGING_API_VERSION ?? "v26.0",
      signatureMode: variables.MESSAGING_SIGNATURE_MODE ?? "enforce",
    },
    limits: {
      anonymousPerMinute: variables.LIMIT_ANONYMOUS_PER_MINUTE ?? defaults.limits.anonymousPerMinute,
      credentialsPerMinute: variables.LIMIT_CREDENTIALS_PER_MINUTE ?? defaults.limits.credentialsPerMinute,
    },
    legacy: {
      vendors: {
        a: variables.LEGACY_VENDOR_A ?? defaults.legacy.vendors.a,
        b: variables.LEGACY_VENDOR_B ?? defaults.legacy.vendors.b,
      },
      sunset: variables.LEGACY_SUNSET ?? defaults.legacy.sunset,
      providerRoutes: variables.LEGACY_PROVIDER_ROUTES ?? defaults.legacy.providerRoutes,
    },
    mailFrom: variables.MAIL_FROM ?? defaults.mailFrom,
    alarmEmail: variables.ALARM_EMAIL ?? defaults.alarmEmail,
  });
};
