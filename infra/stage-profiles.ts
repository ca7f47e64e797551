import * as z from "zod";
import { builtInProfiles } from "../shared/models/inference/built-in-profiles.ts";
import { type ModelProfile, profileSchema } from "../shared/models/inference/profile-schema.ts";
import { findProfile } from "../shared/models/inference/profiles.ts";
import { findLanguage, languagesWith } from "../shared/platform/catalogue/languages.ts";
import type { StageCatalogue, StageLanguages } from "../shared/platform/catalogue/stage-catalogue.ts";
import { serverSettings } from "../shared/platform/config/model-servers.ts";
import { type ModelTask, modelTasks } from "../shared/platform/telemetry/backend-uses.ts";
import type { StageSettings } from "./stage-settings.ts";

/** The languages that a profile names, each with its path. */
const namedLanguages = (profile: ModelProfile): [path: PropertyKey[], code: string][] =>
  (["translation", "transcription", "speech"] as const).flatMap((task) => {
    const said: Partial<ModelProfile["transcription"]> = profile[task];
    const { languages = [], language_codes: codes } = said;
    const mapped = typeof codes === "object" ? Object.keys(codes) : [];
    return [
      ...languages.map((code, index): [PropertyKey[], string] => [[task, "languages", index], code]),
      ...mapped.map((code): [PropertyKey[], string] => [[task, "language_codes", code], code]),
    ];
  });

const namePattern = /^[a-z0-9][a-z0-9.-]{0,63}$/;

const problemOfName = (name: string): string | undefined => {
  if (Object.hasOwn(builtInProfiles, name)) return "is a profile of the service, so choose another name";
  return namePattern.test(name)
    ? undefined
    : "must be a name of lower-case letters, digits, dots and hyphens";
};

/**
 * The schema of `profiles.json`, whose languages are those of the catalogue and of the stage. Profiles stay as they are written, so that
 * it can be seen which tasks they are for.
 */
export const profilesFile = (languages: StageLanguages | undefined) => {
  const known = new Set(languagesWith(languages).map(({ code }) => code));
  const problemOf = (code: string): string | undefined => {
    if (known.has(code)) return undefined;
    const meant = findLanguage(code);
    return meant ? `must be ${meant.code}, the code of ${meant.name}` : "is not in the catalogue";
  };
  return z
    .record(z.string(), z.record(z.string(), z.unknown(), { error: "must be an object" }), {
      error: "must be an object with profiles by their names",
    })
    .superRefine((profiles, context) => {
      for (const [name, given] of Object.entries(profiles)) {
        const report = (path: readonly PropertyKey[], message: string) =>
          context.addIssue({ code: "custom", path: [name, ...path], message });
        const wrongName = problemOfName(name);
        if (wrongName) report([], wrongName);
        const { data, error } = profileSchema.safeParse(given);
        for (const issue of error?.issues ?? []) {
          if (issue.code !== "unrecognized_keys") report(issue.path, issue.message);
          else context.addIssue({ ...issue, path: [name, ...issue.path], input: given });
        }
        for (const [path, code] of data ? namedLanguages(data) : []) {
          const message = problemOf(code);
          if (message) report(path, message);
        }
      }
    });
};

/** Where the settings name a profile, for which task. */
const namedProfiles = (settings: StageSettings): [where: string, task: ModelTask, name: string][] =>
  modelTasks.flatMap((task) => {
    const { list, profile } = serverSettings[task];
    const servers = settings[list] ?? [];
    const named: [string, string | undefined][] = [
      [profile, settings[profile]],
      ...(task === "chat" ? settings.CHAT_MODELS : []).map((model): [string, string | undefined] => [
        "CHAT_MODELS",
        model.profile,
      ]),
      ...servers.flatMap((server) => {
        const models = "models" in server ? (server.models ?? []) : [];
        return [server, ...models].map((each): [string, string | undefined] => [list, each.profile]);
      }),
    ];
    return named.flatMap(([where, name]): [string, ModelTask, string][] =>
      name === undefined ? [] : [[where, task, name]],
    );
  });

/** @throws Error for profiles that do not exist, or that say nothing about the task for which they are named. */
export const checkProfiles = (settings: StageSettings, { profiles }: StageCatalogue): void => {
  const problems = namedProfiles(settings).flatMap(([where, task, name]) => {
    const profile = findProfile(name, profiles ?? {});
    if (profile === undefined) {
      const known = [...Object.keys(builtInProfiles), ...Object.keys(profiles ?? {})].join(", ");
      return [`${where}: there is no profile "${name}"; there are ${known}`];
    }
    return task in profile ? [] : [`${where}: the profile "${name}" says nothing about ${task}`];
  });
  if (problems.length > 0) throw new Error([...new Set(problems)].join("\n"));
};

/** @throws Error for voices of servers that the stage does not have. */
export const checkVoices = (settings: StageSettings, { voices }: StageCatalogue): void => {
  const { list } = serverSettings.speech;
  const servers = settings[list]?.map(({ name }) => name) ?? ["speech"];
  const lost = voices?.voices.find(({ server }) => server !== undefined && !servers.includes(server));
  if (lost) throw new Error(`${list} has no server "${lost.server}", which the voice "${lost.tag}" names.`);
};

/** What the profiles of a stage's servers say of transcription. */
const transcriptionProfiles = (
  { TRANSCRIPTION_SERVERS: servers, TRANSCRIPTION_PROFILE: usual }: StageSettings,
  { profiles = {} }: StageCatalogue,
) =>
  (servers?.map(({ profile = usual }) => profile) ?? [usual]).map((name) => {
    const given = name === undefined ? {} : findProfile(name, profiles);
    return profileSchema.parse(given).transcription;
  });

/** Whether a server of a stage may distinguish speakers, as far as profiles say. */
export const mayDistinguishSpeakers = (settings: StageSettings, catalogue: StageCatalogue): boolean =>
  settings.DIARIZATION_BASE_URL !== undefined ||
  transcriptionProfiles(settings, catalogue).some(({ diarizes }) => diarizes !== false);

/** Whether a server of a stage detects languages. */
export const detectsLanguages = (settings: StageSettings, catalogue: StageCatalogue): boolean =>
  transcriptionProfiles(settings, catalogue).some(({ detects }) => detects === true);
