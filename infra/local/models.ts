import { sampleModels, startSampleInference } from "@language-ai/sample-models";
import * as z from "zod";
import { synthesisLanguages } from "../../shared/platform/catalogue/voices.ts";
import { localStage } from "../stages.ts";
import type { LocalSettings } from "./settings.ts";

type Variables = Readonly<Record<string, string | undefined>>;
type Inference = ReturnType<typeof localStage>["inference"];
type Task = keyof Inference;

/** What no chat server does by itself, with the variables that name another server or model for it. */
const audioTasks = ["transcription", "speech"] as const;
type AudioTask = (typeof audioTasks)[number];

const variablesOf: Readonly<Record<AudioTask, { readonly baseUrl: string; readonly model: string }>> = {
  transcription: { baseUrl: "TRANSCRIPTION_BASE_URL", model: "TRANSCRIPTION_MODEL" },
  speech: { baseUrl: "SPEECH_BASE_URL", model: "SPEECH_MODEL" },
};

/** A model by the name that the stage has for it, and the variable that says so. */
const namedModels = ({ chat, translation, transcription, speech }: Inference) =>
  [
    { task: "chat", variable: "CHAT_MODEL_14B", model: chat.models["14b"], baseUrl: chat.baseUrl },
    { task: "chat", variable: "CHAT_MODEL_9B", model: chat.models["9b"], baseUrl: chat.baseUrl },
    { task: "translation", variable: "TRANSLATION_MODEL", ...translation },
    { task: "transcription", variable: variablesOf.transcription.model, ...transcription },
    { task: "speech", variable: variablesOf.speech.model, ...speech },
  ] as const;

/** Who answers for the models. */
export interface Models {
  /** What the stage has to know of them, the person's own variables included. */
  readonly variables: Variables;
  /** By which server each task is done. */
  readonly servers: readonly {
    readonly url: string;
    readonly isSample: boolean;
    readonly tasks: readonly Task[];
  }[];
  /** What a person should know before a request fails: a sentence each. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** A server that is slower than this at telling its names is not waited for. */
const listingMilliseconds = 3_000;

/** What a server calls its models, or why that is not known. */
type Listing = { readonly names: readonly string[] } | { readonly problem: string };

const askForNames = async (baseUrl: string, key: string | undefined): Promise<Listing> => {
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
    return { problem: "does not answer" };
  }
};

/** Ollama lists every model with a tag, and takes a name without one for the tag `latest`. */
const isListed = (model: string, names: readonly string[]): boolean =>
  names.includes(model) || names.includes(`${model}:latest`);

/** Sentences about names that servers do not know, and about servers that do not answer. */
const warningsOf = (inference: Inference, listings: ReadonlyMap<string, Listing>): string[] => {
  const silent = [...listings].flatMap(([url, listing]) =>
    "problem" in listing ? [`The server at ${url} ${listing.problem}.`] : [],
  );
  const unknown = namedModels(inference).flatMap(({ task, variable, model, baseUrl }) => {
    const listing = listings.get(baseUrl);
    if (!listing || "problem" in listing || isListed(model, listing.names)) return [];
    const names = listing.names.length > 0 ? listing.names.join(", ") : "none";
    return [
      `The server at ${baseUrl} has no model '${model}' for ${task} (it has ${names}): set ${variable}, or requests may fail with 502.`,
    ];
  });
  return [...silent, ...unknown];
};

/** Servers with what they do, in the order of the tasks. */
const serversOf = (inference: Inference, sampleUrl: string | undefined): Models["servers"] => {
  const byUrl = new Map<string, Task[]>();
  for (const task of ["chat", "translation", ...audioTasks] as const) {
    const { baseUrl } = inference[task];
    byUrl.set(baseUrl, [...(byUrl.get(baseUrl) ?? []), task]);
  }
  return [...byUrl].map(([url, tasks]) => ({ url, tasks, isSample: url === sampleUrl }));
};

/** Whether the chat server is meant to do a task as well: somebody says so, or it lists the model. */
const isLeftToChatServer = (task: AudioTask, variables: Variables, listing: Listing): boolean => {
  const names = variablesOf[task];
  if (variables[names.baseUrl] || variables[names.model]) return true;
  return "names" in listing && isListed(localStage(variables).inference[task].model, listing.names);
};

/** Starts the sample server for everything. */
const startSampleModels = async (port: number, variables: Variables): Promise<Models> => {
  const sample = await startSampleInference({ port, voices: synthesisLanguages });
  const chosen = {
    CHAT_MODEL_14B: sampleModels.model14b,
    CHAT_MODEL_9B: sampleModels.model9b,
    SPEECH_MODEL: sampleModels.speech,
    TRANSCRIPTION_MODEL: sampleModels.transcription,
    ...variables,
    CHAT_BASE_URL: sample.baseUrl,
  };
  return {
    variables: chosen,
    servers: serversOf(localStage(chosen).inference, sample.baseUrl),
    warnings: [],
    close: () => sample.close(),
  };
};

/**
 * Starts the sample server for what no other server does: everything, or, when the settings name a server of chat, speech
 * and transcription where it has no models for them.
 */
export const startModels = async (
  { chatBaseUrl, inferenceKeys }: LocalSettings,
  port: number,
  variables: Variables,
): Promise<Models> => {
  if (!chatBaseUrl) return startSampleModels(port, variables);
  const ofChat = await askForNames(chatBaseUrl, inferenceKeys.chat);
  const left = audioTasks.filter((task) => !isLeftToChatServer(task, variables, ofChat));
  const sample =
    left.length > 0 ? await startSampleInference({ port, voices: synthesisLanguages }) : undefined;
  const chosen = {
    ...variables,
    ...Object.fromEntries(
      left.flatMap((task) => [
        [variablesOf[task].baseUrl, sample?.baseUrl],
        [variablesOf[task].model, sampleModels[task]],
      ]),
    ),
  };
  const { inference } = localStage(chosen);
  const others = serversOf(inference, sample?.baseUrl).filter(
    ({ url, isSample }) => !isSample && url !== chatBaseUrl,
  );
  const listings = await Promise.all(
    others.map(
      async ({ url, tasks: [task = "chat"] }) => [url, await askForNames(url, inferenceKeys[task])] as const,
    ),
  );
  return {
    variables: chosen,
    servers: serversOf(inference, sample?.baseUrl),
    warnings: warningsOf(inference, new Map([[chatBaseUrl, ofChat], ...listings])),
    close: async () => sample?.close(),
  };
};
