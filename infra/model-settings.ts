import * as z from "zod";
import { findProfile } from "../shared/models/inference/profiles.ts";
import type { StageCatalogue } from "../shared/platform/catalogue/stage-catalogue.ts";
import {
  bothFormsOf,
  type ChatModelList,
  type ChatServers,
  chatModels,
  chatServers,
  type ModelServers,
  modelServers,
  type NamedModel,
  serverSettings,
} from "../shared/platform/config/model-servers.ts";
import { type ModelTask, modelTasks } from "../shared/platform/telemetry/backend-uses.ts";
import { wholeNumber } from "./whole-number.ts";

/** A file has the list itself, a variable its JSON text. */
const listSetting = <List extends z.ZodType>(list: List) =>
  z.preprocess((given, context): unknown => {
    if (typeof given !== "string") return given;
    try {
      return JSON.parse(given);
    } catch {
      context.addIssue({ code: "custom", message: 'must be a list in JSON, such as [{"name": "gpu", …}]' });
      return z.NEVER;
    }
  }, list);

const address = z.url({
  protocol: /^https?$/,
  error: "must be an address such as https://models.example.org/v1",
});

const modelName = z.string().min(1, { error: "must not be empty" });

/** A file has the JSON value, a variable the text. */
const flag = z.union([z.boolean(), z.stringbool()], { error: "must be true or false" });

/** Far below the functions' own timeouts of 150 seconds and more, so a function can respond that a server is silent. */
const timeout = wholeNumber(1, 120_000);
const chatTimeout = timeout.default(60_000);

/** A file has a list, a variable a list in JSON or names with commas between them. */
const modelNames = z.preprocess(
  (given) =>
    typeof given === "string" && !given.trimStart().startsWith("[")
      ? given.split(",").map((name) => name.trim())
      : given,
  listSetting(chatModels()),
);

const usualNames = ["chat-14b", "chat-9b"] as const;

const profileName = z.string().min(1, { error: "must be the name of a profile" }).optional();

/** Where the models are, what their servers call them, and how long they may be silent. */
export const modelSettings = {
  /** Server of the chat models: any with the OpenAI HTTP API. Includes `/v1`. The short form of `CHAT_SERVERS` for one server. */
  CHAT_BASE_URL: address.optional(),
  /**
   * Servers of the chat models, which replace each other: a list of `{"name", "base_url", "models", "profile", "order", "weight",
   * "timeout_ms"}`, of which only the first two are required. The lowest `order` is called first, by `weight` within it.
   */
  CHAT_SERVERS: listSetting(chatServers()).optional(),
  /**
   * Names of the chat models on that server, in the order of the names that callers use, such as `qwen-14b,qwen-9b`; one name is that of
   * all. In a file it is a list, whose items may be `{"name", "profile"}`.
   */
  CHAT_MODELS: modelNames.default(usualNames.map((name) => ({ name }))),
  /** The short form of `CHAT_MODELS` for one model. */
  CHAT_MODEL: modelName.optional(),
  /** Up to version 2.8.0 these four said what `CHAT_MODELS` and profiles say now. */
  CHAT_MODEL_14B: modelName.optional(),
  CHAT_MODEL_9B: modelName.optional(),
  CHAT_MODEL_14B_THINKS_FIRST: flag.optional(),
  CHAT_MODEL_9B_THINKS_FIRST: flag.optional(),
  /** What the chat models expect, if it is not what most do: a profile of the service, or of `profiles.json` in the stage's folder. */
  CHAT_PROFILE: profileName,
  /** How long the chat server may stay silent. */
  CHAT_TIMEOUT_MS: chatTimeout,
  /** Server of the translation model; by default the chat server. Includes `/v1`. */
  TRANSLATION_BASE_URL: address.optional(),
  /** Servers of the translation model, like `CHAT_SERVERS` but with `model`; by default those of chat, with its last model. */
  TRANSLATION_SERVERS: listSetting(modelServers()).optional(),
  /** Name of the translation model; by default the last chat model. */
  TRANSLATION_MODEL: modelName.default(usualNames[1]),
  /** What the translation model expects, like `CHAT_PROFILE`. `instructed` requests translations as version 2.8.0 did. */
  TRANSLATION_PROFILE: profileName,
  /** How long the translation server may stay silent; by default `CHAT_TIMEOUT_MS`. */
  TRANSLATION_TIMEOUT_MS: chatTimeout,
  /** Server of the transcription model; by default the chat server. Includes `/v1`. */
  TRANSCRIPTION_BASE_URL: address.optional(),
  /** Servers of the transcription model, like `CHAT_SERVERS` but with `model`; by default those of chat. */
  TRANSCRIPTION_SERVERS: listSetting(modelServers()).optional(),
  /** Name of the transcription model. */
  TRANSCRIPTION_MODEL: modelName.default("stt-51"),
  /** What the transcription model expects, like `CHAT_PROFILE`. `iso639-3` names languages as version 2.8.0 did. */
  TRANSCRIPTION_PROFILE: profileName,
  /** Name of the model on that server that `whisper` of version 1 selects; by default there is none. */
  TRANSCRIPTION_ALTERNATIVE_MODEL: modelName.optional(),
  /**
   * How long the transcription server may take after it has received a recording: long ones take minutes. The function's timeout
   * is 290 seconds, because API Gateway's is 300.
   */
  TRANSCRIPTION_TIMEOUT_MS: wholeNumber(1, 270_000).default(240_000),
  /**
   * Server of a model that distinguishes speakers, where those of transcription do not: its turns are laid over their words. It speaks
   * the OpenAI HTTP API too (`diarized_json`), and includes `/v1`.
   */
  DIARIZATION_BASE_URL: address.optional(),
  /** Name of the model on that server. */
  DIARIZATION_MODEL: modelName.optional(),
  /** Server of the speech model; by default the chat server. Includes `/v1`. */
  SPEECH_BASE_URL: address.optional(),
  /** Servers of the speech model, like `CHAT_SERVERS` but with `model`; by default those of chat. */
  SPEECH_SERVERS: listSetting(modelServers()).optional(),
  /** Name of the speech model. */
  SPEECH_MODEL: modelName.default("tts-3b"),
  /** What the speech model expects, like `CHAT_PROFILE`. */
  SPEECH_PROFILE: profileName,
  /** The platform that responses of speech synthesis name. */
  SPEECH_PLATFORM: modelName.default("language-ai"),
  /** How long the speech server may stay silent; many are silent until they have spoken the whole text. */
  SPEECH_TIMEOUT_MS: timeout.default(120_000),
};

