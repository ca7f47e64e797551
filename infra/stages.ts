import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import type { IdentityProvider, ProviderLetter } from "../shared/platform/config/identity-providers.ts";
import {
  type CheckedSettings,
  type SettingName,
  settingNames,
  stageSettings,
  takenFrom,
} from "./stage-settings.ts";

const folder = join(import.meta.dirname, "stages");
const extension = ".json";
const localName = "local";

/** It becomes part of the stacks' names. */
const namePattern = /^[a-z][a-z0-9]{0,15}$/;

/** Variables as a process has them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A setting of a stage, for whoever asks why a deployment is as it is. */
export interface SettingWithSource {
  readonly name: SettingName;
  /** `undefined` when it is not set and nothing takes its place. */
  readonly value: CheckedSettings[SettingName];
  /** `variable`, the file, `as CHAT_MODEL`, `default` or `not set`. */
  readonly source: string;
}

const fileOf = (name: string): string => `infra/stages/${name}${extension}`;

const stageNames = (): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .map((file) => basename(file, extension));

const fileContent = z.record(z.string(), z.unknown(), { error: "is not a JSON object" });

const readStageFile = (name: string): z.output<typeof fileContent> => {
  const text = readFileSync(join(folder, name + extension), "utf8");
  try {
    return fileContent.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`${fileOf(name)} must hold a JSON object of settings.`, { cause: error });
  }
};

/** An empty variable counts as not given, as pipelines often leave them. */
const givenVariables = (variables: Variables): Partial<Record<SettingName, string>> =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = variables[name];
      return value ? [[name, value]] : [];
    }),
  );

/** What no stage can guess. */
const required = {
  CHAT_BASE_URL: { what: "where the chat models are", example: "https://models.example.org/v1" },
  MAIL_FROM: { what: "in whose name mails are sent", example: "Example Languages <no-reply@example.org>" },
} as const;

const requireOwn = (name: string, given: Readonly<Record<string, unknown>>): void => {
  const missing = Object.entries(required).filter(([setting]) => given[setting] === undefined);
  if (missing.length === 0) return;
  const sentences = missing.map(
    ([setting, { what, example }]) =>
      `The stage "${name}" does not say ${what}: add the line "${setting}": "${example}" to ${fileOf(name)}, or set the variable ${setting}.`,
  );
  throw new Error(sentences.join("\n"));
};

/** What leaves a deployment carries people's words and keys. */
const requireEncryption = (name: string, settings: CheckedSettings): void => {
  const plain = Object.entries(settings)
    .filter(([, value]) => typeof value === "string" && value.startsWith("http://"))
    .map(([setting]) => setting);
  if (plain.length === 0) return;
  throw new Error(
    `The stage "${name}" is deployed, so these addresses must begin with https://: ${plain.join(", ")}.`,
  );
};

/** Whoever can name an address for callbacks could otherwise have this machine called. */
const refuseLoopback = (name: string, settings: CheckedSettings): void => {
  if (settings.CALLBACKS_ALLOW_LOOPBACK === "0") return;
  throw new Error(`The stage "${name}" is deployed, so CALLBACKS_ALLOW_LOOPBACK must be 0.`);
};

/** The same settings, and with them those that follow from others. */
const fillIn = (given: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const filled: Record<string, unknown> = { ...given };
  for (const [name, other] of takenFrom) {
    if (filled[name] === undefined && filled[other] !== undefined) filled[name] = filled[other];
  }
  return filled;
};

/** Reads a stage's file and what the variables say instead. @throws Error that names each setting that is wrong. */
const readSettings = (name: string, variables: Variables) => {
  const file = readStageFile(name);
  const fromVariables = givenVariables(variables);
  const given = { ...file, ...fromVariables };
  requireOwn(name, given);
  const filled = fillIn(given);
  const sourceOf = (setting: string): string => {
    if (setting in fromVariables) return "variable";
    if (setting in file) return fileOf(name);
    const [, other] = [...takenFrom].find(([derived]) => derived === setting) ?? [];
    return other && setting in filled ? `as ${other}` : "default";
  };
  const result = stageSettings.safeParse(filled);
  if (result.success) return { settings: result.data, sourceOf };
  const problems = result.error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return [`${fileOf(name)} has settings that do not exist: ${issue.keys.join(", ")}`];
    }
    const setting = issue.path.join(".");
    // What follows from a wrong setting is wrong as well, and not to be put right.
    return setting in given ? [`${setting}: ${issue.message} (${sourceOf(setting)})`] : [];
  });
  throw new Error(problems.join("\n"));
};

