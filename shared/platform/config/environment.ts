import type { AwsConfig } from "../outbound/aws-config.ts";
import { chatModelsVariable, chatServersVariable, modelServersVariable } from "./model-servers.ts";
import {
  addressVariable,
  anyTextVariable,
  baseAddressVariable,
  countVariable,
  daysVariable,
  groupVariable,
  optionalVariable,
  portsVariable,
  presetVariable,
  readVariables,
  shareVariable,
  switchVariable,
  textVariable,
  type VariableShape,
  type VariableValues,
} from "./variables.ts";

/** Where callers reach the service: the links in mails lead there. No slash at the end. */
export const publicAddressEnvironment = { PUBLIC_BASE_URL: baseAddressVariable };

export const tableEnvironment = { TABLE_NAME: textVariable };

export const bucketEnvironment = { BUCKET_NAME: textVariable };

/** The limits of a stage, as JSON. */
export const limitsEnvironment = {
  LIMITS: groupVariable({
    /** How many requests a minute one source address may send to operations of the limit class `anonymous`. */
    anonymousPerMinute: countVariable,
    /** The same of the limit class `credentials`. */
    credentialsPerMinute: countVariable,
    /** The share of its tier's quota that an account has until its email address is verified. */
    unverifiedQuotaShare: shareVariable,
    /** By how much the limits of accounts are multiplied. */
    multiplier: countVariable,
    /** The characters that lists, documents and recordings may translate a month, by tier. */
    freeCharactersPerMonth: countVariable,
    premiumCharactersPerMonth: countVariable,
  }),
};

/** Days after which stored speech is deleted; 0 for never. */
export const speechLifetimeEnvironment = { SPEECH_LIFETIME_DAYS: daysVariable };

/** What a function needs to count the requests of accounts and to repeat responses by `Idempotency-Key`. */
export const accountRequestEnvironment = {
  ...tableEnvironment,
  ...bucketEnvironment,
  ...limitsEnvironment,
};

/** The secret with which tokens are signed (current and previous version are accepted). */
export const tokenEnvironment = { TOKEN_SECRET_ID: textVariable };

/** The version of the terms that people accept now. */
export const termsEnvironment = { TERMS_VERSION: textVariable };
/** The secret that seals those of second factors (what the previous version sealed can still be opened). */
export const secondFactorEnvironment = { SECOND_FACTOR_SECRET_ID: textVariable };

/** The queue of mails to be written; a worker function sends them. */
export const mailQueueEnvironment = { MAIL_QUEUE_URL: addressVariable };

/** The queue of exports of accounts; a worker function prepares them. */
export const exportQueueEnvironment = { EXPORT_QUEUE_URL: addressVariable };

/** The queue of messages from people; a worker function replies to them. */
export const messageQueueEnvironment = { MESSAGE_QUEUE_URL: addressVariable };

/** The queue of work for jobs; a worker function does it. */
export const jobQueueEnvironment = { JOB_QUEUE_URL: addressVariable };

/** The queue of callbacks; a worker function delivers them. */
export const callbackQueueEnvironment = { CALLBACK_QUEUE_URL: addressVariable };

/** The queues of what was given up, for operators. */
export const deadLetterEnvironment = {
  MAIL_DEAD_LETTER_QUEUE_URL: addressVariable,
  CALLBACK_DEAD_LETTER_QUEUE_URL: addressVariable,
  JOB_DEAD_LETTER_QUEUE_URL: addressVariable,
};

/** Whether callbacks may go to this machine, for development: no deployed stage has it. */
export const callbackRulesEnvironment = {
  CALLBACKS_ALLOW_LOOPBACK: presetVariable(switchVariable, false),
  /** The ports of the service on this machine. */
  OWN_PORTS: optionalVariable(portsVariable),
};

/** The secret with the messaging platform's verify token, app secret and access token. */
export const platformSecretsEnvironment = { MESSAGING_SECRET_ID: textVariable };

const optionalAddress = optionalVariable(addressVariable);

const optionalName = optionalVariable(textVariable);

/**
 * The servers of translation: a list, or the address of the only one. Like all model servers they speak the OpenAI HTTP API; base
 * URLs include `/v1`. The profile is that of servers without one of their own.
 */
export const translationBackendEnvironment = {
  /** The only server of translation gets the key of chat if it has the origin of this server and no key of its own. */
  CHAT_BASE_URL: optionalAddress,
  TRANSLATION_BASE_URL: optionalAddress,
  TRANSLATION_SERVERS: modelServersVariable,
  TRANSLATION_MODEL: textVariable,
  TRANSLATION_PROFILE: optionalName,
  /** How long the server may be silent before the caller gets 503. */
  TRANSLATION_TIMEOUT_MS: countVariable,
  INFERENCE_KEYS_SECRET_ID: textVariable,
};

