import * as z from "zod";
import { defaultLegacySettings, legacySettings } from "../functions/legacy/settings.ts";
import { functionDefinitions } from "../functions/manifest.ts";
import {
  defaultAddressLimits,
  defaultCharacterQuotas,
  defaultUnverifiedQuotaShare,
} from "../shared/accounts/limits/policies.ts";
import { consoleLanguages, consoleLanguagesVariable } from "../shared/pages/texts/languages.ts";
import { vendorName } from "../shared/platform/config/vendors.ts";
import { daySeconds } from "../shared/platform/durations.ts";
import { checkIdentityProviders, identityProviderSettings } from "./identity-provider-settings.ts";
import { messagingSettings } from "./messaging-settings.ts";
import { checkModelServers, modelSettings } from "./model-settings.ts";
import { wholeNumber } from "./whole-number.ts";

/** `Name <address>` or only an address; the group is the address. */
const senderPattern = /^(?:[^<>]+ <)?([^\s<>@]+@[^\s<>@]+)>?$/;

/** Returns the address in `Name <address>`. */
export const addressOf = (sender: string): string => senderPattern.exec(sender)?.[1] ?? sender;

const shareError = "must be a number above 0, and at most 1";
const share = z.coerce
  .number({ error: shareError })
  .gt(0, { error: shareError })
  .max(1, { error: shareError });

const domainName = z
  .string()
  .regex(/^(?:[a-z0-9-]+\.)+[a-z]{2,}$/, { error: "must be a name such as api.example.org" });

const certificateArn = z
  .string()
  .startsWith("arn:aws:acm:", { error: "must be the ARN of a certificate of ACM" });

const onOrOff = z.enum(["on", "off"], { error: "must be on or off" });

/** Numbers by function, from a text such as `chat=300,speech=100`. */
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

/** CDK has this list too, but the local service reads its settings without loading CDK. */
export const logRetentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/**
 * The settings of a stage. A setting has the same name in `infra/stages/<name>.json`, in the environment of a deployment, and in
 * the environment of each function that reads it.
 */
