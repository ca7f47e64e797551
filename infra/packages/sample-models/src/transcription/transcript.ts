import { splitSentences } from "../phrasebook/sentences.ts";
import type { Recording, Span } from "./find-speech.ts";

/** A sentence and when it is spoken. */
export type SpokenSentence = Span & { readonly text: string };

/** A sentence is taken to end at a pause when one is this near to where it ends by its length; seconds of speech. */
const nearPause = 1;

/**
 * Spreads the sentences of a text over the speech of a recording, by their length, and where it can from pause to
 * pause. In order, without overlap; none for silence.
 */
export const spreadSentences = (text: string, speech: readonly Span[]): SpokenSentence[] => {
  const sentences = sentencesOf(text);
  const clock = speechClock(speech);
  const characters = sentences.reduce((sum, sentence) => sum + sentence.length, 0);
  if (clock.total === 0) return [];
  let spoken = 0;
  let charactersSpoken = 0;
  return sentences.map((sentence, index) => {
    charactersSpoken += sentence.length;
    const byLength = (clock.total * charactersSpoken) / characters;
    const begin = spoken;
    spoken = index === sentences.length - 1 ? clock.total : clock.snap(byLength, begin);
    return { start: clock.startAt(begin), end: clock.endAt(spoken), text: sentence };
  });
};

/** The sentences with their punctuation. What has no word (a dash, an emoji) stays with the sentence before it. */
const sentencesOf = (text: string): string[] => {
  const sentences: string[] = [];
  let carried = "";
  for (const { opening, words, closing, gap } of splitSentences(text)) {
    if (words !== "" && carried.trim() !== "") {
      sentences.push(carried.trim());
      carried = "";
    }
    carried += opening + words + closing + gap;
  }
  return carried.trim() === "" ? sentences : [...sentences, carried.trim()];
};

/** Time that counts speech only, without the pauses, and its position in the recording. */
const speechClock = (speech: readonly Span[]) => {
  let total = 0;
  const runs = speech.map(({ start, end }) => {
    const from = total;
    total += end - start;
    return { start, from, to: total };
  });
  const at = (position: number, run: (typeof runs)[number] | undefined) =>
    run ? run.start + position - run.from : 0;
  return {
    total,
    /** The nearest pause, if there is one near and it is after the given position; the time itself if not. */
    snap: (time: number, after: number): number => {
      const pauses = runs.map(({ to }) => to).filter((pause) => pause > after && pause < total);
      const nearest = pauses.toSorted((a, b) => Math.abs(a - time) - Math.abs(b - time))[0];
      return nearest !== undefined && Math.abs(nearest - time) <= nearPause ? nearest : time;
    },
    startAt: (position: number): number => at(position, runs.find(({ to }) => position < to) ?? runs.at(-1)),
    endAt: (position: number): number => at(position, runs.find(({ to }) => position <= to) ?? runs.at(-1)),
  };
};

/** What the sample server says of speech that it cannot read back. */
export const noRecogniser =
  "[The sample server cannot recognise speech. For a real model, set TRANSCRIPTION_BASE_URL and restart the service.]";

/** A stretch of speech under OpenAI's names. */
export type TranscriptSegment = { id: number; start: number; end: number; text: string };

/** A word under OpenAI's names. */
export type TranscriptWord = { start: number; end: number; word: string };

/** What was said, as far as the sample server knows it. */
export type Transcript = {
  readonly text: string;
  readonly durationSeconds: number;
  readonly segments: readonly TranscriptSegment[];
};

/**
 * Writes down a recording: the text of one that the sample server has spoken itself, the note that there is no
 * recogniser for any other, and nothing for silence.
 */
export const transcribe = ({ durationSeconds, speech, spokenText }: Recording): Transcript => {
  const duration = roundSeconds(durationSeconds);
  if (speech.length === 0) return { text: "", durationSeconds: duration, segments: [] };
  const text = spokenText ?? noRecogniser;
  const spoken: (Span & Pick<SpokenSentence, "text">)[] =
    spokenText === undefined
      ? speech.map((span) => ({ ...span, text: noRecogniser }))
      : spreadSentences(spokenText, speech);
  const segments = spoken.map((sentence, id) => ({
    id,
    start: roundSeconds(sentence.start),
    end: roundSeconds(sentence.end),
    text: sentence.text,
  }));
  return { text, durationSeconds: duration, segments };
};

/** Spreads the words of segments over their times, by the length of the words. */
export const wordsOf = (segments: readonly TranscriptSegment[]): TranscriptWord[] =>
  segments.flatMap(({ start, end, text }) => {
    const words = text.split(/\s+/u).filter((word) => word !== "");
    const letters = words.reduce((sum, word) => sum + word.length, 0);
    let before = 0;
    return words.map((word) => {
      const from = start + ((end - start) * before) / letters;
      before += word.length;
      const to = start + ((end - start) * before) / letters;
      return { start: roundSeconds(from), end: roundSeconds(to), word };
    });
  });

/** To milliseconds. */
const roundSeconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;
