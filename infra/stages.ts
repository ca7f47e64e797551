import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import {
  type SettingName,
  type StageSettings,
  settingNames,
  stageSettings,
  takenFrom,
} from "./stage-settings.ts";

const folder = join(import.meta.dirname, "stages");
const extension = ".json";
const localName = "local";

/** It becomes part of the stacks' names. */
const namePattern = /^[a-z][a-z0-9]{0,15}$/;

/** Variables as a process has them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A setting of a stage, for whoever asks why a deployment is as it is. */
export interface SettingWithSource {
  readonly name: SettingName;
  /** `undefined` when it is not set and nothing takes its place. */
  readonly value: StageSettings[SettingName];
  /** `variable`, the file, `as CHAT_MODEL`, `default` or `not set`. */
  readonly source: string;
}

const fileOf = (name: string): string => `infra/stages/${name}${extension}`;

const stageNames = (): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .map((file) => basename(file, extension));

const fileContent = z.record(z.string(), z.unknown(), { error: "is not a JSON object" });

const readStageFile = (name: string): z.output<typeof fileContent> => {
  const text = readFileSync(join(folder, name + extension), "utf8");
  try {
    return fileContent.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`${fileOf(name)} must hold a JSON object of settings.`, { cause: error });
  }
};

/** An empty variable counts as not given, as pipelines often leave them. */
const givenVariables = (variables: Variables): Partial<Record<SettingName, string>> =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = variables[name];
      return value ? [[name, value]] : [];
    }),
  );

/** What no stage can guess. */
const required = {
  CHAT_BASE_URL: { what: "where the chat models are", example: "https://models.example.org/v1" },
  MAIL_FROM: { what: "in whose name mails are sent", example: "Example Languages <no-reply@example.org>" },
} as const;

const requireOwn = (name: string, given: Readonly<Record<string, unknown>>): void => {
  const missing = Object.entries(required).filter(([setting]) => given[setting] === undefined);
  if (missing.length === 0) return;
  const sentences = missing.map(
    ([setting, { what, example }]) =>
      `The stage "${name}" does not say ${what}: add the line "${setting}": "${example}" to ${fileOf(name)}, or set the variable ${setting}.`,
  );
  throw new Error(sentences.join("\n"));
};

/** What leaves a deployment carries people's words and keys. */
const requireEncryption = (name: string, settings: StageSettings): void => {
  const plain = Object.entries(settings)
    .filter(([, value]) => typeof value === "string" && value.startsWith("http://"))
    .map(([setting]) => setting);
  if (plain.length === 0) return;
  throw new Error(
    `The stage "${name}" is deployed, so these addresses must begin with https://: ${plain.join(", ")}.`,
  );
};

/** Whoever can name an address for callbacks could otherwise have this machine called. */
const refuseLoopback = (name: string, settings: StageSettings): void => {
  if (settings.CALLBACKS_ALLOW_LOOPBACK === "0") return;
  throw new Error(`The stage "${name}" is deployed, so CALLBACKS_ALLOW_LOOPBACK must be 0.`);
};

/** The same settings, and with them those that follow from others. */
const fillIn = (given: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const filled: Record<string, unknown> = { ...given };
  for (const [name, other] of takenFrom) {
    if (filled[name] === undefined && filled[other] !== undefined) filled[name] = filled[other];
  }
  return filled;
};

/** Reads a stage's file and what the variables say instead. @throws Error that names each setting that is wrong. */
const readSettings = (name: string, variables: Variables) => {
  const file = readStageFile(name);
  const fromVariables = givenVariables(variables);
  const given = { ...file, ...fromVariables };
  requireOwn(name, given);
  const filled = fillIn(given);
  const sourceOf = (setting: string): string => {
    if (setting in fromVariables) return "variable";
    if (setting in file) return fileOf(name);
    const [, other] = [...takenFrom].find(([derived]) => derived === setting) ?? [];
    return other && setting in filled ? `as ${other}` : "default";
  };
  const result = stageSettings.safeParse(filled);
  if (result.success) return { settings: result.data, sourceOf };
  const problems = result.error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return [`${fileOf(name)} has settings that do not exist: ${issue.keys.join(", ")}`];
    }
    const setting = issue.path.join(".");
    // What follows from a wrong setting is wrong as well, and not to be put right.
    return setting in given ? [`${setting}: ${issue.message} (${sourceOf(setting)})`] : [];
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
}

const toStage = (name: string, settings: StageSettings): Stage => ({
  name,
  prefix: `LanguageAi-${name}`,
  settings,
});

/** Reads the settings of a stage that is deployed. */
const readDeployed = (name: string, variables: Variables) => {
  const names = stageNames().filter((stage) => stage !== localName);
  if (!names.includes(name)) {
    throw new Error(`There is no stage "${name}"; the stages are ${names.join(", ")} (infra/stages).`);
  }
  if (!namePattern.test(name)) {
    throw new Error(
      `A stage's name is a lower-case word of at most 16 letters and digits, which "${name}" is not.`,
    );
  }
  const read = readSettings(name, variables);
  requireEncryption(name, read.settings);
  refuseLoopback(name, read.settings);
  return read;
};

/**
 * The settings of a stage that is deployed to AWS.
 *
 * @param name of its file in `infra/stages`, chosen by `cdk deploy -c stage=prod`
 * @param variables the process environment, in which each setting may have another value
 * @throws Error when there is no such stage, it lacks a setting of its own, or one is not valid.
 */
export const deployedStage = (name: string, variables: Variables): Stage =>
  toStage(name, readDeployed(name, variables).settings);

/**
 * Every setting of a deployed stage with where it comes from.
 *
 * @throws Error as {@link deployedStage} does.
 */
export const explainStage = (name: string, variables: Variables): SettingWithSource[] => {
  const { settings, sourceOf } = readDeployed(name, variables);
  return settingNames.map((setting) => ({
    name: setting,
    value: settings[setting],
    source: settings[setting] === undefined ? "not set" : sourceOf(setting),
  }));
};

/**
 * The stage that runs on a laptop: the same settings and variables as a deployed one.
 *
 * @param variables must hold `CHAT_BASE_URL`
 * @throws Error when `CHAT_BASE_URL` is missing or a setting is not valid.
 */
export const localStage = (variables: Variables): Stage =>
  toStage(localName, readSettings(localName, variables).settings);

/**
 * Checks what a person has set for the local stage, before the servers are started whose addresses it still lacks.
 *
 * @throws Error that names each setting that is wrong.
 */
export const checkLocalVariables = (variables: Variables): void => {
  readSettings(localName, {
    ...variables,
    CHAT_BASE_URL: variables["CHAT_BASE_URL"] || "http://127.0.0.1/v1",
  });
};