export const stageSettings = z
  .strictObject({
    /** The address that callers use, such as `https://api.example.com`; by default that of the REST API. */
    PUBLIC_BASE_URL: z.url({ error: "must be an address such as https://api.example.org" }).optional(),
    /** The operator's domain for the API, such as `api.example.org`. */
    API_DOMAIN_NAME: domainName.optional(),
    /** ARN of the domain's certificate, in the region of the stage. */
    API_CERTIFICATE_ARN: certificateArn.optional(),
    /** The beginning of every path under the domain, such as `/languages`; by default nothing. */
    API_BASE_PATH: z
      .string()
      .regex(/^(?:\/[A-Za-z0-9_-]+)?$/, {
        error: "must be one segment that starts with a slash, such as /languages",
      })
      .default(""),
    /** Whether the API's default address responds: `on` or `off`. Switch it off once all callers use the domain. */
    API_DEFAULT_ADDRESS: onOrOff.default("on"),
    /** Whether chat also has a URL of its own, which API Gateway does not throttle: `on` or `off`. Without it streams use the API's address. */
    CHAT_URL: onOrOff.default("on"),
    /** The operator's domain for chat streams, such as `stream.example.org`, served by CloudFront. */
    STREAM_DOMAIN_NAME: domainName.optional(),
    /** ARN of the domain's certificate, which CloudFront requires in us-east-1. */
    STREAM_CERTIFICATE_ARN: certificateArn
      .startsWith("arn:aws:acm:us-east-1:", { error: "must be the ARN of a certificate in us-east-1" })
      .optional(),
    /** ARN of the firewall's rules for that domain: the output of the stack `…-Edge`. */
    STREAM_FIREWALL_ARN: z.string().startsWith("arn:", { error: "must be an ARN" }).optional(),
    /** Whether AWS WAF protects the API: `on` or `off`. It costs about $8 a month and $0.60 per million requests. */
    FIREWALL: onOrOff.default("off"),
    /** The firewall refuses an address above this number of requests in five minutes; a mobile network may be one address. */
    FIREWALL_REQUESTS_PER_5_MINUTES: wholeNumber(10, 2_000_000_000).default(6_000),
    ...modelSettings,
    /** Sender of mails, `Name <address>` or an address; the address or its domain must be verified in SES. */
    MAIL_FROM: z.string().regex(senderPattern, {
      error: "must be an email address, or a name and an address as in `Name <address>`",
    }),
    /**
     * `existing` if the sender's address or domain is verified in SES; `create` adds an identity for its domain to the stage, with
     * DKIM, and prints the records for its DNS. Only one stage in an account and region can create a domain's identity.
     */
    MAIL_IDENTITY: z
      .enum(["existing", "create"], { error: "must be existing or create" })
      .default("existing"),
    /** The address that gets mails about alarms. Without it alarms only appear in CloudWatch, and stages that keep their data warn of it. */
    ALARM_EMAIL: z.email({ error: "must be an email address" }).optional(),
    /** The address that the privacy notice and the terms name for questions. Without it they say that there is none. */
    CONTACT_EMAIL: z.email({ error: "must be an email address" }).optional(),
    /** Whether the canary calls the service every five minutes: `on` or `off`. The secret of `CanaryKeyArn` holds its key. */
    CANARY: onOrOff.default("off"),
    /** The address of a status page elsewhere, to which `/status` then redirects. */
    STATUS_PAGE_URL: z
      .url({ protocol: /^https$/, error: "must be an address such as https://status.example.org" })
      .optional(),
    /** US dollars a month. `ALARM_EMAIL` gets a mail at 80% of it, and when AWS forecasts that the month exceeds it. 0 for no budget. */
    MONTHLY_BUDGET_USD: wholeNumber(0).default(0),
    /** Requests per minute from one source address to operations without a token. */
    LIMIT_ANONYMOUS_PER_MINUTE: wholeNumber(1).default(defaultAddressLimits.anonymous),
    /** Requests per minute from one source address to registration, login and other operations with a password or a link. */
    LIMIT_CREDENTIALS_PER_MINUTE: wholeNumber(1).default(defaultAddressLimits.credentials),
    /** The share of its tier's daily and monthly quota that an account has until its email address is verified; 1 for all. */
    UNVERIFIED_QUOTA_SHARE: share.default(defaultUnverifiedQuotaShare),
    /** Multiplies each tier's requests a minute and tasks a day and a month. */
    LIMIT_MULTIPLIER: wholeNumber(1, 1_000).default(1),
    /** Characters that lists, documents and recordings of a Free account may translate a month. */
    FREE_CHARACTERS_PER_MONTH: wholeNumber(1).default(defaultCharacterQuotas.Free),
    /** The same for a Premium account. */
    PREMIUM_CHARACTERS_PER_MONTH: wholeNumber(1).default(defaultCharacterQuotas.Premium),
    /** Playground requests per day from one source address without an account; 0 for none. The operator pays for the models. */
    VISITOR_TRIES_PER_DAY: wholeNumber(0, 1_000).default(0),
    /** Languages of the console's pages, such as `en,sw`; the first is the default. No speaker has reviewed `lg` and `sw`. */
    CONSOLE_LANGUAGES: z
      .string()
      .refine((value) => consoleLanguagesVariable.safeParse(value).success, {
        error: `must be some of ${consoleLanguages.join(", ")}, with commas between them`,
      })
      .default("en"),
    ...identityProviderSettings,
    ...messagingSettings,
    /** 1 lets callbacks go to this machine, also unencrypted: only for development with the local service. */
    CALLBACKS_ALLOW_LOOPBACK: z.enum(["0", "1"], { error: "must be 0 or 1" }).default("0"),
    /** The first provider's name in the paths of version 1. */
    LEGACY_VENDOR_A: vendorName.default(defaultLegacySettings.vendors.a),
    /** The second provider's name in the paths of version 1. */
    LEGACY_VENDOR_B: vendorName.default(defaultLegacySettings.vendors.b),
    /** The date, such as `2027-12-01`, from which the deprecated routes may disappear. */
    LEGACY_SUNSET: legacySettings.shape.sunset.default(defaultLegacySettings.sunset),
    /** Whether the providers' routes of version 1 still work: `answer`, or `gone` for 410. */
    LEGACY_PROVIDER_ROUTES: legacySettings.shape.providerRoutes.default(defaultLegacySettings.providerRoutes),
    /** Days until a token expires; 0 for never. */
    TOKEN_LIFETIME_DAYS: wholeNumber(0).default(7),
    /** How many seconds API Gateway may reuse an authorizer's decision, up to an hour; 0 for never. */
    AUTHORIZER_CACHE_SECONDS: wholeNumber(0, 3600).default(0),
    /** `retain` keeps data when the stacks are deleted; `destroy` is for temporary stages. */
    REMOVAL: z.enum(["retain", "destroy"], { error: "must be retain or destroy" }).default("retain"),
    /**
     * The concurrent executions of the account that are reserved for a function, which is also its limit. Without it, streams could
     * use all of them and leave none for the authorizer. AWS requires 100 unreserved ones in an account.
     */
    RESERVED_CONCURRENCY: byFunction(1).default({}),
    /** How many pieces of long recordings are transcribed at a time, for all accounts; one account gets up to half of them. */
    JOB_PIECES_AT_ONCE: wholeNumber(2, 1_000).default(6),
    /** After how many seconds a job fails whose model responds with failures. */
    JOB_FAILS_AFTER_SECONDS: wholeNumber(1, daySeconds).default(600),
    /** How many seconds a job waits for a model that cannot be reached. */
    JOB_WAITS_SECONDS: wholeNumber(1, daySeconds).default(daySeconds),
    /** How many messages a worker may process at a time, so a full queue does not use all concurrent executions. AWS requires 2 or more. */
    WORKER_CONCURRENCY: byFunction(2).default({ callback: 20, export: 2, mail: 5, messaging: 50 }),
    /**
     * How a release reaches callers: `at-once`, or `gradual`, which checks new versions with sample events, starts with a tenth of the
     * calls for five minutes, and rolls back automatically when a new version fails.
     */
    RELEASE_SHIFT: z.enum(["at-once", "gradual"], { error: "must be at-once or gradual" }).default("at-once"),
    /** Days after which stored speech is deleted; 0 for never. */
    SPEECH_LIFETIME_DAYS: wholeNumber(0, 36_500).default(0),
    /** How long CloudWatch keeps logs. */
    LOG_RETENTION_DAYS: z.coerce
      .number()
      .pipe(
        z.literal(logRetentionDays, {
          error: "must be a number of days that CloudWatch supports, such as 7 or 90",
        }),
      )
      .default(90),
    /** Requests per second that API Gateway passes on to each method, approximately; accounts have their own limits. */
    THROTTLING_REQUESTS_PER_SECOND: wholeNumber(1).default(200),
    /** How many requests may exceed that at once. */
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
  .refine((given) => given.API_DEFAULT_ADDRESS === "on" || given.API_DOMAIN_NAME !== undefined, {
    path: ["API_DEFAULT_ADDRESS"],
    error: "can only be off with API_DOMAIN_NAME; otherwise the API would have no address",
  })
  .refine((given) => given.CHAT_URL === "on" || given.STREAM_DOMAIN_NAME === undefined, {
    path: ["CHAT_URL"],
    error: "must be on with STREAM_DOMAIN_NAME, which leads to that URL",
  })
  .refine((given) => given.STREAM_DOMAIN_NAME === undefined || given.CHAT_TIMEOUT_MS <= 115_000, {
    path: ["CHAT_TIMEOUT_MS"],
    error:
      "must be at most 115000 with STREAM_DOMAIN_NAME, because CloudFront waits two minutes for a response",
  })
  .refine((given) => given.MONTHLY_BUDGET_USD === 0 || given.ALARM_EMAIL !== undefined, {
    path: ["MONTHLY_BUDGET_USD"],
    error: "needs ALARM_EMAIL, the address that gets the mails",
  })
  .superRefine(checkIdentityProviders)
  .superRefine(checkModelServers)
  .refine(({ LEGACY_VENDOR_A, LEGACY_VENDOR_B }) => LEGACY_VENDOR_A !== LEGACY_VENDOR_B, {
    path: ["LEGACY_VENDOR_B"],
    error: "must be another name than LEGACY_VENDOR_A",
  });

/** The settings of a stage, checked and complete. */
export type StageSettings = z.output<typeof stageSettings>;
export type SettingName = keyof StageSettings;

/** The names of all settings, in the order in which they are declared. */
export const settingNames = stageSettings.keyof().options;

/** Settings whose default is another setting, in the order in which they can be filled in. */
export const defaultsFrom: ReadonlyMap<SettingName, SettingName> = new Map([
  ["TRANSLATION_BASE_URL", "CHAT_BASE_URL"],
  ["TRANSLATION_TIMEOUT_MS", "CHAT_TIMEOUT_MS"],
  ["TRANSCRIPTION_BASE_URL", "CHAT_BASE_URL"],
  ["SPEECH_BASE_URL", "CHAT_BASE_URL"],
]);