export const chatBackendEnvironment = {
  CHAT_BASE_URL: optionalAddress,
  CHAT_SERVERS: chatServersVariable,
  /** What the server calls its models, in the order of the names that callers use. */
  CHAT_MODELS: chatModelsVariable,
  CHAT_PROFILE: optionalName,
  /** How long the server may stay silent, before its response and inside it. */
  CHAT_TIMEOUT_MS: countVariable,
  INFERENCE_KEYS_SECRET_ID: textVariable,
};

export const transcriptionBackendEnvironment = {
  TRANSCRIPTION_BASE_URL: optionalAddress,
  TRANSCRIPTION_SERVERS: modelServersVariable,
  TRANSCRIPTION_MODEL: textVariable,
  TRANSCRIPTION_PROFILE: optionalName,
  /** How long the server may take to respond once it has the recording. */
  TRANSCRIPTION_TIMEOUT_MS: countVariable,
  /** A server that distinguishes speakers where those of transcription do not. */
  DIARIZATION_BASE_URL: optionalAddress,
  DIARIZATION_MODEL: optionalName,
  INFERENCE_KEYS_SECRET_ID: textVariable,
};

/** What servers of transcription can do, as far as the stage's profiles say, as JSON. */
export const transcriptionFeaturesEnvironment = {
  TRANSCRIPTION_FEATURES: groupVariable({
    /** Whether any of them detects languages. */
    detectsLanguages: switchVariable,
    /** Whether any of them may distinguish speakers. */
    distinguishesSpeakers: switchVariable,
  }),
};

export const speechBackendEnvironment = {
  SPEECH_BASE_URL: optionalAddress,
  SPEECH_SERVERS: modelServersVariable,
  SPEECH_MODEL: textVariable,
  SPEECH_PROFILE: optionalName,
  /** How long the server may be silent before the caller gets 503. */
  SPEECH_TIMEOUT_MS: countVariable,
  INFERENCE_KEYS_SECRET_ID: textVariable,
};

/** What responses name as the platform on which speech is synthesised. */
export const speechPlatformEnvironment = { SPEECH_PLATFORM: textVariable };

/** The servers of all models, to show operators whether they respond. */
export const modelServersEnvironment = {
  CHAT_BASE_URL: optionalAddress,
  CHAT_SERVERS: chatServersVariable,
  TRANSLATION_BASE_URL: optionalAddress,
  TRANSLATION_SERVERS: modelServersVariable,
  TRANSCRIPTION_BASE_URL: optionalAddress,
  TRANSCRIPTION_SERVERS: modelServersVariable,
  DIARIZATION_BASE_URL: optionalAddress,
  SPEECH_BASE_URL: optionalAddress,
  SPEECH_SERVERS: modelServersVariable,
  INFERENCE_KEYS_SECRET_ID: textVariable,
};

/**
 * What every function gets without declaring it: its metrics namespace from CDK, region and credentials from Lambda,
 * and from a local service the addresses of AWS's stand-ins, under the names that the SDK reads as well.
 */
const platformEnvironment = {
  METRICS_NAMESPACE: optionalVariable(textVariable),
  AWS_REGION: presetVariable(textVariable, "us-east-1"),
  /** Each execution environment has its own credentials, which outlive it. */
  AWS_ACCESS_KEY_ID: presetVariable(anyTextVariable, ""),
  AWS_SECRET_ACCESS_KEY: presetVariable(anyTextVariable, ""),
  AWS_SESSION_TOKEN: optionalVariable(anyTextVariable),
  AWS_ENDPOINT_URL: optionalVariable(addressVariable),
  AWS_ENDPOINT_URL_DYNAMODB: optionalVariable(addressVariable),
  AWS_ENDPOINT_URL_SECRETS_MANAGER: optionalVariable(addressVariable),
  AWS_ENDPOINT_URL_S3: optionalVariable(addressVariable),
  AWS_ENDPOINT_URL_SQS: optionalVariable(addressVariable),
};
export type PlatformEnvironment = VariableValues<typeof platformEnvironment>;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads a function's variables: those it declares, and those of every function.
 *
 * @throws Error that names every missing or malformed variable, without their values.
 */
export const readEnvironment = <Shape extends VariableShape>(
  shape: Shape,
  variables: Variables,
): VariableValues<Shape> & PlatformEnvironment => ({
  ...readVariables(platformEnvironment, variables),
  ...readVariables(shape, variables),
});

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
      CodeDeploy: everyService,
      Lambda: everyService,
      DynamoDB: environment.AWS_ENDPOINT_URL_DYNAMODB ?? everyService,
      SecretsManager: environment.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? everyService,
      S3: environment.AWS_ENDPOINT_URL_S3 ?? everyService,
      SQS: environment.AWS_ENDPOINT_URL_SQS ?? everyService,
    },
  };
};

/** As {@link awsConfigOf}. @throws Error that names every malformed variable, without their values. */
export const readAwsConfig = (variables: Variables): AwsConfig =>
  awsConfigOf(readVariables(platformEnvironment, variables));
