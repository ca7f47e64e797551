import { resolve } from "node:path";
import { DEFAULT_MAX_CONCURRENCY } from "@language-ai/aws-stand-ins";
import * as z from "zod";
import type { PlatformSecrets } from "../../shared/messaging/platform-secrets.ts";
import type { ProviderLetter } from "../../shared/platform/config/identity-providers.ts";
import type { ModelTask } from "../../shared/platform/telemetry/backend-uses.ts";
import { type Network, networkOf } from "./network.ts";

/** A server without a key gets requests without one. */
type InferenceKeys = Readonly<Record<ModelTask, string | undefined>>;

const endpoint = z
  .url({ protocol: /^https?$/, error: "must be an address such as http://127.0.0.1:8000/v1" })
  .optional();

const wholeNumber = (from: number, to = Number.MAX_SAFE_INTEGER) => {
  const error = `must be a whole number from ${from}${to < Number.MAX_SAFE_INTEGER ? ` to ${to}` : ""}`;
  return z.coerce.number({ error }).int({ error }).min(from, { error }).max(to, { error });
};

const logLevels = ["DEBUG", "INFO", "WARN", "ERROR", "SILENT"] as const;

const settings = z.object({
  /** The service also uses the five ports above it. */
  PORT: wholeNumber(0, 65_000).default(3000),
  HOST: z
    .ipv4({ error: "must be an IPv4 address of this machine, or 0.0.0.0 for all of them" })
    .default("127.0.0.1"),
  BASE_PATH: z
    .string()
    .regex(/^(?:\/[A-Za-z0-9_-]+)*$/, { error: "must start with a slash and not end with one, as in /prod" })
    .default(""),
  DATA_DIR: z.string().min(1).default(".local"),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(", ")}` }).default("WARN"),
  FUNCTION_CONCURRENCY: wholeNumber(1).default(DEFAULT_MAX_CONCURRENCY),
  CHAT_BASE_URL: endpoint,
  MESSAGING_API_URL: endpoint,
  INSPECT_PORT: wholeNumber(0, 65_535).default(9229),
  CHAT_API_KEY: z.string().optional(),
  TRANSLATION_API_KEY: z.string().optional(),
  TRANSCRIPTION_API_KEY: z.string().optional(),
  SPEECH_API_KEY: z.string().optional(),
  /** Identity providers other than the stand-ins. */
  IDP_A_ISSUER: z.string().optional(),
  IDP_A_CLIENT_SECRET: z.string().optional(),
  IDP_B_ISSUER: z.string().optional(),
  IDP_B_CLIENT_SECRET: z.string().optional(),
  /** The defaults protect nothing. */
  MESSAGING_VERIFY_TOKEN: z.string().default("local-verify-token"),
  MESSAGING_APP_SECRET: z.string().default("local-app-secret"),
  MESSAGING_ACCESS_TOKEN: z.string().default("local-access-token"),
  /** Servers that replace the embedded ones. */
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_S3: endpoint,
  AWS_ENDPOINT_URL_SQS: endpoint,
  AWS_ENDPOINT_URL_SES: endpoint,
});

/** The settings of the service on this machine. */
export interface LocalSettings {
  /** The API's port; the next ones are the chat stream's, the storage's, the sample inference server's and the identity providers'. 0 takes any free ones. */
  readonly port: number;
  /** The address on which the API, the chat stream and the storage listen, and the one in links. */
  readonly network: Network;
  /** The beginning of every path of the API, like the stage's name in the default address on AWS; may be empty. */
  readonly basePath: string;
  /** The only folder that the service writes to. */
  readonly dataDirectory: string;
  /** The level of the functions' logs. */
  readonly logLevel: string;
  /** How many invocations may run at a time, for all functions together. Each is a process of about 80 MB. */
  readonly functionConcurrency: number;
  /** `undefined` for the built-in sample server. */
  readonly chatBaseUrl: string | undefined;
  /** `undefined` for the built-in stand-in of the messaging platform. */
  readonly messagingApiUrl: string | undefined;
  /** The port for a debugger, when a function is inspected. 0 takes any free port. */
  readonly inspectPort: number;
  /** The API keys of model servers, by task. */
  readonly inferenceKeys: InferenceKeys;
  /** The identity providers in the settings; a stand-in replaces one without an issuer. */
  readonly identityProviders: Readonly<
    Record<ProviderLetter, { readonly issuer: string | undefined; readonly clientSecret: string | undefined }>
  >;
  readonly platformSecrets: Readonly<Record<keyof PlatformSecrets, string>>;
  readonly externalEndpoints: {
    readonly dynamoDb: string | undefined;
    readonly s3: string | undefined;
    readonly sqs: string | undefined;
    readonly ses: string | undefined;
  };
}

/**
 * Reads the settings from a process environment. An empty variable counts as missing.
 *
 * @throws Error that names each invalid variable.
 */
export const readLocalSettings = (variables: Readonly<Record<string, string | undefined>>): LocalSettings => {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const result = settings.safeParse(given);
  if (!result.success) {
    throw new Error(
      result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}.`).join(" "),
    );
  }
  return toLocalSettings(result.data);
};

const toLocalSettings = (data: z.output<typeof settings>): LocalSettings => ({
  port: data.PORT,
  network: networkOf(data.HOST),
  basePath: data.BASE_PATH,
  dataDirectory: resolve(data.DATA_DIR),
  logLevel: data.LOG_LEVEL,
  functionConcurrency: data.FUNCTION_CONCURRENCY,
  chatBaseUrl: data.CHAT_BASE_URL,
  messagingApiUrl: data.MESSAGING_API_URL,
  inspectPort: data.INSPECT_PORT,
  inferenceKeys: {
    chat: data.CHAT_API_KEY,
    translation: data.TRANSLATION_API_KEY,
    transcription: data.TRANSCRIPTION_API_KEY,
    speech: data.SPEECH_API_KEY,
  },
  identityProviders: {
    a: { issuer: data.IDP_A_ISSUER, clientSecret: data.IDP_A_CLIENT_SECRET },
    b: { issuer: data.IDP_B_ISSUER, clientSecret: data.IDP_B_CLIENT_SECRET },
  },
  platformSecrets: {
    verify_token: data.MESSAGING_VERIFY_TOKEN,
    app_secret: data.MESSAGING_APP_SECRET,
    access_token: data.MESSAGING_ACCESS_TOKEN,
  },
  externalEndpoints: {
    dynamoDb: data.AWS_ENDPOINT_URL_DYNAMODB,
    s3: data.AWS_ENDPOINT_URL_S3,
    sqs: data.AWS_ENDPOINT_URL_SQS,
    ses: data.AWS_ENDPOINT_URL_SES,
  },
});
