import { createHash } from "node:crypto";
import { phrasebookLanguages } from "../phrasebook/languages.ts";

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
export const baseVoiceOf = (language: string): BaseVoice =>
  baseVoiceByLanguage.get(language.trim().toLowerCase()) ?? "sw";

/** One voice of the sample server: how the synthesiser is set for a tag. */
export type Voice = {
  /** The tag that clients use, for example `sample_lug_1`. */
  readonly tag: string;
  /** What it speaks unless a request names another language. */
  readonly base: BaseVoice;
  /** The speaker of eSpeak NG that lends it the timbre; `f` are women, `m` are men. */
  readonly variant: string;
  /** 0 to 99, where 50 is the speaker's own. */
  readonly pitch: number;
  readonly wordsPerMinute: number;
};

/** Women and men alternate, so the first voices of a language differ most. */
const variants = ["f2", "m1", "f5", "m3", "f1", "m7", "f3", "m5", "f4", "m2", "m4", "m6"] as const;

/** The tags of the voices of each language, given by its ISO 639-3 code. */
export type VoiceCatalogue = readonly { readonly code: string; readonly voices: readonly string[] }[];

/** The voices of a server that is given no others. */
export const ownVoices: VoiceCatalogue = phrasebookLanguages.map((code) => ({
  code,
  voices: [`sample_${code}_1`, `sample_${code}_2`],
}));

/** Settings for the tags of a catalogue, which are always the same for a tag at its index. */
export const castVoices = (catalogue: VoiceCatalogue): ReadonlyMap<string, Voice> => {
  const voices = catalogue.flatMap(({ code, voices: tags }) =>
    tags.map((tag, position): Voice => {
      // Within a language the variants keep the voices apart, between languages that share one it is pitch and rate.
      const [pitchByte = 0, rateByte = 0] = createHash("sha256").update(tag).digest();
      return {
        tag,
        base: baseVoiceOf(code),
        variant: variants[position % variants.length] ?? variants[0],
        pitch: 40 + (pitchByte % 21),
        wordsPerMinute: 145 + (rateByte % 31),
      };
    }),
  );
  return new Map(voices.map((voice) => [voice.tag, voice]));
};
