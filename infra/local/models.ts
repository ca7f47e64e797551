import { isFromAnotherSite, isFromThisMachine } from "@language-ai/aws-stand-ins";
import { sampleModels, startSampleInference } from "@language-ai/sample-models";
import * as z from "zod";
import { synthesisLanguagesWith } from "../../shared/platform/catalogue/voices.ts";
import { type ModelTask, modelTasks } from "../../shared/platform/telemetry/backend-uses.ts";
import type { StageSettings } from "../stage-settings.ts";
import { checkLocalVariables, localStage, type Stage } from "../stages.ts";
import type { LocalSettings } from "./settings.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The settings with the server of each task, its key and its models. */
const settingNames = {
  chat: { key: "CHAT_API_KEY", baseUrl: "CHAT_BASE_URL", models: ["CHAT_MODEL_14B", "CHAT_MODEL_9B"] },
  translation: {
    key: "TRANSLATION_API_KEY",
    baseUrl: "TRANSLATION_BASE_URL",
    models: ["TRANSLATION_MODEL"],
  },
  transcription: {
    key: "TRANSCRIPTION_API_KEY",
    baseUrl: "TRANSCRIPTION_BASE_URL",
    models: ["TRANSCRIPTION_MODEL"],
  },
  speech: { key: "SPEECH_API_KEY", baseUrl: "SPEECH_BASE_URL", models: ["SPEECH_MODEL"] },
} as const satisfies Record<ModelTask, unknown>;

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

/** Warnings about servers that do not respond, and about models that servers do not have. */
const warningsOf = (settings: StageSettings, listings: ReadonlyMap<string, Listing>): string[] => {
  const silent = [...listings].flatMap(([url, listing]) =>
    "problem" in listing ? [`The server at ${url} ${listing.problem}.`] : [],
  );
  const unknown = modelTasks.flatMap((task) => {
    const baseUrl = settings[settingNames[task].baseUrl];
    const listing = listings.get(baseUrl);
    if (!listing || "problem" in listing) return [];
    const names = listing.names.length > 0 ? listing.names.join(", ") : "none";
    const { models } = settingNames[task];
    return [...models, ...(task === "transcription" ? [alternativeModel] : [])].flatMap((setting) => {
      const model = settings[setting];
      return model === undefined || isListed(model, listing.names)
        ? []
        : `The server at ${baseUrl} has no model '${model}' for ${task} (it has ${names}). Set ${setting}, or requests may fail with 502.`;
    });
  });
  return [...silent, ...unknown];
};

/** The servers with their tasks, in the order of the tasks. */
const serversOf = (settings: StageSettings, sampleUrl: string | undefined): Models["servers"] =>
  [...Map.groupBy(modelTasks, (task): string => settings[settingNames[task].baseUrl])].map(
    ([url, tasks]) => ({ url, tasks, isSample: url === sampleUrl }),
  );

/** Whether the chat server does an audio task too: the variables say so, or it lists the model. */
const isOnChatServer = (task: AudioTask, variables: Variables, listing: Listing): boolean => {
  const { baseUrl, models } = settingNames[task];
  if (variables[baseUrl] || models.some((setting) => variables[setting])) return true;
  const { settings } = localStage(variables);
  return "names" in listing && models.every((setting) => isListed(settings[setting], listing.names));
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

const startSampleModels = async (port: number, variables: Variables): Promise<Models> => {
  const sample = await startSampleServer(port, variables);
  const chosen = {
    CHAT_MODEL_14B: sampleModels.model14b,
    CHAT_MODEL_9B: sampleModels.model9b,
    SPEECH_MODEL: sampleModels.speech,
    TRANSCRIPTION_MODEL: sampleModels.transcription,
    ...variables,
    CHAT_BASE_URL: sample.baseUrl,
  };
  const { settings } = localStage(chosen);
  return {
    variables: chosen,
    servers: serversOf(settings, sample.baseUrl),
    warnings: warningsOf(settings, new Map([[sample.baseUrl, sampleListing]])),
    close: () => sample.close(),
  };
};

/**
 * Starts the sample server for the tasks that no other server does. Without `CHAT_BASE_URL` these are all tasks; with it, speech
 * and transcription if the chat server has no models for them.
 */
export const startModels = async (
  local: LocalSettings,
  port: number,
  variables: Variables,
): Promise<Models> => {
  const { CHAT_BASE_URL: chatBaseUrl } = local;
  if (!chatBaseUrl) return startSampleModels(port, variables);
  const chatListing = await listModels(chatBaseUrl, local.CHAT_API_KEY);
  const sampleTasks = audioTasks.filter((task) => !isOnChatServer(task, variables, chatListing));
  const sample = sampleTasks.length > 0 ? await startSampleServer(port, variables) : undefined;
  const chosen = {
    ...variables,
    ...Object.fromEntries(
      sampleTasks.flatMap((task) => [
        [settingNames[task].baseUrl, sample?.baseUrl],
        ...settingNames[task].models.map((setting) => [setting, sampleModels[task]]),
      ]),
    ),
  };
  const { settings } = localStage(chosen);
  const servers = serversOf(settings, sample?.baseUrl);
  const listings = servers.map(async ({ url, isSample, tasks: [task = "chat"] }) => {
    const known = isSample ? sampleListing : url === chatBaseUrl && chatListing;
    return [url, known || (await listModels(url, local[settingNames[task].key]))] as const;
  });
  return {
    variables: chosen,
    servers,
    warnings: warningsOf(settings, new Map(await Promise.all(listings))),
    close: async () => sample?.close(),
  };
};
