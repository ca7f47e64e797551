import { serverSettings } from "../../shared/platform/config/model-servers.ts";
import { type ModelTask, modelTasks } from "../../shared/platform/telemetry/backend-uses.ts";
import { listServerModels, nameModel, usableModels } from "./model-listing.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Where servers of models listen by default: Ollama, LM Studio, llama.cpp, and vLLM or speaches. */
const usualPorts = [11_434, 1_234, 8_080, 8_000];

/** A server on this machine responds at once; anything else is no reason to wait. */
const findingMilliseconds = 300;

/** A model that was found on this machine, for a task. */
export interface FoundModel {
  readonly task: Exclude<ModelTask, "translation">;
  readonly url: string;
  readonly model: string;
}

const transcribes = /whisper|asr|stt/i;
const speaks = /tts|kokoro|orpheus/i;

const taskOf = (model: string): FoundModel["task"] => {
  if (transcribes.test(model)) return "transcription";
  return speaks.test(model) ? "speech" : "chat";
};

/** Whether a person left it to the service where its models are. */
const mayFind = (variables: Variables): boolean =>
  !variables["MODELS"] &&
  !variables["CI"] &&
  !variables["HOST"] &&
  modelTasks.every(
    (task) => !variables[serverSettings[task].baseUrl] && !variables[serverSettings[task].list],
  );

/**
 * Looks for servers of models on this machine, unless variables say where they are, `MODELS` is set, or the service runs in CI or for
 * other machines. The names of the models tell what they do.
 *
 * @param ports where to look, in the order of preference
 * @returns for each task the first model, none if there is none.
 */
export const findModels = async (
  variables: Variables,
  ports: readonly number[] = usualPorts,
): Promise<readonly FoundModel[]> => {
  if (!mayFind(variables)) return [];
  const listings = ports.map(async (port) => {
    const url = `http://127.0.0.1:${port}/v1`;
    const listing = await listServerModels(url, { milliseconds: findingMilliseconds });
    const names = "names" in listing ? usableModels(listing.names) : [];
    return names.map((model): FoundModel => ({ task: taskOf(model), url, model }));
  });
  const found = (await Promise.all(listings)).flat();
  return [...Map.groupBy(found, ({ task }) => task).values()].flatMap(([first]) => first ?? []);
};

/** The variables that select models that were found; names that a person has set stay. */
export const variablesOf = (found: readonly FoundModel[], variables: Variables): Variables =>
  Object.assign(
    {},
    ...found.map(({ task, url, model }) => ({
      [serverSettings[task].baseUrl]: url,
      ...nameModel(task, model, variables),
    })),
  );
