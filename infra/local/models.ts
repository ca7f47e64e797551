import { isFromAnotherSite, isFromThisMachine } from "@language-ai/aws-stand-ins";
import { sampleModels, startSampleInference } from "@language-ai/sample-models";
import * as z from "zod";
import { synthesisLanguagesWith } from "../../shared/platform/catalogue/voices.ts";
import {
  type ChatServers,
  keyVariable,
  type ModelServers,
  serverSettings,
} from "../../shared/platform/config/model-servers.ts";
import { type ModelTask, modelTasks } from "../../shared/platform/telemetry/backend-uses.ts";
import { otherModelSettings } from "../model-settings.ts";
import type { SettingName, StageSettings } from "../stage-settings.ts";
import { checkLocalVariables, localStage, type Stage } from "../stages.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The setting with the names of each task's models, when it has only one server. */
const modelSettings = {
  chat: "CHAT_MODELS",
  translation: "TRANSLATION_MODEL",
  transcription: "TRANSCRIPTION_MODEL",
  speech: "SPEECH_MODEL",
} as const satisfies Record<ModelTask, SettingName>;

/** The names of a task's models, each with the setting that has it. */
const namesOf = (settings: StageSettings, task: ModelTask): [setting: SettingName, model: string][] => {
  if (task !== "chat") return [[modelSettings[task], settings[modelSettings[task]]]];
  const setting = settings.CHAT_MODEL === undefined ? "CHAT_MODELS" : "CHAT_MODEL";
  return [...new Set(settings.CHAT_MODELS.map(({ name }) => name))].map((name) => [setting, name]);
};

/** The setting with the second model of transcription, which may be absent. */
const alternativeModel = "TRANSCRIPTION_ALTERNATIVE_MODEL" as const;

/** The tasks that few chat servers also do. */
const audioTasks = ["transcription", "speech"] as const;
type AudioTask = (typeof audioTasks)[number];

