import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import type { StageCatalogue } from "../shared/platform/catalogue/stage-catalogue.ts";
import { serverSettings } from "../shared/platform/config/model-servers.ts";
import { modelTasks } from "../shared/platform/telemetry/backend-uses.ts";
import {
  earlierProfiles,
  fillInModels,
  fillInServers,
  replacedSettings,
  sourceOfModels,
} from "./model-settings.ts";
import { readStageCatalogue } from "./stage-catalogue.ts";
import { checkProfiles, checkVoices } from "./stage-profiles.ts";
import {
  defaultsFrom,
  type SettingName,
  type StageSettings,
  settingNames,
  stageSettings,
} from "./stage-settings.ts";

const ownFolder = join(import.meta.dirname, "stages");
const extension = ".json";
const localName = "local";

/** The stage that shows the templates to a reader without settings. CloudFormation refuses to create its stacks. */
export const exampleName = "example";

/** The name becomes part of the stacks' names. */
const namePattern = /^[a-z][a-z0-9]{0,15}$/;

/** The variables of a process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A setting of a stage, and why it has its value. */
export interface SettingWithSource {
  readonly name: SettingName;
  /** `undefined` when it is not set and has no default. */
  readonly value: StageSettings[SettingName];
  /** `variable`, the file, `as CHAT_BASE_URL`, `default` or `not set`. */
  readonly source: string;
  /** What an operator should know about it. */
  readonly note: string | undefined;
}

const fileOf = (name: string): string => `infra/stages/${name}${extension}`;

const stageNames = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .map((file) => basename(file, extension));

const fileContent = z.record(z.string(), z.unknown(), { error: "is not a JSON object" });

const readStageFile = (name: string, folder: string): z.output<typeof fileContent> => {
  const text = readFileSync(join(folder, name + extension), "utf8");
  try {
    return fileContent.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`${fileOf(name)} must hold a JSON object of settings.`, { cause: error });
  }
};

/** Pipelines often leave variables empty, so an empty variable counts as missing. */
const givenVariables = (variables: Variables): Partial<Record<SettingName, string>> =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = variables[name];
      return value ? [[name, value]] : [];
    }),
  );

/** The settings without a default. */
const required = {
  CHAT_BASE_URL: { meaning: "the address of the chat models", example: "https://models.example.org/v1" },
  MAIL_FROM: { meaning: "the sender of mails", example: "Example Languages <no-reply@example.org>" },
} as const;

/** The addresses of tasks that have a list of servers instead. */
const replacedAddresses = (given: Readonly<Record<string, unknown>>): readonly string[] =>
  modelTasks.flatMap((task) => {
    const { list, baseUrl } = serverSettings[task];
    return given[list] === undefined ? [] : baseUrl;
  });

const requireOwn = (name: string, given: Readonly<Record<string, unknown>>): void => {
  // A list of servers replaces the address of the only one.
  const replaced = replacedAddresses(given);
  const missing = Object.entries(required).filter(
    ([setting]) => given[setting] === undefined && !replaced.includes(setting),
  );
  if (missing.length === 0) return;
  const sentences = missing.map(
    ([setting, { meaning, example }]) =>
      `The stage "${name}" has no ${setting}, ${meaning}: add the line "${setting}": "${example}" to ${fileOf(name)}, or set the variable ${setting}.`,
  );
  throw new Error(sentences.join("\n"));
};

const isUnencrypted = (value: unknown): boolean =>
  typeof value === "string"
    ? value.startsWith("http://")
    : Array.isArray(value) && value.some(({ base_url }) => isUnencrypted(base_url));

/** Requests to other servers carry people's texts and keys. */
const requireEncryption = (name: string, settings: StageSettings): void => {
  const plain = Object.entries(settings)
    .filter(([, value]) => isUnencrypted(value))
    .map(([setting]) => setting);
  if (plain.length === 0) return;
  throw new Error(
    `The stage "${name}" is deployed, so these addresses must start with https://: ${plain.join(", ")}.`,
  );
};

/** Otherwise any account could make the service call itself by a callback. */
const refuseLoopback = (name: string, settings: StageSettings): void => {
  if (settings.CALLBACKS_ALLOW_LOOPBACK === "0") return;
  throw new Error(`The stage "${name}" is deployed, so CALLBACKS_ALLOW_LOOPBACK must be 0.`);
};

/** Returns the settings with the defaults that are other settings. */
const fillIn = (given: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const filled = fillInModels(given);
  const replaced = replacedAddresses(given);
  for (const [name, other] of defaultsFrom) {
    if (replaced.includes(name)) continue;
    if (filled[name] === undefined && filled[other] !== undefined) filled[name] = filled[other];
  }
  return filled;
};

/** Reads a stage's file and the variables, which take precedence. @throws Error that names each invalid setting. */
const readSettings = (name: string, variables: Variables, catalogue: StageCatalogue, folder = ownFolder) => {
  const file = readStageFile(name, folder);
  const fromVariables = givenVariables(variables);
  const given = { ...file, ...fromVariables };
  requireOwn(name, given);
  const filled = fillIn(given);
  const sourceOf = (setting: string): string => {
    if (setting in fromVariables) return "variable";
    if (setting in file) return fileOf(name);
    const [, other] = [...defaultsFrom].find(([derived]) => derived === setting) ?? [];
    if (other && setting in filled) return `as ${other}`;
    const followed = sourceOfModels(setting, given);
    if (followed) return followed;
    return setting.endsWith("_SERVERS") ? "as CHAT_SERVERS" : "default";
  };
  const result = stageSettings.safeParse(filled);
  if (result.success) {
    const hasTranslationModel = "TRANSLATION_MODEL" in given;
    const settings = fillInServers(result.data, { hasTranslationModel, profiles: catalogue.profiles });
    checkProfiles(settings, catalogue);
    checkVoices(settings, catalogue);
    return { settings, sourceOf, catalogue };
  }
  const problems = result.error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
      return [`${fileOf(name)} has settings that do not exist: ${issue.keys.join(", ")}`];
    }
    const [setting = ""] = issue.path.map(String);
    const where = issue.path.join(".");
    // A default that is an invalid setting is invalid too; only the setting needs fixing.
    return setting in given ? [`${where}: ${issue.message} (${sourceOf(setting)})`] : [];
  });
  throw new Error(problems.join("\n"));
};

