/** Samples per second of all that the sample server speaks, as with the models it stands for. */
export const sampleRate = 24_000;

/** One piece of text to be spoken, with everything that decides how. */
export type Utterance = {
  /** Without markup; see `foldSpelling`. */
  readonly text: string;
  /** eSpeak NG's name of the voice, for example `sw+f2`. */
  readonly voiceName: string;
  /** 0 to 99. */
  readonly pitch: number;
  readonly wordsPerMinute: number;
  /** What would be longer is cut off. */
  readonly longestSeconds: number;
};

/** Gives the samples of an utterance: 16 bits, mono, `sampleRate`. */
export type Synthesise = (utterance: Utterance) => Promise<Int16Array>;
