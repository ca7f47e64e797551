import { findLanguage, type Language, languages } from "./languages.ts";

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

/** The 20 languages of synthesis, by code. */
export const synthesisLanguages: readonly SynthesisLanguage[] = languages.flatMap(({ code, name }) => {
  const voices = voicesByLanguage[code];
  return voices ? [{ code, name, voices }] : [];
});

/** The language of a request that names neither voice nor language. */
export const defaultSynthesisLanguage = "lug";

/** Every voice's tag, in the order of the languages. */
export const allVoices: readonly string[] = synthesisLanguages.flatMap(({ voices }) => voices);

const byCode = new Map(synthesisLanguages.map((entry) => [entry.code, entry]));
const byVoice = new Map(
  synthesisLanguages.flatMap((entry) => entry.voices.map((voice) => [voice, entry] as const)),
);

/** As `findLanguage`; `undefined` when speech is not synthesised in the language. */
export const findSynthesisLanguage = (codeOrName: string): SynthesisLanguage | undefined =>
  byCode.get(findLanguage(codeOrName)?.code ?? "");

/** The language that a voice speaks; `undefined` when there is no such voice. */
export const languageOfVoice = (voice: string): SynthesisLanguage | undefined => byVoice.get(voice);