type ServerSettings = Partial<z.output<z.ZodObject<typeof modelSettings>>> & {
  readonly STREAM_DOMAIN_NAME?: string | undefined;
};

/** What decides how the servers of chat do other tasks. */
interface FillingOptions {
  /** Whether the stage names a model of translation. */
  readonly hasTranslationModel: boolean;
  /** The stage's own profiles: a server keeps its profile for the tasks that it is about. */
  readonly profiles?: StageCatalogue["profiles"];
}

type TextTask = Exclude<ModelTask, "chat">;

const textTasks = modelTasks.filter((task): task is TextTask => task !== "chat");

/** The settings of each chat model up to version 2.8.0. */
const earlierModels = [
  { name: "CHAT_MODEL_14B", thinksFirst: "CHAT_MODEL_14B_THINKS_FIRST" },
  { name: "CHAT_MODEL_9B", thinksFirst: "CHAT_MODEL_9B_THINKS_FIRST" },
] as const;

/** Settings of earlier versions, which still work, and what replaces them. */
export const replacedSettings: ReadonlyMap<string, string> = new Map(
  earlierModels.flatMap(({ name, thinksFirst }) => [
    [name, "CHAT_MODELS"],
    [thinksFirst, "a profile with thinks_first, such as thinks-first, in CHAT_PROFILE or CHAT_MODELS"],
  ]),
);

/** What makes a stage send what it sent with the version before. */
export const earlierProfiles: ReadonlyMap<string, string> = new Map([
  ["TRANSLATION_PROFILE", "instructed"],
  ["TRANSCRIPTION_PROFILE", "iso639-3"],
]);

type Given = Readonly<Record<string, unknown>>;

/** Settings that say what `CHAT_MODELS` says. */
export const otherModelSettings: readonly string[] = [
  "CHAT_MODEL",
  ...earlierModels.flatMap(({ name, thinksFirst }) => [name, thinksFirst]),
];

/**
 * Fills in the names of models that follow from others.
 *
 * @param given the settings as they were given
 * @throws Error for settings that say the same in two ways.
 */
export const fillInModels = (given: Given): Record<string, unknown> => {
  const other = otherModelSettings.find((name) => given[name] !== undefined);
  if (given["CHAT_MODELS"] !== undefined && other)
    throw new Error(`CHAT_MODELS and ${other} are both set: CHAT_MODELS replaces it, so remove ${other}.`);
  const earlier = earlierModels.map(({ name, thinksFirst }, index) => ({
    name: given[name] ?? given["CHAT_MODEL"] ?? usualNames[index],
    ...(flag.safeParse(given[thinksFirst]).data ? { profile: "thinks-first" } : {}),
  }));
  const { CHAT_MODELS = earlier } = given;
  const last = modelNames.safeParse(CHAT_MODELS).data?.at(-1)?.name;
  return { TRANSLATION_MODEL: last, ...given, CHAT_MODELS };
};

