import type { Segment, Word } from "../../models/inference/transcription.ts";

/** What a model understood of one piece of a recording. */
export interface TranscribedPart {
  /** Where the piece starts and ends in the recording, in seconds. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** With times from the piece's own start on. */
  readonly segments?: readonly Segment[] | undefined;
  readonly words?: readonly Word[] | undefined;
}

/** A word, or a character where a script does without spaces; times are the whole recording's. */
export interface Token {
  readonly text: string;
  /** What is compared: neither case nor punctuation. */
  readonly key: string;
  /** Whether it follows the one before without a space. */
  readonly isGlued: boolean;
  /** Of the part's segments; 0 when there are none. */
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  /** How wrong these times may be, in seconds; infinite when there are none. */
  readonly slack: number;
}

/** A word that is longer than any is a sentence in a script without spaces. */
const maxWordLength = 24;

const keyOf = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}]/gu, "") || text;

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

const splitText = (text: string): { readonly text: string; readonly isGlued: boolean }[] =>
  text
    .split(/\s+/u)
    .filter((word) => word !== "")
    .flatMap((word) => {
      if ([...word].length <= maxWordLength) return [{ text: word, isGlued: false }];
      return Array.from(segmenter.segment(word), ({ segment }, index) => ({
        text: segment,
        isGlued: index > 0,
      }));
    });

/** Models place words and segments to some tenths of a second, and sometimes to a second. */
const usualSlack = 1;

/** The segments of a part: one of all of it when the model tells none. */
export const partSegments = (part: TranscribedPart): readonly Pick<Segment, "start" | "end" | "text">[] =>
  part.segments?.length ? part.segments : [{ start: 0, end: part.end - part.start, text: part.text }];

/** All words of a part, with the best times that are known of them. */
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
