import * as z from "zod";
import { onFirstUse } from "../on-first-use.ts";
import type { ModelTask } from "../telemetry/backend-uses.ts";
import { optionalVariable, type Variable } from "./variables.ts";

/** What every list of servers has in common; most stages have no list. The secret has a server's key under its name. */
const modelServer = onFirstUse(() => ({
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
  /** The name of its models' profile; by default that of the task. */
  profile: z.string().min(1, { error: "must not be empty" }).optional(),
}));

const modelName = z.string().min(1, { error: "must not be empty" });

/** A model of chat: its name at the server, and the name of its profile, if it has one of its own. */
export interface NamedModel {
  readonly name?: string | undefined;
  readonly profile?: string | undefined;
}

const modelError = { error: "must be a name, or an object with name and profile" };
const nameOnly = modelName.transform((name): NamedModel & { readonly name: string } => ({ name }));

const listOfModels = <Model extends z.ZodType>(model: Model) =>
  z.array(model, { error: "must be a list of names of models" }).min(1, { error: "must have a model" });

/** The models of chat, in the order of the names that callers use; the last one serves the others. */
export const chatModels = onFirstUse(() =>
  listOfModels(
    z.union([nameOnly, z.strictObject({ name: modelName, profile: modelName.optional() })], modelError),
  ),
);
export type ChatModelList = z.output<ReturnType<typeof chatModels>>;

/** The same on one server. A model without a name there has that of the stage. */
const modelsOnServer = () =>
  listOfModels(
    z.union(
      [nameOnly, z.strictObject({ name: modelName.optional(), profile: modelName.optional() })],
      modelError,
    ),
  );

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
export const modelServers = onFirstUse(() =>
  listOf(z.strictObject({ ...modelServer(), model: modelName.optional() })),
);
export type ModelServers = z.output<ReturnType<typeof modelServers>>;

/** The servers of chat, with their own names for its models. Up to version 2.8.0 a member for each of two models had them. */
export const chatServers = onFirstUse(() =>
  listOf(
    z
      .strictObject({
        ...modelServer(),
        models: modelsOnServer().optional(),
        model_14b: modelName.optional(),
        model_9b: modelName.optional(),
      })
      .transform(({ model_14b: first, model_9b: second, models, ...server }, context) => {
        const earlier = [first, second].map((name): NamedModel => (name === undefined ? {} : { name }));
        const isEarlier = earlier.some(({ name }) => name !== undefined);
        if (models && isEarlier) context.addIssue("must not have both models and model_14b or model_9b");
        const named = models ?? (isEarlier ? earlier : undefined);
        return { ...server, ...(named ? { models: named } : {}) };
      }),
  ),
);
export type ChatServers = z.output<ReturnType<typeof chatServers>>;

const readJson = (text: string, context: z.RefinementCtx): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "must be a list in JSON" });
    return z.NEVER;
  }
};

/** A list in the environment, which is the JSON text of that in a stage's file. */
const jsonVariable = <Value>(list: () => z.ZodType<Value>): Variable<Value> => ({
  safeParse: (text) => z.string().transform(readJson).pipe(list()).safeParse(text),
});

export const chatModelsVariable = jsonVariable(chatModels);
export const chatServersVariable = optionalVariable(jsonVariable(chatServers));
export const modelServersVariable = optionalVariable(jsonVariable(modelServers));

/**
 * The names of a task's settings and variables: its list of servers, the short form for one server, and the profile of servers without
 * one of their own.
 */
export const serverSettings = {
  chat: { list: "CHAT_SERVERS", baseUrl: "CHAT_BASE_URL", profile: "CHAT_PROFILE" },
  translation: {
    list: "TRANSLATION_SERVERS",
    baseUrl: "TRANSLATION_BASE_URL",
    profile: "TRANSLATION_PROFILE",
  },
  transcription: {
    list: "TRANSCRIPTION_SERVERS",
    baseUrl: "TRANSCRIPTION_BASE_URL",
    profile: "TRANSCRIPTION_PROFILE",
  },
  speech: { list: "SPEECH_SERVERS", baseUrl: "SPEECH_BASE_URL", profile: "SPEECH_PROFILE" },
} as const satisfies Record<
  ModelTask,
  { readonly list: string; readonly baseUrl: string; readonly profile: string }
>;

/** The message for a task with a list of servers and an address as well. */
export const bothFormsOf = (task: ModelTask): string => {
  const { list, baseUrl } = serverSettings[task];
  return `${list} and ${baseUrl} are both set: ${baseUrl} is the short form for one server, so remove one of them`;
};

/** What the server that only distinguishes speakers is called. */
export const diarizerName = "diarization";

/** The variable with the key of a server on this machine, such as `GPU_API_KEY`. */
export const keyVariable = (serverName: string): string =>
  `${serverName.toUpperCase().replaceAll("-", "_")}_API_KEY`;
