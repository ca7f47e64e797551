import * as z from "zod";
import { consoleLanguages, consoleLanguagesVariable } from "../functions/console/texts/languages.ts";
import { defaultLegacySettings, legacySettings } from "../functions/legacy/settings.ts";
import { functionDefinitions } from "../functions/manifest.ts";
import { defaultAddressLimits, defaultUnverifiedQuotaShare } from "../shared/accounts/limits/policies.ts";
import { issuerAddress } from "../shared/platform/config/identity-providers.ts";
import { vendorName } from "../shared/platform/config/vendors.ts";

/** `Name <address>` or an address alone; the group is the address. */
const senderPattern = /^(?:[^<>]+ <)?([^\s<>@]+@[^\s<>@]+)>?$/;

/** The address of a sender. */
export const addressOf = (sender: string): string => senderPattern.exec(sender)?.[1] ?? sender;

const wholeNumber = (from: number, to = Number.MAX_SAFE_INTEGER) => {
  const error = `must be a whole number from ${from}${to < Number.MAX_SAFE_INTEGER ? ` to ${to}` : ""}`;
  return z.coerce.number({ error }).int({ error }).min(from, { error }).max(to, { error });
};

const shareError = "must be a number above 0, and at most 1";
const share = z.coerce
  .number({ error: shareError })
  .gt(0, { error: shareError })
  .max(1, { error: shareError });

const modelServer = z.url({
  protocol: /^https?$/,
  error: "must be an address such as https://models.example.org/v1",
});

const domainName = z
  .string()
  .regex(/^(?:[a-z0-9-]+\.)+[a-z]{2,}$/, { error: "must be a name such as api.example.org" });

const certificateArn = z
  .string()
  .startsWith("arn:aws:acm:", { error: "must be the ARN of a certificate of ACM" });

const modelName = z.string().min(1, { error: "must not be empty" });

const providerName = z
  .string()
  .trim()
  .min(1, { error: "must not be empty" })
  .max(40, { error: "must have at most 40 characters, for it to fit on a button" });

/** A file holds `true`, a variable the word. */
const flag = z.union([z.boolean(), z.stringbool()], { error: "must be true or false" });

/** `chat=300,speech=100` as numbers by function. */
const byFunction = (min: number) => {
  const names = functionDefinitions.map(({ name }): string => name);
  const error = `must be functions with numbers from ${min}, such as chat=300,speech=100; the functions are ${names.join(", ")}`;
  return z.string({ error }).transform((text, context) => {
    const entries = text
      .split(",")
      .filter((entry) => entry.trim() !== "")
      .map((entry) => /^\s*([a-z-]+)\s*=\s*(\d+)\s*$/.exec(entry)?.slice(1) ?? []);
    const isValid = entries.every(([name = "", amount]) => names.includes(name) && Number(amount) >= min);
    if (!isValid) context.addIssue({ code: "custom", message: error });
    return Object.fromEntries(entries.map(([name = "", amount]) => [name, Number(amount)]));
  });
};

/** Silence of a server must be noticed well before the function's own time-out of 150 seconds ends the request. */
const timeout = wholeNumber(1, 120_000);
const chatTimeout = timeout.default(60_000);

const smallerModel = "chat-9b";

/** Spelled out, because CDK's own list takes the whole of CDK to load, and the local service reads its settings without. */
export const logRetentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/**
 * Everything that a stage can be told, each under the one name that it has in `infra/stages/<name>.json` and among the
 * environment's variables alike.
 */