/** Why a setting that {@link fillInModels} filled in has its value: the settings that it follows from. */
export const sourceOfModels = (name: string, given: Given): string | undefined => {
  const others = otherModelSettings.filter((other) => given[other] !== undefined);
  if (name === "TRANSLATION_MODEL" && given["CHAT_MODELS"] !== undefined) return "as CHAT_MODELS";
  const isFilled = name === "CHAT_MODELS" || name === "TRANSLATION_MODEL";
  return isFilled && others.length > 0 ? `as ${others.join(", ")}` : undefined;
};

/**
 * The servers of tasks that have none of their own: those of chat, which translate with their last model unless another one is
 * named. A transcription may take longer than a server's replies, so audio keeps its own timeouts.
 */
const serversOfChat = (
  servers: ChatServers,
  task: TextTask,
  { hasTranslationModel, profiles }: FillingOptions,
): ModelServers => {
  const convert = ({ models, timeout_ms, profile, ...server }: ChatServers[number]): ModelServers[number] => {
    const model = hasTranslationModel ? undefined : models?.at(-1)?.name;
    const isForTask = profile !== undefined && task in (findProfile(profile, profiles ?? {}) ?? {});
    return {
      ...server,
      ...(isForTask ? { profile } : {}),
      ...(task === "translation" && timeout_ms !== undefined ? { timeout_ms } : {}),
      ...(task === "translation" && model !== undefined ? { model } : {}),
    };
  };
  const [first, ...others] = servers;
  return [convert(first), ...others.map(convert)];
};

/** Fills in the lists of tasks that use the servers of chat. */
export const fillInServers = <Settings extends ServerSettings>(
  settings: Settings,
  options: FillingOptions,
): Settings => {
  const { CHAT_SERVERS: servers } = settings;
  if (!servers) return settings;
  const missing = textTasks.filter((task) => {
    const { list, baseUrl } = serverSettings[task];
    return settings[list] === undefined && settings[baseUrl] === undefined;
  });
  const filled = missing.map((task) => [serverSettings[task].list, serversOfChat(servers, task, options)]);
  return { ...settings, ...Object.fromEntries(filled) };
};

/** In milliseconds; the functions' own timeouts leave no more. */
const maxTimeouts: Readonly<Record<ModelTask, number>> = {
  chat: 120_000,
  translation: 120_000,
  transcription: 270_000,
  speech: 120_000,
};

/** CloudFront waits two minutes for a response. */
const maxBehindCloudFront = 115_000;

/** The variables of a function have at most 4,096 bytes together, and those of the operators' pages without lists at most 2,600. */
const maxCharacters = 1_300;

/** A model of chat as short as a list may have it. */
const shortModel = ({ name, profile }: NamedModel) =>
  profile === undefined && name ? name : { name, profile };

/** A list as a variable of functions, without what is a default there. */
export const listText = (list: ChatServers | ModelServers | ChatModelList): string =>
  JSON.stringify(
    list.map((item: ChatServers[number] | ModelServers[number] | ChatModelList[number]) => {
      if (!("base_url" in item)) return shortModel(item);
      const { order, weight, ...server } = item;
      return {
        ...server,
        ...("models" in server && server.models ? { models: server.models.map(shortModel) } : {}),
        ...(order === 1 ? {} : { order }),
        ...(weight === 1 ? {} : { weight }),
      };
    }),
  );

/** Reports servers that do not fit together, or into the variables of a function. */
export const checkModelServers = (settings: ServerSettings, context: z.RefinementCtx): void => {
  const report = (setting: string, message: string) =>
    context.addIssue({ code: "custom", path: [setting], message });
  for (const task of modelTasks) {
    const { list, baseUrl } = serverSettings[task];
    const servers: readonly { readonly timeout_ms?: number | undefined }[] = settings[list] ?? [];
    if (servers.length > 0 && settings[baseUrl] !== undefined) report(list, bothFormsOf(task));
    const isBehindCloudFront = task === "chat" && settings.STREAM_DOMAIN_NAME !== undefined;
    const maxTimeout = isBehindCloudFront ? maxBehindCloudFront : maxTimeouts[task];
    if (servers.some(({ timeout_ms = 0 }) => timeout_ms > maxTimeout))
      report(list, `each timeout_ms must be at most ${maxTimeout}`);
  }
  const filled = fillInServers(settings, { hasTranslationModel: false });
  const characters = modelTasks
    .map((task) => filled[serverSettings[task].list])
    .reduce((sum, servers) => sum + (servers ? listText(servers).length : 0), 0);
  const given = modelTasks.find((task) => settings[serverSettings[task].list]);
  if (given && characters > maxCharacters) {
    report(
      serverSettings[given].list,
      `all lists of servers together, with those that are the servers of chat, must be at most ${maxCharacters} ` +
        `characters of JSON; they are ${characters}. A task has its own, shorter list if you set one`,
    );
  }
};