const ownDomain = (name: string | undefined, certificateArn: string | undefined) =>
  name === undefined || certificateArn === undefined ? undefined : { name, certificateArn };

const identityProvider = (
  letter: ProviderLetter,
  issuer: string | undefined,
  clientId: string | undefined,
  name: string | undefined,
): IdentityProvider[] =>
  issuer === undefined || clientId === undefined
    ? []
    : [{ letter, name: name ?? new URL(issuer).host, issuer, clientId }];

/** A stage as the stacks look at it. */
const toStage = (name: string, settings: CheckedSettings) => ({
  /** Part of the stacks' names and of the API's default address. */
  name,
  /** What the names of its stacks begin with, and the name under which its functions file their metrics. */
  prefix: `LanguageAi-${name}`,
  publicBaseUrl: settings.PUBLIC_BASE_URL,
  apiDomain: ownDomain(settings.API_DOMAIN_NAME, settings.API_CERTIFICATE_ARN),
  apiBasePath: settings.API_BASE_PATH,
  streamDomain: ownDomain(settings.STREAM_DOMAIN_NAME, settings.STREAM_CERTIFICATE_ARN),
  firewall: {
    isOn: settings.FIREWALL === "on",
    requestsPerFiveMinutes: settings.FIREWALL_REQUESTS_PER_5_MINUTES,
    streamArn: settings.STREAM_FIREWALL_ARN,
  },
  tokenLifetimeDays: settings.TOKEN_LIFETIME_DAYS,
  authorizerCacheSeconds: settings.AUTHORIZER_CACHE_SECONDS,
  /** Where the models are served, by task. */
  inference: {
    chat: {
      baseUrl: settings.CHAT_BASE_URL,
      models: { "14b": settings.CHAT_MODEL_14B, "9b": settings.CHAT_MODEL_9B },
      thinksFirst: {
        "14b": settings.CHAT_MODEL_14B_THINKS_FIRST,
        "9b": settings.CHAT_MODEL_9B_THINKS_FIRST,
      },
      timeoutMilliseconds: settings.CHAT_TIMEOUT_MS,
    },
    translation: {
      baseUrl: settings.TRANSLATION_BASE_URL,
      model: settings.TRANSLATION_MODEL,
      timeoutMilliseconds: settings.TRANSLATION_TIMEOUT_MS,
    },
    transcription: {
      baseUrl: settings.TRANSCRIPTION_BASE_URL,
      model: settings.TRANSCRIPTION_MODEL,
      timeoutMilliseconds: settings.TRANSCRIPTION_TIMEOUT_MS,
    },
    speech: {
      baseUrl: settings.SPEECH_BASE_URL,
      model: settings.SPEECH_MODEL,
      platform: settings.SPEECH_PLATFORM,
      timeoutMilliseconds: settings.SPEECH_TIMEOUT_MS,
    },
  },
  /** Through which people can sign in, beside their passwords. */
  identityProviders: [
    ...identityProvider("a", settings.IDP_A_ISSUER, settings.IDP_A_CLIENT_ID, settings.IDP_A_NAME),
    ...identityProvider("b", settings.IDP_B_ISSUER, settings.IDP_B_CLIENT_ID, settings.IDP_B_NAME),
  ],
  /** In which the console's pages are offered, such as `en,sw`. */
  consoleLanguages: settings.CONSOLE_LANGUAGES,
  /** The messaging platform whose webhook the service answers. */
  messaging: {
    apiUrl: settings.MESSAGING_API_URL,
    apiVersion: settings.MESSAGING_API_VERSION,
    signatureMode: settings.MESSAGING_SIGNATURE_MODE,
  },
  /** What is decided about jobs. */
  jobs: {
    piecesAtOnce: settings.JOB_PIECES_AT_ONCE,
    failsAfterSeconds: settings.JOB_FAILS_AFTER_SECONDS,
    waitsSeconds: settings.JOB_WAITS_SECONDS,
  },
  callbacks: { allowLoopback: settings.CALLBACKS_ALLOW_LOOPBACK === "1" },
  mailFrom: settings.MAIL_FROM,
  mailIdentity: settings.MAIL_IDENTITY,
  alarmEmail: settings.ALARM_EMAIL,
  hasCanary: settings.CANARY === "on",
  monthlyBudget: settings.MONTHLY_BUDGET_USD,
  speechLifetimeDays: settings.SPEECH_LIFETIME_DAYS,
  reservedConcurrency: settings.RESERVED_CONCURRENCY,
  workerConcurrency: settings.WORKER_CONCURRENCY,
  releaseShift: settings.RELEASE_SHIFT,
  removal: settings.REMOVAL,
  logRetention: settings.LOG_RETENTION_DAYS,
  /** What is decided about the deprecated routes of version 1. */
  legacy: {
    vendors: { a: settings.LEGACY_VENDOR_A, b: settings.LEGACY_VENDOR_B },
    sunset: settings.LEGACY_SUNSET,
    providerRoutes: settings.LEGACY_PROVIDER_ROUTES,
  },
  limits: {
    anonymousPerMinute: settings.LIMIT_ANONYMOUS_PER_MINUTE,
    credentialsPerMinute: settings.LIMIT_CREDENTIALS_PER_MINUTE,
    unverifiedQuotaShare: settings.UNVERIFIED_QUOTA_SHARE,
    visitorAttemptsPerDay: settings.VISITOR_TRIES_PER_DAY,
  },
  throttling: {
    requestsPerSecond: settings.THROTTLING_REQUESTS_PER_SECOND,
    burst: settings.THROTTLING_BURST,
  },
});

