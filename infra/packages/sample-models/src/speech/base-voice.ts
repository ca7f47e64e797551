/** The languages of eSpeak NG, by its own codes, in which the sample server speaks. */
export type BaseVoice = "en" | "sw" | "af" | "tn";

const baseVoiceByLanguage = new Map<string, BaseVoice>([
  ["eng", "en"],
  ["english", "en"],
  ["afr", "af"],
  ["afrikaans", "af"],
  ["tsn", "tn"],
  ["tswana", "tn"],
  ["sot", "tn"],
  ["sotho", "tn"],
]);

/**
 * The language of eSpeak NG that reads a language best, which is given as its ISO 639-3 code or its English name.
 *
 * Swahili reads all that have none of their own: its five vowels and its stress on the last syllable but one are
 * those of most Bantu languages, and it spells `ny`, `ng'` and `mb` as they do. It cannot do clicks and tones.
 */
export function baseVoiceOf(language: string): BaseVoice {
  return baseVoiceByLanguage.get(language.trim().toLowerCase()) ?? "sw";
}