/** A deployment of the service. */
export interface Stage {
  /** Part of the names of its stacks, and of the default address of its API. */
  readonly name: string;
  /** The beginning of its stacks' names, and the namespace of its functions' metrics. */
  readonly prefix: string;
  readonly settings: StageSettings;
  /** Its own voices, languages and profiles. */
  readonly catalogue: StageCatalogue;
}

/** Why no one learns that a stage fails, if that is so. A stage that is deleted with its data needs no one. */
export const silenceOf = ({ name, settings }: Pick<Stage, "name" | "settings">): string | undefined =>
  settings.REMOVAL === "destroy" || settings.ALARM_EMAIL !== undefined
    ? undefined
    : `No one gets a mail when the stage "${name}" fails: its alarms only appear in CloudWatch. Add the line ` +
      `"ALARM_EMAIL": "operator@example.org" to ${fileOf(name)}, or set the variable ALARM_EMAIL.`;

const toStage = (name: string, settings: StageSettings, catalogue: StageCatalogue): Stage => ({
  name,
  prefix: `LanguageAi-${name}`,
  settings,
  catalogue,
});

/** The voices, languages and profiles of a stage, from the folder next to its file. */
const catalogueOf = (name: string, folder = ownFolder): StageCatalogue =>
  readStageCatalogue({ path: join(folder, name), name: `infra/stages/${name}` });

/** Those of the local stage, from the folder of another stage if `STAGE_DIR` names one. */
const localCatalogue = ({ STAGE_DIR: folder }: Variables): StageCatalogue => {
  if (!folder) return catalogueOf(localName);
  if (!existsSync(folder)) throw new Error(`STAGE_DIR: there is no folder ${folder}.`);
  return readStageCatalogue({ path: folder, name: folder });
};

const readDeployed = (name: string, variables: Variables, folder?: string) => {
  const names = stageNames(folder ?? ownFolder).filter((stage) => stage !== localName);
  if (!names.includes(name)) {
    throw new Error(`There is no stage "${name}"; the stages are ${names.join(", ")} (infra/stages).`);
  }
  if (!namePattern.test(name)) {
    throw new Error(
      `The name "${name}" is not valid for a stage: use up to 16 lower-case letters and digits, starting with a letter.`,
    );
  }
  const read = readSettings(name, variables, catalogueOf(name, folder), folder);
  requireEncryption(name, read.settings);
  refuseLoopback(name, read.settings);
  return read;
};

/**
 * Returns a stage that is deployed to AWS.
 *
 * @param name of its file in `infra/stages`, chosen by `cdk deploy -c stage=prod`
 * @param variables the process environment, whose settings take precedence over the file
 * @param folder of the stages' files
 * @throws Error when there is no such stage, it lacks a required setting, or a setting or its voices and languages are not valid.
 */
export const deployedStage = (name: string, variables: Variables, folder?: string): Stage => {
  const { settings, catalogue } = readDeployed(name, variables, folder);
  return toStage(name, settings, catalogue);
};

/**
 * Returns every setting of a deployed stage with the source of its value.
 *
 * @throws Error like {@link deployedStage}.
 */
export const explainStage = (name: string, variables: Variables, folder?: string): SettingWithSource[] => {
  const { settings, sourceOf } = readDeployed(name, variables, folder);
  return settingNames.map((setting) => ({
    name: setting,
    value: settings[setting],
    source: settings[setting] === undefined ? "not set" : sourceOf(setting),
    note: noteOn(setting, settings),
  }));
};

const noteOn = (name: SettingName, settings: StageSettings): string | undefined => {
  const replacement = replacedSettings.get(name);
  if (replacement) return `replaced by ${replacement}`;
  const earlier = earlierProfiles.get(name);
  return earlier && settings[name] === undefined ? `${earlier} sends what version 2.8.0 sent` : undefined;
};

/**
 * Returns the stage that runs on this machine, with the same settings as a deployed one.
 *
 * @param variables must hold `CHAT_BASE_URL` or `CHAT_SERVERS`
 * @throws Error when both are missing, or a setting or its voices and languages are not valid.
 */
export const localStage = (variables: Variables): Stage => {
  const { settings, catalogue } = readSettings(localName, variables, localCatalogue(variables));
  return toStage(localName, settings, catalogue);
};

/**
 * Checks the variables for the local stage before the servers start whose addresses it needs.
 *
 * @returns the stage, in whose settings addresses may still change.
 * @throws Error that names each invalid setting, or each mistake in its voices and languages.
 */
export const checkLocalVariables = (variables: Variables): Stage =>
  localStage(
    variables["CHAT_SERVERS"]
      ? variables
      : { ...variables, CHAT_BASE_URL: variables["CHAT_BASE_URL"] || "http://127.0.0.1/v1" },
  );
