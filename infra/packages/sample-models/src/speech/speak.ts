import { foldSpelling, splitText } from "./readable-text.ts";
import { sampleRate } from "./samples.ts";
import type { Synthesise } from "./synthesiser.ts";
import type { BaseVoice, Voice } from "./voices.ts";

/** What is longer is cut off. */
const maxSeconds = 600;

/** Between two sentences. eSpeak NG makes none at the end of a text, and each sentence is a text of its own here. */
const pauseSeconds = 0.35;

/**
 * Speaks a text, piece by piece: the next is synthesised when the last has been taken, so that a client who reads
 * slowly or leaves costs nothing more. Other texts get their turn between two pieces.
 *
 * @param base the language in which the voice reads the text
 * @returns samples (16 bits, mono, `sampleRate`), at least one run of them: a text without a word is a short silence
 */
export async function* speak(
  text: string,
  { variant, pitch, wordsPerMinute }: Voice,
  base: BaseVoice,
  synthesise: Synthesise,
): AsyncGenerator<Int16Array> {
  const pieces = splitText(foldSpelling(text, base));
  let secondsLeft = maxSeconds;
  for (const piece of pieces) {
    const utterance = { text: piece.text, voiceName: `${base}+${variant}`, pitch, wordsPerMinute };
    const samples = await synthesise({ ...utterance, maxSeconds: secondsLeft });
    yield samples;
    secondsLeft -= samples.length / sampleRate;
    if (secondsLeft <= pauseSeconds) return;
    if (piece.endsSentence) {
      yield pause();
      secondsLeft -= pauseSeconds;
    }
  }
  if (pieces.length === 0) yield pause();
}

const pause = (): Int16Array => new Int16Array(pauseSeconds * sampleRate);
