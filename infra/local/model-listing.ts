import * as z from "zod";
import type { ModelTask } from "../../shared/platform/telemetry/backend-uses.ts";
import { otherModelSettings } from "../model-settings.ts";
import type { SettingName } from "../stage-settings.ts";

/** The setting with the names of each task's models, when it has only one server. */
export const nameSettings = {
  chat: "CHAT_MODELS",
  translation: "TRANSLATION_MODEL",
  transcription: "TRANSCRIPTION_MODEL",
  speech: "SPEECH_MODEL",
} as const satisfies Record<ModelTask, SettingName>;

/** The setting by which a person has named the models of a task, if any. */
export const namedBy = (
  task: ModelTask,
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined =>
  (task === "chat" ? [...otherModelSettings, nameSettings.chat] : [nameSettings[task]]).find(
    (setting) => variables[setting],
  );

/** The variable that names the model of a task, unless a person has named one. */
export const nameModel = (
  task: ModelTask,
  model: string,
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> =>
  namedBy(task, variables) ? {} : { [nameSettings[task]]: task === "chat" ? JSON.stringify([model]) : model };

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

const voiceList = z.object({
  voices: z.array(z.union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)])),
});

const usualMilliseconds = 3_000;

/** How to ask a server. */
export interface ListingOptions {
  readonly key?: string | undefined;
  readonly milliseconds?: number;
}

/** The names of a server's models, or why they are not known. */
export type ModelListing = { readonly names: readonly string[] } | { readonly problem: string };

const get = (baseUrl: string, path: string, { key, milliseconds = usualMilliseconds }: ListingOptions) =>
  fetch(`${baseUrl.replace(/\/$/, "")}${path}`, {
    headers: key ? { Authorization: `Bearer ${key}` } : {},
    signal: AbortSignal.timeout(milliseconds),
  });

/** Returns the models that a server lists. @param baseUrl with the `/v1` at its end. */
export const listServerModels = async (
  baseUrl: string,
  options: ListingOptions = {},
): Promise<ModelListing> => {
  try {
    const response = await get(baseUrl, "/models", options);
    const list = response.ok ? modelList.safeParse(await response.json()).data : undefined;
    return list
      ? { names: list.data.map(({ id }) => id) }
      : { problem: `does not list its models (status ${response.status})` };
  } catch {
    return { problem: "does not respond" };
  }
};

/** Where servers list their voices, which OpenAI's API does not (Kokoro-FastAPI, fastkokoro; speaches). */
const voicePaths = ["/audio/voices", "/audio/speech/voices"];

/** Returns the voices that a server lists; `undefined` for one that lists none. */
export const listServerVoices = async (
  baseUrl: string,
  options: ListingOptions = {},
): Promise<readonly string[] | undefined> => {
  for (const path of voicePaths) {
    const response = await get(baseUrl, path, options).catch(() => undefined);
    const list = response?.ok
      ? voiceList.safeParse(await response.json().catch(() => undefined)).data
      : undefined;
    if (list && list.voices.length > 0) return list.voices;
  }
  return undefined;
};

/** Ollama lists every model with a tag, and takes a name without one for the tag `latest`. */
export const isListed = (model: string, names: readonly string[]): boolean =>
  names.includes(model) || names.includes(`${model}:latest`);

/** Models that make vectors or sort, which do no task of the service. */
const otherModels = /embed|bge|rerank/i;

/** The models of a list that could do a task. */
export const usableModels = (names: readonly string[]): string[] =>
  names.filter((name) => !otherModels.test(name));