export const stageSettings = z
  .strictObject({
    /** Address under which callers reach the service, such as `https://api.example.com`; by default the REST API's own. */
    PUBLIC_BASE_URL: z.url({ error: "must be an address such as https://api.example.org" }).optional(),
    /** A name of one's own for the API, such as `api.example.org`; the API's default address is switched off then. */
    API_DOMAIN_NAME: domainName.optional(),
    /** ARN of that name's certificate, in the region of the stage. */
    API_CERTIFICATE_ARN: certificateArn.optional(),
    /** What stands in front of every path under that name, such as `/languages`; nothing by default. */
    API_BASE_PATH: z
      .string()
      .regex(/^(?:\/[A-Za-z0-9_-]+)?$/, {
        error: "must be one segment that begins with a slash, such as /languages",
      })
      .default(""),
    /** A name of one's own for the chat function's own address, such as `stream.example.org`: CloudFront answers there. */
    STREAM_DOMAIN_NAME: domainName.optional(),
    /** ARN of that name's certificate, which CloudFront wants in us-east-1. */
    STREAM_CERTIFICATE_ARN: certificateArn
      .startsWith("arn:aws:acm:us-east-1:", { error: "must be the ARN of a certificate in us-east-1" })
      .optional(),
    /** ARN of the firewall's rules for that name: the output of the stack `…-Edge`. */
    STREAM_FIREWALL_ARN: z.string().startsWith("arn:", { error: "must be an ARN" }).optional(),
    /** Whether AWS WAF stands in front of the API: `on` or `off`. It costs about $8 a month and $0.60 a million requests. */
    FIREWALL: z.enum(["on", "off"], { error: "must be on or off" }).default("off"),
    /** Requests from one address in five minutes, beyond which the firewall refuses it; a mobile network may be one address. */
    FIREWALL_REQUESTS_PER_5_MINUTES: wholeNumber(10, 2_000_000_000).default(6_000),
    /** Server of the chat models: any that speaks the OpenAI HTTP API. Includes `/v1`. */
    CHAT_BASE_URL: modelServer,
    /** Name of the one chat model on that server, where a single one serves as both. */
    CHAT_MODEL: modelName.optional(),
    /** Name of the larger chat model on that server; by default `CHAT_MODEL`. */
    CHAT_MODEL_14B: modelName.default("chat-14b"),
    /** Name of the smaller chat model on that server; by default `CHAT_MODEL`. */
    CHAT_MODEL_9B: modelName.default(smallerModel),
    /**
     * `true` for a larger chat model that answers from inside a thought and names only its end (`</think>`), as DeepSeek-R1
     * and some of Qwen do behind a server without a parser for it: streams then wait for that end.
     */
    CHAT_MODEL_14B_THINKS_FIRST: flag.default(false),
    /** The same of the smaller chat model. */
    CHAT_MODEL_9B_THINKS_FIRST: flag.default(false),
    /** How long the chat server may stay silent. */
    CHAT_TIMEOUT_MS: chatTimeout,
    /** Server of the translation model; by default the chat server. Includes `/v1`. */
    TRANSLATION_BASE_URL: modelServer,
    /** Name of the translation model; by default the smaller chat model. */
    TRANSLATION_MODEL: modelName.default(smallerModel),
    /** How long the translation server may stay silent; by default as long as the chat server. */
    TRANSLATION_TIMEOUT_MS: chatTimeout,
    /** Server on which recordings are transcribed; by default the chat server. Includes `/v1`. */
    TRANSCRIPTION_BASE_URL: modelServer,
    /** Name of the transcription model. */
    TRANSCRIPTION_MODEL: modelName.default("stt-51"),
    /**
     * How long the transcription server may take once it has a recording: long ones take minutes. The function gives up after
     * 290 seconds, because API Gateway would after 300.
     */
    TRANSCRIPTION_TIMEOUT_MS: wholeNumber(1, 270_000).default(240_000),
    /** Server on which speech is synthesised; by default the chat server. Includes `/v1`. */
    SPEECH_BASE_URL: modelServer,
    /** Name of the speech model. */
    SPEECH_MODEL: modelName.default("tts-3b"),
    /** What answers name as the platform on which speech is synthesised. */
    SPEECH_PLATFORM: modelName.default("language-ai"),
    /** How long the speech server may stay silent; many are until a whole text is spoken. */
    SPEECH_TIMEOUT_MS: timeout.default(120_000),
    /** Sender of mails, `Name <address>` or an address; the address or its domain must be verified in SES. */
    MAIL_FROM: z.string().regex(senderPattern, {
      error: "must be an e-mail address, or a name and an address as in `Name <address>`",
    }),
    /**
     * `existing` when the sender's address or domain is verified in SES; `create` makes its domain an identity of the stage, with
     * DKIM, and prints the records that its DNS needs. One stage of an account and region can make a domain's.
     */
    MAIL_IDENTITY: z
      .enum(["existing", "create"], { error: "must be existing or create" })
      .default("existing"),
    /** Who is told of alarms; without it alarms are only shown. */
    ALARM_EMAIL: z.email({ error: "must be an e-mail address" }).optional(),
    /** Whether the service is asked every five minutes what callers ask: `on` or `off`. The secret of `CanaryKeyArn` holds its key. */
    CANARY: z.enum(["on", "off"], { error: "must be on or off" }).default("off"),
    /** US dollars a month; somebody is told (`ALARM_EMAIL`) at 80 % of it, and when the month will end beyond it. 0 for no budget. */
    MONTHLY_BUDGET_USD: wholeNumber(0).default(0),
    /** Requests a minute from one source address to operations without a token. */
    LIMIT_ANONYMOUS_PER_MINUTE: wholeNumber(1).default(defaultAddressLimits.anonymous),
    /** Requests a minute from one source address to registration, login and whatever else takes a password or a link. */
    LIMIT_CREDENTIALS_PER_MINUTE: wholeNumber(1).default(defaultAddressLimits.credentials),
    /** Of its tier's quota a day and a month, the share that an account has until its e-mail address is verified; 1 for all. */
    UNVERIFIED_QUOTA_SHARE: share.default(defaultUnverifiedQuotaShare),
    /** Tries a day that one source address has in the playground without an account; 0 for none. Models are paid for by the stage. */
    VISITOR_TRIES_PER_DAY: wholeNumber(0, 1_000).default(0),
    /** Languages of the console's pages, such as `en,sw`; the first for whoever asks for none of them. No speaker has read `lg` and `sw`. */
    CONSOLE_LANGUAGES: z
      .string()
      .refine((value) => consoleLanguagesVariable.safeParse(value).success, {
        error: `must be some of ${consoleLanguages.join(", ")}, with commas between them`,
      })
      .default("en"),
    /** What the first identity provider is called on its button; by default the name of its host. */
    IDP_A_NAME: providerName.optional(),
    /**
     * The first OpenID Connect provider through which people can sign in, as its own `/.well-known/openid-configuration` has it
     * as `issuer`; without it none is offered.
     */
    IDP_A_ISSUER: issuerAddress.optional(),
    /** What the first identity provider calls this service. Its secret is in the secret of `IdentityProvidersSecretArn`. */
    IDP_A_CLIENT_ID: z.string().min(1, { error: "must not be empty" }).optional(),
    /** The same of the second identity provider. */
    IDP_B_NAME: providerName.optional(),
    /** The same of the second identity provider. */
    IDP_B_ISSUER: issuerAddress.optional(),
    /** The same of the second identity provider. */
    IDP_B_CLIENT_ID: z.string().min(1, { error: "must not be empty" }).optional(),
    /** The messaging platform's Graph API, without a version. */
    MESSAGING_API_URL: z.url({ error: "must be an address" }).default("https://graph.facebook.com"),
    /** Version of the Graph API, such as `v26.0`. */
    MESSAGING_API_VERSION: z
      .string()
      .regex(/^v\d+\.\d+$/, { error: "must look like v26.0" })
      .default("v26.0"),
    /** What is done about deliveries without the right signature. */
    MESSAGING_SIGNATURE_MODE: z
      .enum(["enforce", "log", "off"], { error: "must be enforce, log or off" })
      .default("enforce"),
    /** Whether callbacks may go to the machine itself, unencrypted as well: 1 for development with the local service, nowhere else. */
    CALLBACKS_ALLOW_LOOPBACK: z.enum(["0", "1"], { error: "must be 0 or 1" }).default("0"),
    /** What the first provider is called in the paths of version 1. */
    LEGACY_VENDOR_A: vendorName.default(defaultLegacySettings.vendors.a),
    /** What the second provider is called in the paths of version 1. */
    LEGACY_VENDOR_B: vendorName.default(defaultLegacySettings.vendors.b),
    /** The day, such as `2026-12-01`, from which nobody may count on the deprecated routes any more. */
    LEGACY_SUNSET: legacySettings.shape.sunset.default(defaultLegacySettings.sunset),
    /** Whether the providers' routes of version 1 still do their work: `answer`, or `gone` for 410. */
    LEGACY_PROVIDER_ROUTES: legacySettings.shape.providerRoutes.default(defaultLegacySettings.providerRoutes),
    /** Days until a token expires; 0 for never. */
    TOKEN_LIFETIME_DAYS: wholeNumber(0).default(7),
    /** Seconds for which API Gateway may reuse an authorizer's answer, an hour at most; 0 for none. */
    AUTHORIZER_CACHE_SECONDS: wholeNumber(0, 3600).default(0),
    /** `retain` keeps data when the stacks are deleted; `destroy` is for stages that are thrown away. */
    REMOVAL: z.enum(["retain", "destroy"], { error: "must be retain or destroy" }).default("retain"),
    /**
     * Places among the account's concurrent executions that a function has for itself, and beyond which it may not go: streams
     * that hold all of them would otherwise leave none for the authorizer. An account's quota must leave 100 for the others.
     */
    RESERVED_CONCURRENCY: byFunction(1).default({}),
    /** How many pieces of long recordings are transcribed at a time, of all accounts; one account has half of them at most. */
    JOB_PIECES_AT_ONCE: wholeNumber(2, 1_000).default(6),
    /** After how many seconds a job fails whose model answers with failures. */
    JOB_FAILS_AFTER_SECONDS: wholeNumber(1, 86_400).default(600),
    /** For how many seconds a job waits for a model that cannot be reached. */
    JOB_WAITS_SECONDS: wholeNumber(1, 86_400).default(86_400),
    /** How many messages a worker handles at a time, at most: what waits in a queue must not take all places. AWS's least is 2. */
    WORKER_CONCURRENCY: byFunction(2).default({ callback: 20, mail: 5, messaging: 50 }),
    /**
     * How a release reaches callers: `at-once`, or `gradual`, which is a tenth of the calls for five minutes, taken back by itself
     * when an alarm rings.
     */
    RELEASE_SHIFT: z.enum(["at-once", "gradual"], { error: "must be at-once or gradual" }).default("at-once"),
    /** Days after which stored speech is deleted, and its links with it; 0 for never. */
    SPEECH_LIFETIME_DAYS: wholeNumber(0, 36_500).default(0),
    /** How long CloudWatch keeps logs. */
    LOG_RETENTION_DAYS: z.coerce
      .number()
      .pipe(
        z.literal(logRetentionDays, {
          error: "must be a number of days that CloudWatch knows, such as 7 or 90",
        }),
      )
      .default(90),
    /** Requests a second that API Gateway lets through to each method, as well as it can; accounts have limits of their own. */
    THROTTLING_REQUESTS_PER_SECOND: wholeNumber(1).default(200),
    /** How many more may come at once. */
    THROTTLING_BURST: wholeNumber(1).default(400),
  })
  .refine((given) => (given.API_DOMAIN_NAME === undefined) === (given.API_CERTIFICATE_ARN === undefined), {
    path: ["API_DOMAIN_NAME"],
    error: "goes together with API_CERTIFICATE_ARN",
  })
  .refine(
    (given) => (given.STREAM_DOMAIN_NAME === undefined) === (given.STREAM_CERTIFICATE_ARN === undefined),
    {
      path: ["STREAM_DOMAIN_NAME"],
      error: "goes together with STREAM_CERTIFICATE_ARN",
    },
  )
  .refine((given) => given.MONTHLY_BUDGET_USD === 0 || given.ALARM_EMAIL !== undefined, {
    path: ["MONTHLY_BUDGET_USD"],
    error: "needs ALARM_EMAIL, for somebody to be told",
  })
  .refine((given) => (given.IDP_A_ISSUER === undefined) === (given.IDP_A_CLIENT_ID === undefined), {
    path: ["IDP_A_ISSUER"],
    error: "goes together with IDP_A_CLIENT_ID",
  })
  .refine((given) => (given.IDP_B_ISSUER === undefined) === (given.IDP_B_CLIENT_ID === undefined), {
    path: ["IDP_B_ISSUER"],
    error: "goes together with IDP_B_CLIENT_ID",
  })
  .refine(({ LEGACY_VENDOR_A, LEGACY_VENDOR_B }) => LEGACY_VENDOR_A !== LEGACY_VENDOR_B, {
    path: ["LEGACY_VENDOR_B"],
    error: "must be another name than LEGACY_VENDOR_A",
  });

/** The settings of a stage, checked and complete. */
export type StageSettings = z.output<typeof stageSettings>;
export type SettingName = keyof StageSettings;

/** The names of all settings, in the order in which they are declared. */
export const settingNames = stageSettings.keyof().options;

/** Settings that are taken from another one unless they are given themselves, in an order in which they can be filled in. */
export const takenFrom: ReadonlyMap<SettingName, SettingName> = new Map([
  ["CHAT_MODEL_14B", "CHAT_MODEL"],
  ["CHAT_MODEL_9B", "CHAT_MODEL"],
  ["TRANSLATION_BASE_URL", "CHAT_BASE_URL"],
  ["TRANSLATION_MODEL", "CHAT_MODEL_9B"],
  ["TRANSLATION_TIMEOUT_MS", "CHAT_TIMEOUT_MS"],
  ["TRANSCRIPTION_BASE_URL", "CHAT_BASE_URL"],
  ["SPEECH_BASE_URL", "CHAT_BASE_URL"],
]);
