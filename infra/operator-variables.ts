import * as z from "zod";

const number = z.coerce.number({ error: "must be a number" });

const requestsPerMinute = number
  .int({ error: "must be a whole number" })
  .min(1, { error: "must be at least 1" });

const milliseconds = number
  .int({ error: "must be a whole number of milliseconds" })
  .min(1, { error: "must be at least 1" });

/** Environment variables with which an operator changes a stage without touching the code; all are optional. */
const operatorVariables = z.object({
  /** Address under which callers reach the service, such as `https://api.example.com`; the links in mails use it. */
  PUBLIC_BASE_URL: z.string().optional(),
  /** Server of the chat models: any that speaks the OpenAI HTTP API. Includes `/v1`. */
  CHAT_BASE_URL: z.string().optional(),
  /** Name of the one chat model on that server, where a single one serves as both. */
  CHAT_MODEL: z.string().optional(),
  /** Name of the larger chat model on that server; by default `CHAT_MODEL`. */
  CHAT_MODEL_14B: z.string().optional(),
  /** Name of the smaller chat model on that server; by default `CHAT_MODEL`. */
  CHAT_MODEL_9B: z.string().optional(),
  /**
   * `true` for a larger chat model that answers from inside a thought and names only its end (`</think>`), as DeepSeek-R1
   * and some of Qwen do behind a server without a parser for it: streams then wait for that end.
   */
  CHAT_MODEL_14B_THINKS_FIRST: z.stringbool().optional(),
  /** The same of the smaller chat model. */
  CHAT_MODEL_9B_THINKS_FIRST: z.stringbool().optional(),
  /** How long the chat server may stay silent. */
  CHAT_TIMEOUT_MS: milliseconds.optional(),
  /** Server of the translation model; by default the chat server. Includes `/v1`. */
  TRANSLATION_BASE_URL: z.string().optional(),
  /** Name of the translation model; by default the smaller chat model. */
  TRANSLATION_MODEL: z.string().optional(),
  /** How long the translation server may stay silent; by default as long as the chat server. */
  TRANSLATION_TIMEOUT_MS: milliseconds.optional(),
  /** Server on which recordings are transcribed; by default the chat server. Includes `/v1`. */
  TRANSCRIPTION_BASE_URL: z.string().optional(),
  /** Name of the transcription model. */
  TRANSCRIPTION_MODEL: z.string().optional(),
  /** How long the transcription server may take once it has a recording; by default four minutes. */
  TRANSCRIPTION_TIMEOUT_MS: milliseconds.optional(),
  /** Server on which speech is synthesised; by default the chat server. Includes `/v1`. */
  SPEECH_BASE_URL: z.string().optional(),
  /** Name of the speech model. */
  SPEECH_MODEL: z.string().optional(),
  /** What answers name as the platform on which speech is synthesised. */
  SPEECH_PLATFORM: z.string().optional(),
  /** How long the speech server may stay silent; many are until a whole text is spoken, so by default two minutes. */
  SPEECH_TIMEOUT_MS: milliseconds.optional(),
  /** Requests a minute from one source address to operations without a token. */
  LIMIT_ANONYMOUS_PER_MINUTE: requestsPerMinute.optional(),
  /** Requests a minute from one source address to registration, login and whatever else takes a password or a link. */
  LIMIT_CREDENTIALS_PER_MINUTE: requestsPerMinute.optional(),
  /** The messaging platform's Graph API, without a version. */
  MESSAGING_API_URL: z.string().optional(),
  /** Version of the Graph API, such as `v26.0`. */
  MESSAGING_API_VERSION: z.string().optional(),
  /** What is done about deliveries without the right signature: `enforce` (the default), `log` or `off`. */
  MESSAGING_SIGNATURE_MODE: z
    .enum(["enforce", "log", "off"], { error: "must be enforce, log or off" })
    .optional(),
  /** What the first provider is called in the paths of version 1. */
  LEGACY_VENDOR_A: z.string().optional(),
  /** What the second provider is called in the paths of version 1. */
  LEGACY_VENDOR_B: z.string().optional(),
  /** The day, such as `2026-12-01`, from which nobody may count on the deprecated routes any more. */
  LEGACY_SUNSET: z.string().optional(),
  /** Whether the providers' routes of version 1 still do their work: `answer` (the default), or `gone` for 410. */
  LEGACY_PROVIDER_ROUTES: z.enum(["answer", "gone"], { error: "must be answer or gone" }).optional(),
  /** Days until a token expires; 0 for never. */
  TOKEN_LIFETIME_DAYS: number.optional(),
  /** Seconds for which API Gateway may reuse an authorizer's answer, and so accept a revoked token; 0 for none. */
  AUTHORIZER_CACHE_SECONDS: number.optional(),
  /** Sender of mails, `Name <address>` or an address; the address or its domain must be verified in SES. */
  MAIL_FROM: z.string().optional(),
  /** Where the local service listens; a deployment has no use for it. */
  PORT: number.int().optional(),
  /** Who is told of alarms; without it alarms are only shown. */
  ALARM_EMAIL: z.string().optional(),
});

export type OperatorVariables = z.output<typeof operatorVariables>;

/** Variables as a process has them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the operator's variables; an empty one counts as not given, as pipelines often leave them.
 *
 * @throws Error that names each variable that is not a number where one is needed.
 */
export const readOperatorVariables = (variables: Variables): OperatorVariables => {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const result = operatorVariables.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}.`);
  throw new Error(problems.join(" "));
};
