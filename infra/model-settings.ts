import * as z from "zod";
import {
  bothFormsOf,
  type ChatServers,
  chatServers,
  type ModelServers,
  modelServers,
  serverSettings,
} from "../shared/platform/config/model-servers.ts";
import { type ModelTask, modelTasks } from "../shared/platform/telemetry/backend-uses.ts";
import { wholeNumber } from "./whole-number.ts";

/** A file has the list itself, a variable its JSON text. */
const serverList = <List extends z.ZodType>(list: List) =>
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

const smallerModel = "chat-9b";

/** Where the models are, what their servers call them, and how long they may be silent. */
export const modelSettings = {
  /** Server of the chat models: any with the OpenAI HTTP API. Includes `/v1`. The short form of `CHAT_SERVERS` for one server. */
  CHAT_BASE_URL: address.optional(),
  /**
   * Servers of the chat models, which replace each other: a list of `{"name", "base_url", "model_14b", "model_9b", "order",
   * "weight", "timeout_ms"}`, of which only the first two are required. The lowest `order` is called first, by `weight` within it.
   */
  CHAT_SERVERS: serverList(chatServers).optional(),
  /** Name of the chat model on that server, when one model serves as both. */
  CHAT_MODEL: modelName.optional(),
  /** Name of the larger chat model on that server; by default `CHAT_MODEL`. */
  CHAT_MODEL_14B: modelName.default("chat-14b"),
  /** Name of the smaller chat model on that server; by default `CHAT_MODEL`. */
  CHAT_MODEL_9B: modelName.default(smallerModel),
  /**
   * `true` if the larger chat model starts inside a thought and marks only its end (`</think>`), as DeepSeek-R1 and some Qwen
   * models do behind a server without a parser for it. Streams then wait for that end.
   */
  CHAT_MODEL_14B_THINKS_FIRST: flag.default(false),
  /** The same for the smaller chat model. */
  CHAT_MODEL_9B_THINKS_FIRST: flag.default(false),
  /** How long the chat server may stay silent. */
  CHAT_TIMEOUT_MS: chatTimeout,
  /** Server of the translation model; by default the chat server. Includes `/v1`. */
  TRANSLATION_BASE_URL: address.optional(),
  /** Servers of the translation model, like `CHAT_SERVERS` but with `model`; by default those of chat, with its smaller model. */
  TRANSLATION_SERVERS: serverList(modelServers).optional(),
  /** Name of the translation model; by default the smaller chat model. */
  TRANSLATION_MODEL: modelName.default(smallerModel),
  /** How long the translation server may stay silent; by default `CHAT_TIMEOUT_MS`. */
  TRANSLATION_TIMEOUT_MS: chatTimeout,
  /** Server of the transcription model; by default the chat server. Includes `/v1`. */
  TRANSCRIPTION_BASE_URL: address.optional(),
  /** Servers of the transcription model, like `CHAT_SERVERS` but with `model`; by default those of chat. */
  TRANSCRIPTION_SERVERS: serverList(modelServers).optional(),
  /** Name of the transcription model. */
  TRANSCRIPTION_MODEL: modelName.default("stt-51"),
  /** Name of the model on that server that `whisper` of version 1 selects; by default there is none. */
  TRANSCRIPTION_ALTERNATIVE_MODEL: modelName.optional(),
  /**
   * How long the transcription server may take after it has received a recording: long ones take minutes. The function's timeout
   * is 290 seconds, because API Gateway's is 300.
   */
  TRANSCRIPTION_TIMEOUT_MS: wholeNumber(1, 270_000).default(240_000),
  /** Server of the speech model; by default the chat server. Includes `/v1`. */
  SPEECH_BASE_URL: address.optional(),
  /** Servers of the speech model, like `CHAT_SERVERS` but with `model`; by default those of chat. */
  SPEECH_SERVERS: serverList(modelServers).optional(),
  /** Name of the speech model. */
  SPEECH_MODEL: modelName.default("tts-3b"),
  /** The platform that responses of speech synthesis name. */
  SPEECH_PLATFORM: modelName.default("language-ai"),
  /** How long the speech server may stay silent; many are silent until they have spoken the whole text. */
  SPEECH_TIMEOUT_MS: timeout.default(120_000),
};

type ServerSettings = Partial<z.output<z.ZodObject<typeof modelSettings>>> & {
  readonly STREAM_DOMAIN_NAME?: string | undefined;
};

type TextTask = Exclude<ModelTask, "chat">;

const textTasks = modelTasks.filter((task): task is TextTask => task !== "chat");

/**
 * The servers of tasks that have none of their own: those of chat, which translate with their smaller model unless another one is
 * named. A transcription may take longer than a server's replies, so audio keeps its own timeouts.
 */
const serversOfChat = (servers: ChatServers, task: TextTask, hasModel: boolean): ModelServers => {
  const convert = ({ model_14b: _, model_9b: model, timeout_ms, ...server }: ChatServers[number]) => ({
    ...server,
    ...(task === "translation" && timeout_ms !== undefined ? { timeout_ms } : {}),
    ...(task === "translation" && !hasModel && model !== undefined ? { model } : {}),
  });
  const [first, ...others] = servers;
  return [convert(first), ...others.map(convert)];
};

/** Fills in the lists of tasks that use the servers of chat. @param hasTranslationModel whether the stage names a model for it. */
export const fillInServers = <Settings extends ServerSettings>(
  settings: Settings,
  hasTranslationModel: boolean,
): Settings => {
  const { CHAT_SERVERS: servers } = settings;
  if (!servers) return settings;
  const missing = textTasks.filter((task) => {
    const { list, baseUrl } = serverSettings[task];
    return settings[list] === undefined && settings[baseUrl] === undefined;
  });
  const filled = missing.map((task) => [
    serverSettings[task].list,
    serversOfChat(servers, task, hasTranslationModel),
  ]);
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

/** The variables of a function have at most 4,096 bytes together, and those of the console without lists about 2,600. */
const maxCharacters = 1_300;

/** A list as a variable of functions, without what is a default there. */
export const listText = (servers: ChatServers | ModelServers): string =>
  JSON.stringify(
    servers.map(({ order, weight, ...server }) => ({
      ...server,
      ...(order === 1 ? {} : { order }),
      ...(weight === 1 ? {} : { weight }),
    })),
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
  const filled = fillInServers(settings, false);
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
