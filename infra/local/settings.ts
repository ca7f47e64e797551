import { resolve } from "node:path";
import { defaultMaxConcurrency } from "@language-ai/aws-stand-ins";
import * as z from "zod";
import { wholeNumber } from "../whole-number.ts";

const endpoint = z
  .url({ protocol: /^https?$/, error: "must be an address such as http://127.0.0.1:8000/v1" })
  .optional();

/** From the least to the most important; `SILENT` has no lines. */
export const logLevels = ["DEBUG", "INFO", "WARN", "ERROR", "SILENT"] as const;

const settings = z.object({
  /** The port of the API. The chat stream, storage, sample server and identity providers have the next five. 0 takes free ones. */
  PORT: wholeNumber(0, 65_000).default(3000),
  HOST: z
    .ipv4({ error: "must be an IPv4 address of this machine, or 0.0.0.0 for all of them" })
    .default("127.0.0.1"),
  /** The beginning of every path of the API, like the stage's name in the default address on AWS. */
  BASE_PATH: z
    .string()
    .regex(/^(?:\/[A-Za-z0-9_-]+)*$/, { error: "must start with a slash and not end with one, as in /prod" })
    .default(""),
  /** The only folder that the service writes to. */
  DATA_DIR: z
    .string()
    .min(1)
    .default(".local")
    .transform((folder) => resolve(folder)),
  /** The level of the functions' logs. */
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(", ")}` }).default("WARN"),
  /** How many invocations may run at a time, for all functions together. Each is a process of about 80 MB. */
  FUNCTION_CONCURRENCY: wholeNumber(1).default(defaultMaxConcurrency),
  /** `sample` leaves out the search for servers of models on this machine. */
  MODELS: z.enum(["sample"], { error: "must be sample, or missing" }).optional(),
  /** By default a server that is found on this machine, or the sample server. */
  CHAT_BASE_URL: endpoint,
  /** By default the stand-in of the messaging platform. */
  MESSAGING_API_URL: endpoint,
  /** The port for a debugger. 0 takes any free one. */
  INSPECT_PORT: wholeNumber(0, 65_535).default(9229),
  /** By default the stand-ins of the identity providers. */
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
export type LocalSettings = z.output<typeof settings>;

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
  return result.data;
};
