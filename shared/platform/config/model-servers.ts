import * as z from "zod";
import type { ModelTask } from "../telemetry/backend-uses.ts";
import type { Variable } from "./variables.ts";

/** What every list of servers has in common. The secret has a server's key under its name. */
const modelServer = {
  /** Also in `X-Model-Server`, in logs and in names of metrics. */
  name: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, {
    error: "must be a lower-case word of at most 31 letters, digits and hyphens",
  }),
  /** Includes `/v1`. */
  base_url: z.url({
    protocol: /^https?$/,
    error: "must be an address such as https://models.example.org/v1",
  }),
  /** Servers with the lowest order are called first, the others when none of those replies. */
  order: z.int({ error: "must be a whole number" }).min(1).max(1_000).default(1),
  /** Its share of the calls, among servers of the same order. */
  weight: z.number().gt(0).max(1_000).default(1),
  /** How long it may stay silent; by default as long as its task allows. */
  timeout_ms: z.int().min(1).max(270_000).optional(),
};

const modelName = z.string().min(1, { error: "must not be empty" }).optional();

/** A list with more servers would not fit into the variables of a function, which have 4 kB together. */
const maxServers = 8;

const listOf = <Server extends z.ZodType<{ readonly name: string }>>(server: Server) =>
  z
    .array(server, { error: "must be a list of servers, each with a name and a base_url" })
    .max(maxServers, { error: `must have at most ${maxServers} servers` })
    .refine((servers) => new Set(servers.map(({ name }) => name)).size === servers.length, {
      error: "must not have two servers of the same name",
    })
    .transform(([first, ...others], context): [z.output<Server>, ...z.output<Server>[]] => {
      if (first !== undefined) return [first, ...others];
      context.addIssue({ code: "custom", message: "must have a server" });
      return z.NEVER;
    });

/** The servers of translation, transcription or speech. `model` is a server's own name for the task's model. */
export const modelServers = listOf(z.strictObject({ ...modelServer, model: modelName }));
export type ModelServers = z.output<typeof modelServers>;

/** The servers of chat, with their own names for its two models. */
export const chatServers = listOf(
  z.strictObject({ ...modelServer, model_14b: modelName, model_9b: modelName }),
);
export type ChatServers = z.output<typeof chatServers>;

const fromJson = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "must be a list in JSON" });
    return z.NEVER;
  }
});

/** A list in the environment, which is the JSON text of that in a stage's file. */
export const chatServersVariable: Variable<ChatServers | undefined> = fromJson.pipe(chatServers).optional();
export const modelServersVariable: Variable<ModelServers | undefined> = fromJson
  .pipe(modelServers)
  .optional();

/** The name of a task's list of servers among settings and variables, and that of the short form for one server. */
export const serverSettings = {
  chat: { list: "CHAT_SERVERS", baseUrl: "CHAT_BASE_URL" },
  translation: { list: "TRANSLATION_SERVERS", baseUrl: "TRANSLATION_BASE_URL" },
  transcription: { list: "TRANSCRIPTION_SERVERS", baseUrl: "TRANSCRIPTION_BASE_URL" },
  speech: { list: "SPEECH_SERVERS", baseUrl: "SPEECH_BASE_URL" },
} as const satisfies Record<ModelTask, { readonly list: string; readonly baseUrl: string }>;

/** The message for a task with a list of servers and an address as well. */
export const bothFormsOf = (task: ModelTask): string => {
  const { list, baseUrl } = serverSettings[task];
  return `${list} and ${baseUrl} are both set: ${baseUrl} is the short form for one server, so remove one of them`;
};

/** The variable with the key of a server on this machine, such as `GPU_API_KEY`. */
export const keyVariable = (serverName: string): string =>
  `${serverName.toUpperCase().replaceAll("-", "_")}_API_KEY`;
