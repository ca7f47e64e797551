import * as z from "zod";
import { findLanguage, type LanguageTask, languagesWith } from "../shared/platform/catalogue/languages.ts";
import type {
  StageCatalogue,
  StageLanguages,
  StageVoice,
  StageVoices,
} from "../shared/platform/catalogue/stage-catalogue.ts";
import { allVoices, openAiVoices } from "../shared/platform/catalogue/voices.ts";
import { calibrationFile } from "./evaluation/calibration/calibration-file.ts";
import { readStageFile, type StageFolder } from "./stage-file.ts";
import { profilesFile } from "./stage-profiles.ts";

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
    model: text(200).optional(),
    server: text(31).optional(),
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

/**
 * Reads what the folder of a stage says of its models: `voices.json`, `languages.json`, `profiles.json` and `calibration.json`, which are all
 * optional.
 *
 * @throws Error with the file and the line of each mistake.
 */
export const readStageCatalogue = (folder: StageFolder): StageCatalogue => {
  const languages: StageLanguages | undefined = readStageFile(folder, "languages.json", languagesFile);
  const voices: StageVoices | undefined = readStageFile(folder, "voices.json", voicesFile(languages));
  const profiles = readStageFile(folder, "profiles.json", profilesFile(languages));
  const calibration = readStageFile(folder, "calibration.json", calibrationFile);
  return {
    ...(calibration ? { calibration } : {}),
    ...(voices ? { voices } : {}),
    ...(languages ? { languages } : {}),
    ...(profiles ? { profiles } : {}),
  };
};
