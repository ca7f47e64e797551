import * as z from "zod";

const positiveMilliseconds = z.coerce.number().int().min(1);

/** Capabilities a function can ask for, as the variables that carry them. */
/** Where callers reach the service: the links in mails lead there. No slash at the end. */
export const publicAddressEnvironment = {
  PUBLIC_BASE_URL: z.url().transform((url) => url.replace(/\/+$/, "")),
};

export const tableEnvironment = { TABLE_NAME: z.string().min(1) };

/** The bucket of audio files. */
export const bucketEnvironment = { BUCKET_NAME: z.string().min(1) };

const requestsPerMinute = z.coerce.number().int().min(1);

/** How many requests a minute one source address may send to operations of the limit class `anonymous`. */
export const anonymousLimitEnvironment = { LIMIT_ANONYMOUS_PER_MINUTE: requestsPerMinute };

/** How many requests a minute one source address may send to operations of the limit class `credentials`. */
export const credentialsLimitEnvironment = { LIMIT_CREDENTIALS_PER_MINUTE: requestsPerMinute };

/**
 * Of the quota of its tier, the share that an account has until its e-mail address is verified: for every function that
 * counts requests of accounts.
 */
export const accountLimitEnvironment = { UNVERIFIED_QUOTA_SHARE: z.coerce.number().gt(0).max(1) };

/** The secret with which tokens are signed (current and previous version are accepted). */
export const tokenEnvironment = { TOKEN_SECRET_ID: z.string().min(1) };

/** The queue of mails to be written; a worker function sends them. */
export const mailQueueEnvironment = { MAIL_QUEUE_URL: z.url() };

/** The queue of messages from people; a worker function answers them. */
export const messageQueueEnvironment = { MESSAGE_QUEUE_URL: z.url() };

/** The secret with the messaging platform's verify token, app secret and access token. */
export const platformSecretsEnvironment = { MESSAGING_SECRET_ID: z.string().min(1) };

/** Where translations come from: a server that speaks the OpenAI HTTP API. The base URL includes `/v1`. */
export const translationBackendEnvironment = {
  TRANSLATION_BASE_URL: z.url(),
  TRANSLATION_MODEL: z.string().min(1),
  /** How long the server may stay silent before the caller is told that it is unavailable. */
  TRANSLATION_TIMEOUT_MS: positiveMilliseconds,
  INFERENCE_KEYS_SECRET_ID: z.string().min(1),
};

/** Where the chat models are: a server that speaks the OpenAI HTTP API. The base URL includes `/v1`. */
export const chatBackendEnvironment = {
  CHAT_BASE_URL: z.url(),
  /** What the server calls `lang-14b`. */
  CHAT_MODEL_14B: z.string().min(1),
  /** What the server calls `lang-9b`. */
  CHAT_MODEL_9B: z.string().min(1),
  /** Whether the answers of `lang-14b` begin inside a thought, of which they name only the end. */
  CHAT_MODEL_14B_THINKS_FIRST: z.stringbool(),
  /** The same of `lang-9b`. */
  CHAT_MODEL_9B_THINKS_FIRST: z.stringbool(),
  /** How long the server may stay silent, before its response and inside it. */
  CHAT_TIMEOUT_MS: positiveMilliseconds,
  INFERENCE_KEYS_SECRET_ID: z.string().min(1),
};

/** Where recordings are transcribed: a server that speaks the OpenAI HTTP API. The base URL includes `/v1`. */
export const transcriptionBackendEnvironment = {
  TRANSCRIPTION_BASE_URL: z.url(),
  TRANSCRIPTION_MODEL: z.string().min(1),
  /** How long the server may take to answer once it has the recording. */
  TRANSCRIPTION_TIMEOUT_MS: positiveMilliseconds,
  INFERENCE_KEYS_SECRET_ID: z.string().min(1),
};

/** Where speech is synthesised: a server that speaks the OpenAI HTTP API. The base URL includes `/v1`. */
export const speechBackendEnvironment = {
  SPEECH_BASE_URL: z.url(),
  SPEECH_MODEL: z.string().min(1),
  /** What responses name as the platform on which speech is synthesised. */
  SPEECH_PLATFORM: z.string().min(1),
  /** How long the server may stay silent before the caller is told that it is unavailable. */
  SPEECH_TIMEOUT_MS: positiveMilliseconds,
  INFERENCE_KEYS_SECRET_ID: z.string().min(1),
};

/**
 * What every function is given without declaring it: its namespace of metrics by CDK, region and credentials by Lambda,
 * and by a local service the addresses that stand in for AWS, under the names that the SDK reads as well.
 */
const platformEnvironment = z.object({
  /** Under which name metrics are filed; without it none are. */
  METRICS_NAMESPACE: z.string().min(1).optional(),
  AWS_REGION: z.string().min(1).default("us-east-1"),
  /** Lambda gives each execution environment its own, which hold longer than it lives. */
  AWS_ACCESS_KEY_ID: z.string().default(""),
  AWS_SECRET_ACCESS_KEY: z.string().default(""),
  AWS_SESSION_TOKEN: z.string().optional(),
  AWS_ENDPOINT_URL: z.url().optional(),
  AWS_ENDPOINT_URL_DYNAMODB: z.url().optional(),
  AWS_ENDPOINT_URL_SECRETS_MANAGER: z.url().optional(),
  AWS_ENDPOINT_URL_S3: z.url().optional(),
  AWS_ENDPOINT_URL_SQS: z.url().optional(),
});
export type PlatformEnvironment = z.output<typeof platformEnvironment>;

type Variables = Readonly<Record<string, string | undefined>>;

const parse = <Schema extends z.ZodType>(schema: Schema, variables: Variables): z.output<Schema> => {
  const result = schema.safeParse(variables);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The function's environment is not complete. ${problems.join("; ")}`);
};

/**
 * Reads a function's variables once, when it starts: those it declares, and those that every function is given.
 *
 * @throws Error that names every missing or malformed variable, without their values.
 */
export const readEnvironment = <Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  variables: Variables,
): z.output<z.ZodObject<Shape>> & PlatformEnvironment => ({
  ...parse(platformEnvironment, variables),
  ...parse(schema, variables),
});

/** What is needed to call the services of AWS that are not called through the SDK, or only with their address. */
export interface AwsConfig {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** A server in the place of AWS; `undefined` for AWS itself. */
  readonly endpoints: Readonly<Record<"DynamoDB" | "SecretsManager" | "S3" | "SQS", string | undefined>>;
}

/** Region, credentials and addresses of AWS for a function. */
export const awsConfigOf = (environment: PlatformEnvironment): AwsConfig => {
  const everyService = environment.AWS_ENDPOINT_URL;
  return {
    region: environment.AWS_REGION,
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID,
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
      ...(environment.AWS_SESSION_TOKEN ? { sessionToken: environment.AWS_SESSION_TOKEN } : {}),
    },
    endpoints: {
      DynamoDB: environment.AWS_ENDPOINT_URL_DYNAMODB ?? everyService,
      SecretsManager: environment.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? everyService,
      S3: environment.AWS_ENDPOINT_URL_S3 ?? everyService,
      SQS: environment.AWS_ENDPOINT_URL_SQS ?? everyService,
    },
  };
};

/**
 * Region, credentials and addresses of AWS, from the variables themselves.
 *
 * @throws Error that names every malformed variable, without their values.
 */
export const readAwsConfig = (variables: Variables): AwsConfig =>
  awsConfigOf(parse(platformEnvironment, variables));
