import { isFromAnotherSite, isFromThisMachine } from "@language-ai/aws-stand-ins";
import { sampleModels, startSampleInference } from "@language-ai/sample-models";
import { synthesisLanguagesWith } from "../../shared/platform/catalogue/voices.ts";
import {
  type ChatServers,
  diarizerName,
  keyVariable,
  type ModelServers,
  serverSettings,
} from "../../shared/platform/config/model-servers.ts";
import { type ModelTask, modelTasks } from "../../shared/platform/telemetry/backend-uses.ts";
import { otherModelSettings } from "../model-settings.ts";
import type { StageSettings } from "../stage-settings.ts";
import { checkLocalVariables, localStage, type Stage } from "../stages.ts";
import { type StageServer, warningsOf } from "./check-models.ts";
import { type FoundModel, findModels, variablesOf } from "./found-models.ts";
import {
  isListed,
  listServerModels,
  type ModelListing,
  namedBy,
  nameModel,
  nameSettings,
  usableModels,
} from "./model-listing.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The model servers of the local stage. */
export interface Models {
  /** The stage's variables: the given ones, and those of servers that were found and of the sample server. */
  readonly variables: Variables;
  readonly servers: readonly {
    readonly url: string;
    readonly isSample: boolean;
    readonly tasks: readonly ModelTask[];
  }[];
  /** What was found on this machine. */
  readonly found: readonly FoundModel[];
  /** By the servers' names. A server without a key gets requests without one. */
  readonly keys: Readonly<Record<string, string | undefined>>;
  /** A sentence for each problem that would make requests fail. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** The setting with the second model of transcription, which may be absent. */
const alternativeModel = "TRANSCRIPTION_ALTERNATIVE_MODEL" as const;

/** The setting that names the model of a task: that of chat, where translation uses chat's last model. */
const settingOf = (task: ModelTask, variables: Variables): string => {
  const own = namedBy(task, variables);
  if (own) return own;
  const isChats = task === "translation" && !variables[serverSettings.translation.baseUrl];
  return isChats ? settingOf("chat", variables) : nameSettings[task];
};

/** The names of a task's models, each with the setting that has it. */
const namesOf = (settings: StageSettings, task: ModelTask, variables: Variables): [string, string][] => {
  const names =
    task === "chat" ? settings.CHAT_MODELS.map(({ name }) => name) : [settings[nameSettings[task]]];
  return [...new Set(names)].map((name) => [settingOf(task, variables), name]);
};

/** The setting with the address of a task's server: that of chat, where the task has none of its own. */
const addressSetting = (task: ModelTask, variables: Variables): string => {
  const { list, baseUrl } = serverSettings[task];
  const own = [baseUrl, list].find((setting) => variables[setting]);
  return own ?? (task === "chat" ? baseUrl : addressSetting("chat", variables));
};

/** The servers of a task's list, or the only one. */
const serversOfTask = (settings: StageSettings, task: ModelTask, variables: Variables): StageServer[] => {
  const { list, baseUrl, profile: profileSetting } = serverSettings[task];
  const usual = namesOf(settings, task, variables);
  const alternative = task === "transcription" ? settings[alternativeModel] : undefined;
  const others = alternative === undefined ? [] : [[alternativeModel, alternative] as const];
  const url = settings[baseUrl];
  const listed: readonly (ChatServers | ModelServers)[number][] = settings[list] ?? [];
  const setting = addressSetting(task, variables);
  const withKey = (name: string, server: Omit<StageServer, "key" | "keyVariable" | "task" | "setting">) => {
    const variable = keyVariable(name);
    return { ...server, task, setting, keyVariable: variable, key: variables[variable] || undefined };
  };
  const models = [...usual, ...others];
  const stageProfile = settings[profileSetting];
  return [
    ...(url === undefined ? [] : [withKey(task, { url, models, profile: stageProfile })]),
    ...listed.map((server) => {
      const own = "models" in server ? server.models : "model" in server ? [{ name: server.model }] : [];
      const named = (own ?? []).flatMap(({ name }) => (name === undefined ? [] : [[list, name] as const]));
      return withKey(server.name, {
        url: server.base_url,
        models: [...(named.length === 0 ? usual : named), ...others],
        profile: server.profile ?? stageProfile,
      });
    }),
  ];
};

/** The keys of the stage's servers by their names, as in the secret of a deployment. */
const keysOf = (settings: StageSettings, variables: Variables): Models["keys"] => {
  const listed = modelTasks.flatMap((task) => settings[serverSettings[task].list] ?? []);
  const names = [...modelTasks, diarizerName, ...listed.map(({ name }) => name)];
  return Object.fromEntries(names.map((name) => [name, variables[keyVariable(name)] || undefined]));
};

/** The servers with their tasks, in the order of the tasks. */
const withTasks = (servers: readonly StageServer[], sampleUrl: string | undefined): Models["servers"] =>
  [...Map.groupBy(servers, ({ url }) => url)].map(([url, same]) => ({
    url,
    tasks: [...new Set(same.map(({ task }) => task))],
    isSample: url === sampleUrl,
  }));

/** The voices of the stage, by the names that the service sends to a model's server. */
const modelVoices = ({ catalogue }: Stage) => {
  const names = new Map(catalogue.voices?.voices.map(({ tag, model_voice: name }) => [tag, name]));
  return synthesisLanguagesWith(catalogue).map(({ code, voices }) => ({
    code,
    voices: voices.map((tag) => names.get(tag) ?? tag),
  }));
};

/** A key belongs to an origin: whether a server elsewhere needs one is for a person to say. */
const requireOwnKey = (variables: Variables): void => {
  const { baseUrl: setting } = serverSettings.translation;
  const [url, chatUrl] = [variables[setting], variables[serverSettings.chat.baseUrl]];
  const [own, chats] = [variables[keyVariable("translation")], variables[keyVariable("chat")]];
  if (!url || own || !chats || chats === "none") return;
  if (chatUrl && new URL(url).origin === new URL(chatUrl).origin) return;
  throw new Error(
    `${setting} is at another origin than the server of chat, whose key it does not get. Set ${keyVariable("translation")} to its own, ` +
      "or to none if it needs none.",
  );
};

const startSampleServer = (port: number, variables: Variables) =>
  startSampleInference({
    port,
    voices: modelVoices(checkLocalVariables(variables)),
    isAllowed: (request) => isFromThisMachine(request) && !isFromAnotherSite(request),
  });

/** The models of the sample server by their settings. */
const sampleNames: Readonly<Record<ModelTask, Variables>> = {
  chat: {
    CHAT_MODELS: `${sampleModels.model14b},${sampleModels.model9b}`,
    ...Object.fromEntries(otherModelSettings.map((name) => [name, ""])),
  },
  translation: { TRANSLATION_MODEL: sampleModels.model9b },
  transcription: { TRANSCRIPTION_MODEL: sampleModels.transcription },
  speech: { SPEECH_MODEL: sampleModels.speech },
};

/** The variables of a task that the sample server does. */
const sampleVariables = (task: ModelTask, baseUrl: string): Variables => ({
  [serverSettings[task].baseUrl]: baseUrl,
  [serverSettings[task].profile]: "sample",
  ...sampleNames[task],
});

const hasOwnServer = (task: ModelTask, variables: Variables): boolean =>
  [serverSettings[task].list, serverSettings[task].baseUrl].some((setting) => variables[setting]);

/** Asks each server once for its models. */
const createListings = () => {
  const known = new Map<string, Promise<ModelListing>>();
  return (url: string, key: string | undefined): Promise<ModelListing> => {
    const listing = known.get(url) ?? listServerModels(url, { key });
    known.set(url, listing);
    return listing;
  };
};
type ListingOf = ReturnType<typeof createListings>;

/**
 * The tasks that no other server does. Without servers of chat these are all without servers of their own; with some, speech and
 * transcription if the first of them has no models for these.
 */
const sampleTasks = async (variables: Variables, listingOf: ListingOf): Promise<ModelTask[]> => {
  const tasks = modelTasks.filter((task) => !hasOwnServer(task, variables));
  if (tasks.includes("chat")) return tasks;
  const { settings } = localStage(variables);
  const [chat] = serversOfTask(settings, "chat", variables);
  const listing = await listingOf(chat?.url ?? "", chat?.key);
  return tasks.filter((task) => {
    if (task === "chat" || task === "translation" || namedBy(task, variables)) return false;
    return !("names" in listing && isListed(settings[nameSettings[task]], listing.names));
  });
};

/** The names of models that a person left out, of servers that have only one. */
const onlyModels = async (variables: Variables, listingOf: ListingOf): Promise<Variables> => {
  const tasks = modelTasks.filter((task) => variables[serverSettings[task].baseUrl]);
  const named = tasks.map(async (task) => {
    const url = variables[serverSettings[task].baseUrl] ?? "";
    const listing = await listingOf(url, variables[keyVariable(task)]);
    const [only, ...others] = "names" in listing ? usableModels(listing.names) : [];
    return only === undefined || others.length > 0 ? {} : nameModel(task, only, variables);
  });
  return Object.assign({}, ...(await Promise.all(named)));
};

/**
 * Starts the sample server for the tasks that no other server does: neither one that the variables name, nor one that was found on this
 * machine. A name that a person left out is that of a server's only model.
 *
 * @param ports where to look for servers, if not at the usual ports
 */
export const startModels = async (
  port: number,
  given: Variables,
  ports?: readonly number[],
): Promise<Models> => {
  requireOwnKey(given);
  const found = await findModels(given, ports);
  const listingOf = createListings();
  const addressed = { ...given, ...variablesOf(found, given) };
  const named = { ...addressed, ...(await onlyModels(addressed, listingOf)) };
  const tasks = await sampleTasks(named, listingOf);
  const sample = tasks.length > 0 ? await startSampleServer(port, named) : undefined;
  const variables: Variables = Object.assign(
    {},
    named,
    ...(sample ? tasks.map((task) => sampleVariables(task, sample.baseUrl)) : []),
  );
  const stage = localStage(variables);
  const servers = modelTasks.flatMap((task) => serversOfTask(stage.settings, task, variables));
  const isSample = (url: string): boolean => url === sample?.baseUrl;
  const listings = servers.map(async ({ url, key }): Promise<[string, ModelListing]> => {
    if (isSample(url)) return [url, { names: Object.values(sampleModels) }];
    return [url, await listingOf(url, key)];
  });
  return {
    variables,
    found,
    keys: keysOf(stage.settings, variables),
    servers: withTasks(servers, sample?.baseUrl),
    warnings: await warningsOf({
      stage,
      servers,
      listings: new Map(await Promise.all(listings)),
      voices: modelVoices(stage).flatMap(({ voices }) => voices),
      isSample,
    }),
    close: async () => sample?.close(),
  };
};
