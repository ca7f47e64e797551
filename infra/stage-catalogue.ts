import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { findLanguage, type LanguageTask, languagesWith } from "../shared/platform/catalogue/languages.ts";
import type {
  StageCatalogue,
  StageLanguages,
  StageVoice,
  StageVoices,
} from "../shared/platform/catalogue/stage-catalogue.ts";
import { allVoices, openAiVoices } from "../shared/platform/catalogue/voices.ts";
import { locateJson } from "./json-lines.ts";

const text = (max: number) => {
  const error = `must be a text of 1 to ${max} characters, without spaces around it`;
  return z
    .string({ error })
    .max(max, { error })
    .refine((value) => value !== "" && value.trim() === value, { error });
};

const code = z.string({ error: "must be a code of ISO 639-3, such as alz" }).regex(/^[a-z]{3}$/, {
  error: "must be a code of ISO 639-3: three lower-case letters, such as alz",
  abort: true,
});

const addedLanguages = z
  .array(z.strictObject({ code, name: text(100) }), { error: "must be a list of languages" })
  .default([]);

type Added = StageLanguages[LanguageTask][number];

/** Why a language does not fit the catalogue: the member with the mistake, and a sentence about it. */
const conflictWithCatalogue = (
  task: LanguageTask,
  { code: given, name }: Added,
): [string, string] | undefined => {
  const known = findLanguage(given);
  if (known && known.code !== given)
    return ["code", `already means ${known.name}, whose code is ${known.code}`];
  if (known?.tasks.includes(task)) return ["code", `is already a language of ${task}: ${known.name}`];
  if (known) return known.name === name ? undefined : ["name", `must be ${known.name}, as in the catalogue`];
  const sameName = findLanguage(name);
  return sameName ? ["name", `already means the language ${sameName.code}`] : undefined;
};

/** The languages must fit the catalogue and each other. */
const refineLanguages = (added: StageLanguages, context: z.RefinementCtx<StageLanguages>): void => {
  const names = new Map<string, string>();
  const codes = new Map<string, string>();
  const conflictWithOthers = ({ code: given, name }: Added): [string, string] | undefined => {
    const [sameName, sameCode] = [codes.get(name.toLowerCase()) ?? given, names.get(given) ?? name];
    if (sameName !== given) return ["name", `already means the language ${sameName} of this file`];
    return sameCode === name ? undefined : ["name", "must be the same in both lists"];
  };
  for (const task of ["transcription", "translation"] as const) {
    const seen = new Set<string>();
    for (const [index, language] of added[task].entries()) {
      const conflict: [string, string] | undefined = seen.has(language.code)
        ? ["code", `is repeated in ${task}`]
        : (conflictWithCatalogue(task, language) ?? conflictWithOthers(language));
      if (conflict)
        context.addIssue({ code: "custom", path: [task, index, conflict[0]], message: conflict[1] });
      seen.add(language.code);
      names.set(language.code, language.name);
      for (const known of [language.name.toLowerCase(), language.code]) codes.set(known, language.code);
    }
  }
};

const languagesFile = z
  .strictObject(
    { transcription: addedLanguages, translation: addedLanguages },
    { error: "must be an object with the lists transcription and translation" },
  )
  .superRefine(refineLanguages);

const genders = ["female", "male", "neutral"] as const satisfies StageVoice["gender"][];

const voice = z.strictObject(
  {
    tag: z
      .string({ error: "must be a text" })
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
        error:
          "must be 1 to 64 letters, digits, dots, hyphens and underscores, and start with a letter or digit",
      })
      .refine((tag) => !openAiVoices.has(tag), {
        error: "is a voice of OpenAI, which clients send when they mean no voice in particular",
      }),
    language: code,
    gender: z.enum(genders, { error: `must be one of ${genders.join(", ")}` }),
    name: text(100),
    model_voice: text(200),
  },
  { error: "must be an object with tag, language, gender, name and model_voice" },
);

/** The schema of `voices.json`, whose languages are those of the catalogue and of the stage. */
const voicesFile = (languages: StageLanguages | undefined) => {
  const codes = new Set(languagesWith(languages).map((language) => language.code));
  return z
    .strictObject(
      {
        mode: z.enum(["add", "replace"], { error: "must be add or replace" }),
        voices: z.array(voice, { error: "must be a list of voices" }).min(1, { error: "must name a voice" }),
      },
      { error: "must be an object with mode and voices" },
    )
    .superRefine(({ mode, voices }, context) => {
      const taken = new Set(mode === "add" ? allVoices : []);
      for (const [index, { tag, language }] of voices.entries()) {
        if (taken.has(tag)) {
          const message = `is taken: there is another voice "${tag}"`;
          context.addIssue({ code: "custom", path: ["voices", index, "tag"], message });
        }
        taken.add(tag);
        if (!codes.has(language)) {
          const message = `is not in the catalogue; add "${language}" to languages.json`;
          context.addIssue({ code: "custom", path: ["voices", index, "language"], message });
        }
      }
    });
};

/** The last member in a path: what a message is about. */
const subjectOf = (path: readonly PropertyKey[]): string => {
  const name = path.findLast((part) => typeof part === "string");
  return name === undefined ? "the file" : name;
};

/** One sentence a problem, each with its file and line. */
const problemsIn = (file: string, source: string, { issues }: z.ZodError): string[] => {
  const { lineOf } = locateJson(source);
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => `${file}:${lineOf([...issue.path, key])}: there is no member "${key}".`);
    }
    const { path, message } = issue;
    return [`${file}:${lineOf(path)}: ${subjectOf(path)} ${message}.`];
  });
};

/** The line of a syntax error. */
const brokenLine = (source: string, error: unknown): number => {
  const message = error instanceof Error ? error.message : "";
  const offset = /position (?<offset>\d+)/.exec(message)?.groups?.["offset"];
  return source.slice(0, offset === undefined ? source.length : Number(offset)).split("\n").length;
};

const parseJson = (file: string, source: string): unknown => {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new Error(`${file}:${brokenLine(source, error)}: the file is not JSON.`, { cause: error });
  }
  const { repeated } = locateJson(source);
  if (repeated.length === 0) return value;
  throw new Error(
    repeated.map(({ name, line }) => `${file}:${line}: the member "${name}" is repeated.`).join("\n"),
  );
};

/** Reads a file of a stage if it exists. @throws Error with the file and the line of each mistake. */
const readFile = <Content>(
  folder: { readonly path: string; readonly name: string },
  file: string,
  schema: z.ZodType<Content>,
): Content | undefined => {
  const path = join(folder.path, file);
  if (!existsSync(path)) return undefined;
  const source = readFileSync(path, "utf8");
  const shown = `${folder.name}/${file}`;
  const result = schema.safeParse(parseJson(shown, source));
  if (result.success) return result.data;
  throw new Error(problemsIn(shown, source, result.error).join("\n"));
};

/**
 * Reads the voices and languages of a stage: `voices.json` and `languages.json` in its folder.
 *
 * @param folder.path where the files are; both are optional
 * @param folder.name how messages name the folder
 * @throws Error with the file and the line of each mistake.
 */
export const readStageCatalogue = (folder: {
  readonly path: string;
  readonly name: string;
}): StageCatalogue => {
  const languages: StageLanguages | undefined = readFile(folder, "languages.json", languagesFile);
  const voices: StageVoices | undefined = readFile(folder, "voices.json", voicesFile(languages));
  return { ...(voices ? { voices } : {}), ...(languages ? { languages } : {}) };
};
