import type { Segment, Word } from "../../models/inference/transcription.ts";
import { onFirstUse } from "../../platform/on-first-use.ts";

/** A person in a recording. */
export interface LabelledSpeaker {
  /** `A`, `B` and so on. */
  readonly label: string;
  /** Whether this is certainly another person than all others: a speaker who is silent where two parts overlap may be one of the earlier ones. */
  readonly is_certain: boolean;
}

/** The transcript of one piece of a recording. */
export interface TranscribedPart {
  /** Where the piece starts and ends in the recording, in seconds. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Times are relative to the start of the piece. */
  readonly segments?: readonly Segment[] | undefined;
  readonly words?: readonly Word[] | undefined;
  /** Of a part that was joined from others. */
  readonly speakers?: readonly LabelledSpeaker[] | undefined;
}

/** A word, or a character of a script without spaces. Times are on the recording's clock. */
export interface Token {
  readonly text: string;
  /** The text to compare, without case and punctuation. */
  readonly key: string;
  /** Whether it follows the previous token without a space. */
  readonly isGlued: boolean;
  /** The index of its segment; 0 when there are no segments. */
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  /** The possible error of the times, in seconds; infinite without times. */
  readonly slack: number;
}

/** Anything longer is a sentence in a script without spaces. */
const maxWordLength = 24;

const keyOf = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}]/gu, "") || text;

const segmenter = onFirstUse(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));

const splitText = (text: string): { readonly text: string; readonly isGlued: boolean }[] =>
  text
    .split(/\s+/u)
    .filter((word) => word !== "")
    .flatMap((word) => {
      if ([...word].length <= maxWordLength) return [{ text: word, isGlued: false }];
      return Array.from(segmenter().segment(word), ({ segment }, index) => ({
        text: segment,
        isGlued: index > 0,
      }));
    });

/** The times of models are off by some tenths of a second, sometimes by a second. */
const usualSlack = 1;

/** The segments of a part, or one segment for the whole part. */
export const partSegments = (part: TranscribedPart): readonly Segment[] =>
  part.segments?.length ? part.segments : [{ start: 0, end: part.end - part.start, text: part.text }];

/** Splits a part into words with the best known times. */
export const tokensOf = (part: TranscribedPart): readonly Token[] => {
  const hasTimes = Boolean(part.segments?.length);
  const tokens = partSegments(part).flatMap((segment, index) => {
    const pieces = splitText(segment.text);
    const seconds = (segment.end - segment.start) / Math.max(1, pieces.length);
    return pieces.map(({ text, isGlued }, position): Token => {
      const start = part.start + segment.start + seconds * position;
      const slack = hasTimes ? usualSlack + (segment.end - segment.start) / 2 : Number.POSITIVE_INFINITY;
      return { text, key: keyOf(text), isGlued, segment: index, start, end: start + seconds, slack };
    });
  });
  const { words = [] } = part;
  const isReported =
    words.length === tokens.length &&
    words.every(({ text }, index) => keyOf(text.trim()) === tokens[index]?.key);
  if (!isReported) return tokens;
  return tokens.map((token, index) => {
    const { start, end } = words[index] ?? token;
    return { ...token, start: part.start + start, end: part.start + end, slack: usualSlack };
  });
};
