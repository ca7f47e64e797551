import { findLanguage, type Language, languagesWith } from "./languages.ts";
import { type StageCatalogue, type StageVoice, stageCatalogue } from "./stage-catalogue.ts";

export interface SynthesisLanguage extends Pick<Language, "code" | "name"> {
  /** Tags of its voices: corpus, language, number. The first is the default; some languages have none yet. */
  readonly voices: readonly string[];
}

/** The voices of the model, by the code of their language (specification, section Voices; tags of its public release). */
const voicesByLanguage: Readonly<Record<string, readonly string[]>> = {
  ach: ["salt_ach_0001", "waxal_ach_0001", "waxal_ach_0005", "waxal_ach_0006", "waxal_ach_0008"],
  afr: ["slr32_afr_0009"],
  eng: ["salt_eng_0001", "salt_eng_0002", "salt_eng_0003"],
  ewe: ["slr129_ewe_0001"],
  ful: ["waxal_ful_0003", "waxal_ful_0004", "waxal_ful_0006"],
  hau: ["waxal_hau_0004", "waxal_hau_0006", "waxal_hau_0007", "waxal_hau_0008"],
  ibo: ["waxal_ibo_0003", "waxal_ibo_0005", "waxal_ibo_0008"],
  kik: ["waxal_kik_0003", "waxal_kik_0004"],
  kin: ["bateesa_kin_0001"],
  lgg: [],
  lin: ["slr129_lin_0001"],
  lug: [
    "salt_lug_0001",
    "waxal_lug_0002",
    "waxal_lug_0003",
    "waxal_lug_0004",
    "waxal_lug_0005",
    "waxal_lug_0006",
    "waxal_lug_0007",
    "waxal_lug_0008",
  ],
  luo: ["waxal_luo_0001", "waxal_luo_0002", "waxal_luo_0003", "waxal_luo_0004"],
  nyn: ["salt_nyn_0001", "waxal_nyn_0003", "waxal_nyn_0004", "waxal_nyn_0007", "waxal_nyn_0008"],
  sot: [],
  swa: ["waxal_swa_0006", "waxal_swa_0007"],
  teo: ["salt_teo_0001"],
  tsn: [],
  xho: ["slr32_xho_0012"],
  yor: ["waxal_yor_0002", "waxal_yor_0006", "waxal_yor_0008"],
};

/** A language's voices in the catalogue of a stage; `undefined` when speech is not synthesised in it. */
const voicesOf = (code: string, own: StageCatalogue["voices"]): readonly string[] | undefined => {
  const specified = own?.mode === "replace" ? undefined : voicesByLanguage[code];
  const added = own?.voices.filter(({ language }) => language === code).map(({ tag }) => tag) ?? [];
  return specified || added.length > 0 ? [...(specified ?? []), ...added] : undefined;
};

/** The languages of synthesis in the catalogue of a stage, by code. The specification's voices of a language come first. */
export const synthesisLanguagesWith = (own: StageCatalogue): readonly SynthesisLanguage[] =>
  languagesWith(own.languages).flatMap(({ code, name }) => {
    const voices = voicesOf(code, own.voices);
    return voices ? [{ code, name, voices }] : [];
  });

/** The languages of synthesis, by code. */
export const synthesisLanguages = synthesisLanguagesWith(stageCatalogue);

const byCode = new Map(synthesisLanguages.map((entry) => [entry.code, entry]));
const byVoice = new Map(
  synthesisLanguages.flatMap((entry) => entry.voices.map((voice) => [voice, entry] as const)),
);

const specifiedDefault = "lug";

/** The language of a request that names neither voice nor language: Luganda, or the first of a stage without a voice for it. */
const defaultLanguage = [byCode.get(specifiedDefault), ...synthesisLanguages].find(
  (entry) => entry !== undefined && entry.voices.length > 0,
);

/** The code of the language of a request that names neither voice nor language. */
export const defaultSynthesisLanguage = defaultLanguage?.code ?? specifiedDefault;

/** The name of that language. */
export const defaultSynthesisLanguageName = defaultLanguage?.name ?? specifiedDefault;

/** The voices of that language, of which the first is the default. */
export const defaultVoices: readonly string[] = defaultLanguage?.voices ?? [];

/** Every voice's tag, in the order of the languages. */
export const allVoices: readonly string[] = synthesisLanguages.flatMap(({ voices }) => voices);

/** As `findLanguage`; `undefined` when speech is not synthesised in the language. */
export const findSynthesisLanguage = (codeOrName: string): SynthesisLanguage | undefined =>
  byCode.get(findLanguage(codeOrName)?.code ?? "");

/** The language that a voice speaks; `undefined` when there is no such voice. */
export const languageOfVoice = (voice: string): SynthesisLanguage | undefined => byVoice.get(voice);

const ownVoices = new Map(stageCatalogue.voices?.voices.map((voice) => [voice.tag, voice]));

/** What the stage's file says of one of its own voices; `undefined` for a voice of the specification. */
export const findStageVoice = (tag: string): StageVoice | undefined => ownVoices.get(tag);

/** The language and the voice, for people. */
export const nameOfVoice = (tag: string): string => {
  const own = findStageVoice(tag);
  const language = languageOfVoice(tag)?.name ?? tag;
  return own ? `${own.name} (${language}, ${own.gender})` : `${language} (${tag})`;
};

/** How the speech model's server knows a voice: the specification's voices by their tags. */
export const modelVoiceOf = (tag: string): string => findStageVoice(tag)?.model_voice ?? tag;

/**
 * OpenAI's voices, of which clients always send one, chosen by the user or not; so they mean no voice in particular.
 */
export const openAiVoices: ReadonlySet<string> = new Set([
  "alloy",
  "ash",
  "ballad",
  "cedar",
  "coral",
  "echo",
  "fable",
  "marin",
  "nova",
  "onyx",
  "sage",
  "shimmer",
  "verse",
]);