/** The model servers of the local stage. */
export interface Models {
  /** The stage's variables: the given ones, and those of the sample server. */
  readonly variables: Variables;
  readonly servers: readonly {
    readonly url: string;
    readonly isSample: boolean;
    readonly tasks: readonly ModelTask[];
  }[];
  /** By the servers' names. A server without a key gets requests without one. */
  readonly keys: Readonly<Record<string, string | undefined>>;
  /** A sentence for each problem that would make requests fail. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

const listingMilliseconds = 3_000;

/** The names of a server's models, or why they are not known. */
type Listing = { readonly names: readonly string[] } | { readonly problem: string };

const listModels = async (baseUrl: string, key: string | undefined): Promise<Listing> => {
  try {
    const response = await fetch(`${baseUrl.replace(/\/$/, "")}/models`, {
      headers: key ? { Authorization: `Bearer ${key}` } : {},
      signal: AbortSignal.timeout(listingMilliseconds),
    });
    const list = response.ok ? modelList.safeParse(await response.json()).data : undefined;
    return list
      ? { names: list.data.map(({ id }) => id) }
      : { problem: `does not list its models (status ${response.status})` };
  } catch {
    return { problem: "does not respond" };
  }
};

const sampleListing: Listing = { names: Object.values(sampleModels) };

/** Ollama lists every model with a tag, and takes a name without one for the tag `latest`. */
const isListed = (model: string, names: readonly string[]): boolean =>
  names.includes(model) || names.includes(`${model}:latest`);

/** A server of a task, the variable with its key, and its names for the task's models. */
interface TaskServer {
  readonly task: ModelTask;
  readonly url: string;
  readonly keyVariable: string;
  /** By the settings that name them. */
  readonly models: readonly (readonly [setting: string, model: string])[];
}

/** The servers of a task's list, or the only one. */
const serversOfTask = (settings: StageSettings, task: ModelTask): TaskServer[] => {
  const { list, baseUrl } = serverSettings[task];
  const usual = namesOf(settings, task);
  const alternative = task === "transcription" ? settings[alternativeModel] : undefined;
  const others = alternative === undefined ? [] : [[alternativeModel, alternative] as const];
  const url = settings[baseUrl];
  const listed: readonly (ChatServers | ModelServers)[number][] = settings[list] ?? [];
  return [
    ...(url === undefined
      ? []
      : [{ task, url, keyVariable: keyVariable(task), models: [...usual, ...others] }]),
    ...listed.map((server) => {
      const own = "models" in server ? server.models : "model" in server ? [{ name: server.model }] : [];
      const named = (own ?? []).flatMap(({ name }) => (name === undefined ? [] : [[list, name] as const]));
      const models = [...(named.length === 0 ? usual : named), ...others];
      return { task, url: server.base_url, keyVariable: keyVariable(server.name), models };
    }),
  ];
};

const serversOfStage = (settings: StageSettings): TaskServer[] =>
  modelTasks.flatMap((task) => serversOfTask(settings, task));

/** The keys of the stage's servers by their names, as in the secret of a deployment. */
const keysOf = (settings: StageSettings, variables: Variables): Models["keys"] => {
  const listed = modelTasks.flatMap((task) => settings[serverSettings[task].list] ?? []);
  const names = [...modelTasks, ...listed.map(({ name }) => name)];
  return Object.fromEntries(names.map((name) => [name, variables[keyVariable(name)] || undefined]));
};

/** Warnings about servers that do not respond, and about models that servers do not have. */
const warningsOf = (servers: readonly TaskServer[], listings: ReadonlyMap<string, Listing>): string[] => {
  const silent = [...listings].flatMap(([url, listing]) =>
    "problem" in listing ? [`The server at ${url} ${listing.problem}.`] : [],
  );
  const unknown = servers.flatMap(({ task, url, models }) => {
    const listing = listings.get(url);
    if (!listing || "problem" in listing) return [];
    const names = listing.names.length > 0 ? listing.names.join(", ") : "none";
    return models.flatMap(([setting, model]) =>
      isListed(model, listing.names)
        ? []
        : `The server at ${url} has no model '${model}' for ${task} (it has ${names}). Set ${setting}, or requests may fail with 502.`,
    );
  });
  return [...silent, ...unknown];
};

/** The servers with their tasks, in the order of the tasks. */
const withTasks = (servers: readonly TaskServer[], sampleUrl: string | undefined): Models["servers"] =>
  [...Map.groupBy(servers, ({ url }) => url)].map(([url, same]) => ({
    url,
    tasks: [...new Set(same.map(({ task }) => task))],
    isSample: url === sampleUrl,
  }));

/** Whether a chat server does an audio task too: the variables say so, or it lists the model. */
const isOnChatServer = (task: AudioTask, variables: Variables, listing: Listing): boolean => {
  const { list, baseUrl } = serverSettings[task];
  if ([list, baseUrl, modelSettings[task]].some((setting) => variables[setting])) return true;
  const { settings } = localStage(variables);
  return "names" in listing && isListed(settings[modelSettings[task]], listing.names);
};

/** The voices of the stage, by the names that the service sends to a model's server. */
const modelVoices = ({ catalogue }: Stage) => {
  const names = new Map(catalogue.voices?.voices.map(({ tag, model_voice: name }) => [tag, name]));
  return synthesisLanguagesWith(catalogue).map(({ code, voices }) => ({
    code,
    voices: voices.map((tag) => names.get(tag) ?? tag),
  }));
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
const sampleVariables = (task: ModelTask, { baseUrl }: { readonly baseUrl: string }): Variables => ({
  [serverSettings[task].baseUrl]: baseUrl,
  [serverSettings[task].profile]: "sample",
  ...sampleNames[task],
});

const startSampleModels = async (port: number, variables: Variables): Promise<Models> => {
  const sample = await startSampleServer(port, variables);
  const isOwn = (task: ModelTask): boolean =>
    [serverSettings[task].list, serverSettings[task].baseUrl].some((setting) => variables[setting]);
  const tasks = modelTasks.filter((task) => !isOwn(task));
  const chosen: Variables = Object.assign(
    {},
    variables,
    ...tasks.map((task) => sampleVariables(task, sample)),
  );
  const { settings } = localStage(chosen);
  const servers = serversOfStage(settings);
  return {
    variables: chosen,
    keys: keysOf(settings, chosen),
    servers: withTasks(servers, sample.baseUrl),
    warnings: warningsOf(servers, new Map([[sample.baseUrl, sampleListing]])),
    close: () => sample.close(),
  };
};

/**
 * Starts the sample server for the tasks that no other server does. Without servers of chat these are all tasks; with some, speech and
 * transcription if the first of them has no models for these.
 */
export const startModels = async (port: number, variables: Variables): Promise<Models> => {
  if (!variables["CHAT_BASE_URL"] && !variables["CHAT_SERVERS"]) return startSampleModels(port, variables);
  const [chat] = serversOfTask(localStage(variables).settings, "chat");
  const chatListing = await listModels(chat?.url ?? "", variables[chat?.keyVariable ?? ""]);
  const sampleTasks = audioTasks.filter((task) => !isOnChatServer(task, variables, chatListing));
  const sample = sampleTasks.length > 0 ? await startSampleServer(port, variables) : undefined;
  const chosen: Variables = Object.assign(
    {},
    variables,
    ...(sample ? sampleTasks.map((task) => sampleVariables(task, sample)) : []),
  );
  const { settings } = localStage(chosen);
  const servers = serversOfStage(settings);
  const byUrl = Map.groupBy(servers, ({ url }) => url);
  const listings = [...byUrl].map(async ([url, [first]]) => {
    const known = url === sample?.baseUrl ? sampleListing : url === chat?.url && chatListing;
    return [url, known || (await listModels(url, variables[first?.keyVariable ?? ""]))] as const;
  });
  return {
    variables: chosen,
    keys: keysOf(settings, chosen),
    servers: withTasks(servers, sample?.baseUrl),
    warnings: warningsOf(servers, new Map(await Promise.all(listings))),
    close: async () => sample?.close(),
  };
};
