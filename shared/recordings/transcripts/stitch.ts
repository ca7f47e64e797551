import type { Segment, Word } from "../../models/inference/transcription.ts";
import { type Alignment, alignTokens, type Match } from "./align-tokens.ts";
import { partSegments, type Token, type TranscribedPart, tokensOf } from "./tokens.ts";

export type { TranscribedPart } from "./tokens.ts";

/** What was said in a recording. */
export interface StitchedTranscript {
  readonly text: string;
  /** When any part has segments. Without speakers, whose names are others in each part. */
  readonly segments?: readonly Segment[];
  /** When each part that has a text has words. */
  readonly words?: readonly Word[];
}

/** A part, and which of its tokens are kept. */
interface TrimmedPart {
  readonly part: TranscribedPart;
  readonly tokens: readonly Token[];
  from: number;
  until: number;
}

/**
 * Makes one transcript of those of pieces that share their ends.
 *
 * What two pieces share is found by the words that both have, and of the places between such words the one with the widest
 * pause is where the second takes over; so a word that a piece's end cuts in half comes from the other piece. Where no word
 * is in both, the widest pause alone decides, and without times nothing is left out. Parts may be missing.
 */
export const stitch = (parts: readonly TranscribedPart[]): StitchedTranscript => {
  const remaining = parts
    .toSorted((one, other) => one.start - other.start)
    .map((part): TrimmedPart => {
      const tokens = tokensOf(part);
      return { part, tokens, from: 0, until: tokens.length };
    });
  for (const [index, after] of remaining.entries()) {
    const before = remaining[index - 1];
    if (before && after.part.start < before.part.end) join(before, after);
  }
  const spoken = remaining.filter(({ from, until }) => from < until);
  const hasSegments = spoken.some(({ part }) => part.segments?.length);
  const hasWords = spoken.length > 0 && spoken.every(({ part }) => part.words?.length);
  return {
    text: textOf(spoken.flatMap(({ tokens, from, until }) => tokens.slice(from, until))),
    ...(hasSegments && { segments: inOrder(spoken.flatMap(remainingSegments)) }),
    ...(hasWords && { words: inOrder(spoken.flatMap(remainingWords)) }),
  };
};

/** Beyond this, words that are alike need others around them that are. */
const exactSlack = 3;

/** The table of an alignment has the square of them. */
const maxCompared = 300;

/** Without times, what is shared is estimated; people do not speak equally fast. */
const maxHurry = 3;
const minCompared = 20;

/** Decides which token is the last one of a part, and which the first one of the part after it. */
const join = (before: TrimmedPart, after: TrimmedPart): void => {
  const [start, end] = [after.part.start, before.part.end];
  const max = Math.max(likelyShared(before, end - start), likelyShared(after, end - start));
  const mayBeShared = ({ slack, ...token }: Token): boolean =>
    !isTimed({ slack }) || (token.end + slack > start && token.start - slack < end);
  const tail = lastOf(before.tokens.slice(-max), mayBeShared);
  const head = firstOf(after.tokens.slice(0, max), mayBeShared);
  const isExact = [...tail, ...head].every(({ slack }) => slack <= exactSlack);
  const alignment = alignTokens(tail, head, !isExact);
  const match = isCredible(alignment, tail, isExact) ? maxPause(alignment, tail, head, end) : undefined;
  if (match) {
    before.until = before.tokens.length - tail.length + match.before + 1;
    after.from = match.after + 1;
  } else if ([...tail, ...head].every(isTimed)) {
    const time = pauseBetween([...tail, ...head], start, end);
    const isEarly = (part: TrimmedPart, token: Token): boolean => middleOf(part, token, isExact) < time;
    before.until = before.tokens.findLastIndex((token) => isEarly(before, token)) + 1;
    after.from = after.tokens.findIndex((token) => !isEarly(after, token));
    if (after.from < 0) after.from = after.tokens.length;
  }
  before.until = Math.max(before.from, before.until);
};

const isTimed = ({ slack }: Pick<Token, "slack">): boolean => Number.isFinite(slack);

const lastOf = (tokens: readonly Token[], isWanted: (token: Token) => boolean): readonly Token[] => {
  const first = tokens.findIndex(isWanted);
  return first < 0 ? [] : tokens.slice(first);
};

const firstOf = (tokens: readonly Token[], isWanted: (token: Token) => boolean): readonly Token[] =>
  tokens.slice(0, tokens.findLastIndex(isWanted) + 1);

