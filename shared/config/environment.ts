import * as z from "zod";

const positiveMilliseconds = z.coerce.number().int().min(1);

/** Capabilities a function can ask for, as the variables that carry them. */
export const tableEnvironment = { TABLE_NAME: z.string().min(1) };

/** The secret with which tokens are signed (current and previous version are accepted). */
export const tokenEnvironment = { TOKEN_SECRET_ID: z.string().min(1) };

/** The queue of mails to be written; a worker function sends them. */
export const mailQueueEnvironment = { MAIL_QUEUE_URL: z.url() };

/** Where translations come from: a server that speaks the OpenAI HTTP API. The base URL includes `/v1`. */
export const translationBackendEnvironment = {
  TRANSLATION_BASE_URL: z.url(),
  TRANSLATION_MODEL: z.string().min(1),
  /** How long the server may stay silent before the caller is told that it is unavailable. */
  TRANSLATION_TIMEOUT_MS: positiveMilliseconds,
  INFERENCE_KEYS_SECRET_ID: z.string().min(1),
};

/**
 * Reads a function's variables once, when it starts.
 *
 * @throws Error that names every missing or malformed variable, without their values.
 */
export const readEnvironment = <Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  variables: Readonly<Record<string, string | undefined>>,
): z.output<z.ZodObject<Shape>> => {
  const result = schema.safeParse(variables);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The function's environment is not complete. ${problems.join("; ")}`);
};
