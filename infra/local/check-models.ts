import { bufferSource } from "../../shared/audio/read-audio.ts";
import { silence } from "../../shared/audio/wav/mono-wav.ts";
import { likelyLanguages } from "../../shared/models/inference/openai/language-probe.ts";
import { createOpenAiTranscriber } from "../../shared/models/inference/openai/transcriber.ts";
import { profileSchema } from "../../shared/models/inference/profile-schema.ts";
import { findProfile } from "../../shared/models/inference/profiles.ts";
import { findLanguage } from "../../shared/platform/catalogue/languages.ts";
import type { ModelTask } from "../../shared/platform/telemetry/backend-uses.ts";
import type { Stage } from "../stages.ts";
import { isListed, listServerVoices, type ModelListing } from "./model-listing.ts";

/** A server of a task, and its names for the task's models. */
export interface StageServer {
  readonly task: ModelTask;
  readonly url: string;
  /** The variable that has its address. */
  readonly setting: string;
  readonly keyVariable: string;
  readonly key: string | undefined;
  readonly profile: string | undefined;
  /** By the settings that name them. */
  readonly models: readonly (readonly [setting: string, model: string])[];
}

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat("en-GB", { type: "conjunction" }).format(names);

const shortList = (names: readonly string[]): string => {
  const others = names.length - 3;
  return others > 1 ? `${names.slice(0, 3).join(", ")} and ${others} others` : listed(names);
};

/** Warnings about servers that do not respond, each named by the variables that a person set. */
const silentServers = (
  servers: readonly StageServer[],
  listings: ReadonlyMap<string, ModelListing>,
): string[] =>
  [...listings].flatMap(([url, listing]) => {
    if (!("problem" in listing)) return [];
    const settings = new Set(servers.flatMap((server) => (server.url === url ? [server.setting] : [])));
    return [`The server at ${url} (${listed([...settings])}) ${listing.problem}.`];
  });

/** Warnings about models that servers do not have, one for each model and server. */
const unknownModels = (
  servers: readonly StageServer[],
  listings: ReadonlyMap<string, ModelListing>,
): string[] => {
  const missing = servers.flatMap(({ task, url, models }) => {
    const listing = listings.get(url);
    if (!listing || "problem" in listing) return [];
    const has = listing.names.length > 0 ? listing.names.join(", ") : "none";
    return models.flatMap(([setting, model]) =>
      isListed(model, listing.names) ? [] : [{ task, url, setting, model, has }],
    );
  });
  return [...Map.groupBy(missing, ({ url, model }) => `${url} ${model}`).values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const tasks = listed([...new Set(same.map(({ task }) => task))]);
    return `The server at ${first.url} has no model '${first.model}' for ${tasks} (it has ${first.has}). Set ${first.setting}, or requests may fail with 502.`;
  });
};

/** Loading a model for the first time can take longer than a person waits for the start. */
const silenceMilliseconds = 5_000;

/** Lets a server transcribe a second of silence in the first language of its profile. */
const tryTranscription = async (server: StageServer, { catalogue }: Stage): Promise<string[]> => {
  const [[, name] = []] = server.models;
  if (name === undefined) return [];
  const profile = profileSchema.parse(findProfile(server.profile ?? "", catalogue.profiles ?? {}) ?? {});
  const model = { name, profile };
  const [language] = likelyLanguages({ model });
  const transcriber = createOpenAiTranscriber([
    { baseUrl: server.url, apiKey: async () => server.key, silenceMilliseconds, model },
  ]);
  const recording = { source: bufferSource(silence()), mediaType: "audio/wav", fileExtension: "wav" };
  try {
    const signal = AbortSignal.timeout(silenceMilliseconds);
    await transcriber.transcribe({ recording, language, withSegments: false }, { signal });
    return [];
  } catch (error) {
    const what = `a second of silence in ${findLanguage(language ?? "")?.name ?? "any language"}`;
    const why = error instanceof Error ? error.message : "";
    return [`The server at ${server.url} (${server.setting}) does not transcribe ${what}. ${why}`];
  }
};

/** Compares the voices that a server lists with those of the stage. @param names as the service sends them */
const missingVoices = async (server: StageServer, names: readonly string[]): Promise<string[]> => {
  const voices = await listServerVoices(server.url, { key: server.key });
  const missing = voices ? names.filter((name) => !voices.includes(name)) : [];
  if (!voices || missing.length === 0) return [];
  return [
    `The server at ${server.url} (${server.setting}) has no voice ${shortList(missing)} (it has ${shortList(voices)}). Name its voices in voices.json.`,
  ];
};

/** What is known about the servers of a stage. */
export interface ServerFacts {
  readonly stage: Stage;
  readonly servers: readonly StageServer[];
  /** By address. */
  readonly listings: ReadonlyMap<string, ModelListing>;
  /** The names of the voices that the service sends to a server of speech. */
  readonly voices: readonly string[];
  readonly isSample: (url: string) => boolean;
}

/** Returns a sentence for each problem that would make requests fail. */
export const warningsOf = async ({
  stage,
  servers,
  listings,
  voices,
  isSample,
}: ServerFacts): Promise<string[]> => {
  const responding = servers.filter(({ url }) => {
    const listing = listings.get(url);
    return !isSample(url) && !(listing && "problem" in listing && listing.problem === "does not respond");
  });
  const tried = responding.map((server) => {
    if (server.task === "transcription") return tryTranscription(server, stage);
    return server.task === "speech" ? missingVoices(server, voices) : [];
  });
  return [
    ...silentServers(servers, listings),
    ...unknownModels(servers, listings),
    ...(await Promise.all(tried)).flat(),
  ];
};
