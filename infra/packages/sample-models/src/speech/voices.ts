import { createHash } from "node:crypto";
import { synthesisLanguages } from "../../../../../shared/catalogue/voices.ts";
import { type BaseVoice, baseVoiceOf } from "./base-voice.ts";

/** One voice of the sample server: how the synthesiser is set for a tag. */
export type Voice = {
  /** The tag under which clients ask for it, for example `salt_lug_0001`. */
  readonly tag: string;
  /** What it speaks unless a request names another language. */
  readonly base: BaseVoice;
  /** The speaker of eSpeak NG that lends it the timbre; `f` are women, `m` are men. */
  readonly variant: string;
  /** 0 to 99, where 50 is the speaker's own. */
  readonly pitch: number;
  readonly wordsPerMinute: number;
};

/** Women and men by turns, so that the first voices of a language differ most. */
const variants = ["f2", "m1", "f5", "m3", "f1", "m7", "f3", "m5", "f4", "m2", "m4", "m6"] as const;

/** A voice for every tag of the service's catalogue, in its order. */
export const voices: readonly Voice[] = synthesisLanguages.flatMap(({ code, voices: tags }) =>
  tags.map((tag, position) => {
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

const voiceByTag = new Map(voices.map((voice) => [voice.tag, voice]));

/** The voice with this tag; undefined when the catalogue has none. */
export function findVoice(tag: string): Voice | undefined {
  return voiceByTag.get(tag);
}