const likelyShared = ({ part, tokens }: TrimmedPart, seconds: number): number =>
  Math.min(
    maxCompared,
    minCompared + Math.ceil((maxHurry * tokens.length * seconds) / (part.end - part.start)),
  );

/** One short word at both ends is chance as likely as not. */
const minScore = 2;
const minLetters = 4;

const isCredible = ({ matches, score }: Alignment, tail: readonly Token[], isExact: boolean): boolean => {
  const [only] = matches;
  if (!only) return false;
  if (isExact || (matches.length > 1 && score >= minScore)) return true;
  const isAtEnds = only.before === tail.length - 1 && only.after === 0;
  return isAtEnds && [...(tail[only.before]?.key ?? "")].length >= minLetters;
};

/** Of places that are alike, the one furthest from both ends, because words there were heard whole. */
const preference = 0.001;

/** The match after which the later part takes over. */
const maxPause = (
  { matches }: Alignment,
  tail: readonly Token[],
  head: readonly Token[],
  end: number,
): Match | undefined => {
  const pauseAfter = (tokens: readonly Token[], index: number): number => {
    const token = tokens[index];
    return token && isTimed(token) ? (tokens[index + 1]?.start ?? Math.max(end, token.end)) - token.end : 0;
  };
  const worth = matches.map(
    ({ before, after }, index) =>
      Math.min(pauseAfter(tail, before), pauseAfter(head, after)) -
      preference * Math.abs(index - (matches.length - 1) / 2),
  );
  return matches[worth.indexOf(Math.max(...worth))];
};

/** The middle of the widest pause in all that was heard. */
const pauseBetween = (tokens: readonly Token[], start: number, end: number): number => {
  const spoken = tokens
    .filter((token) => token.end > start && token.start < end)
    .toSorted((one, other) => one.start - other.start);
  let [widest, middle, silentFrom] = [0, (start + end) / 2, start];
  for (const next of [...spoken.map((token) => [token.start, token.end] as const), [end, end] as const]) {
    if (next[0] - silentFrom > widest) [widest, middle] = [next[0] - silentFrom, (next[0] + silentFrom) / 2];
    silentFrom = Math.max(silentFrom, next[1]);
  }
  return middle;
};

/** When a token is said; where only its segment has times, a segment is kept or left out as a whole. */
const middleOf = ({ part }: TrimmedPart, token: Token, isExact: boolean): number => {
  const segment = partSegments(part)[token.segment];
  if (isExact || !segment) return (token.start + token.end) / 2;
  return part.start + (segment.start + segment.end) / 2;
};

const textOf = (tokens: readonly Token[]): string =>
  tokens.map(({ text, isGlued }, index) => (isGlued || index === 0 ? text : ` ${text}`)).join("");

const remainingSegments = ({ part, tokens, from, until }: TrimmedPart): Segment[] =>
  partSegments(part).flatMap((segment, index) => {
    const all = tokens.filter((token) => token.segment === index);
    const remaining = tokens.slice(from, until).filter((token) => token.segment === index);
    const [first, last] = [remaining[0], remaining.at(-1)];
    if (!first || !last) return [];
    const start = first === all[0] ? part.start + segment.start : first.start;
    const end = last === all.at(-1) ? part.start + segment.end : last.end;
    return [{ start: within(part, start), end: within(part, end), text: textOf(remaining) }];
  });

const remainingWords = ({ part, tokens, from, until }: TrimmedPart): Word[] => {
  const words = (part.words ?? []).map(({ start, end, text }) => ({
    start: within(part, part.start + start),
    end: within(part, part.start + end),
    text,
  }));
  if (words.length === tokens.length) return words.slice(from, until);
  const [first, last] = [tokens[from], tokens[until - 1]];
  const earliest = from > 0 && first ? first.start : part.start;
  const latest = until < tokens.length && last ? last.end : part.end;
  return words.filter(({ start, end }) => start + end >= 2 * earliest && start + end <= 2 * latest);
};

const within = ({ start, end }: TranscribedPart, time: number): number =>
  Math.min(end, Math.max(start, time));

const milliseconds = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

/** Where two parts meet, their times may cross by a moment. */
const inOrder = <Timed extends { readonly start: number; readonly end: number }>(
  items: readonly Timed[],
): Timed[] => {
  let [start, end] = [0, 0];
  return items.map((item) => {
    start = Math.max(start, milliseconds(item.start));
    end = Math.max(start, end, milliseconds(item.end));
    return { ...item, start, end };
  });
};