/** The settings of one deployment of the service. */
export type StageSettings = ReturnType<typeof toStage>;

/** Reads the settings of a stage that is deployed. */
const readDeployed = (name: string, variables: Variables) => {
  const names = stageNames().filter((stage) => stage !== localName);
  if (!names.includes(name)) {
    throw new Error(`There is no stage "${name}"; the stages are ${names.join(", ")} (infra/stages).`);
  }
  if (!namePattern.test(name)) {
    throw new Error(
      `A stage's name is a lower-case word of at most 16 letters and digits, which "${name}" is not.`,
    );
  }
  const read = readSettings(name, variables);
  requireEncryption(name, read.settings);
  refuseLoopback(name, read.settings);
  return read;
};

/**
 * The settings of a stage that is deployed to AWS.
 *
 * @param name of its file in `infra/stages`, chosen by `cdk deploy -c stage=prod`
 * @param variables the process environment, in which each setting may have another value
 * @throws Error when there is no such stage, it lacks a setting of its own, or one is not valid.
 */
export const deployedStage = (name: string, variables: Variables): StageSettings =>
  toStage(name, readDeployed(name, variables).settings);

/**
 * Every setting of a deployed stage with where it comes from.
 *
 * @throws Error as {@link deployedStage} does.
 */
export const explainStage = (name: string, variables: Variables): SettingWithSource[] => {
  const { settings, sourceOf } = readDeployed(name, variables);
  return settingNames.map((setting) => ({
    name: setting,
    value: settings[setting],
    source: settings[setting] === undefined ? "not set" : sourceOf(setting),
  }));
};

/**
 * The stage that runs on a laptop: the same settings and variables as a deployed one.
 *
 * @param variables must hold `CHAT_BASE_URL`
 * @throws Error when `CHAT_BASE_URL` is missing or a setting is not valid.
 */
export const localStage = (variables: Variables): StageSettings =>
  toStage(localName, readSettings(localName, variables).settings);

/**
 * Checks what a person has set for the local stage, before the servers are started whose addresses it still lacks.
 *
 * @throws Error that names each setting that is wrong.
 */
export const checkLocalVariables = (variables: Variables): void => {
  readSettings(localName, {
    ...variables,
    CHAT_BASE_URL: variables["CHAT_BASE_URL"] || "http://127.0.0.1/v1",
  });
};
