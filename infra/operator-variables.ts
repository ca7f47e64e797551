import * as z from "zod";

const milliseconds = z.coerce.number().int();

/** Environment variables with which an operator changes a stage without touching the code; all are optional. */
const operatorVariables = z.object({
  /** Address under which callers reach the service, such as `https://api.example.com`; the links in mails use it. */
  PUBLIC_BASE_URL: z.string().optional(),
  /** Server of the chat models: any that speaks the OpenAI HTTP API. Includes `/v1`. */
  CHAT_BASE_URL: z.string().optional(),
  /** Name of the larger chat model on that server. */
  CHAT_MODEL_14B: z.string().optional(),
  /** Name of the smaller chat model on that server. */
  CHAT_MODEL_9B: z.string().optional(),
  /** How long the chat server may stay silent. */
  CHAT_TIMEOUT_MS: milliseconds.optional(),
  /** Server of the translation model; by default the chat server. Includes `/v1`. */
  TRANSLATION_BASE_URL: z.string().optional(),
  /** Name of the translation model; by default the smaller chat model. */
  TRANSLATION_MODEL: z.string().optional(),
  /** How long the translation server may stay silent; by default as long as the chat server. */
  TRANSLATION_TIMEOUT_MS: milliseconds.optional(),
  /** Days until a token expires; 0 for never. */
  TOKEN_LIFETIME_DAYS: z.coerce.number().optional(),
  /** Seconds for which API Gateway may reuse an authorizer's answer, and so accept a revoked token; 0 for none. */
  AUTHORIZER_CACHE_SECONDS: z.coerce.number().optional(),
  /** Sender of mails, `Name <address>` or an address; the address or its domain must be verified in SES. */
  MAIL_FROM: z.string().optional(),
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
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new Error(`The variables of the deployment are not valid. ${problems.join("; ")}`);
};
