import { confidenceOf } from "../../models/inference/confidence.ts";
import type { Segment, TextConfidence, Word } from "../../models/inference/transcription.ts";
import { type Alignment, alignTokens, type Match } from "./align-tokens.ts";
import { labelSpeakers, matchSpeakers } from "./speakers.ts";
import { type LabelledSpeaker, partSegments, type Token, type TranscribedPart, tokensOf } from "./tokens.ts";

export type { TranscribedPart } from "./tokens.ts";

export interface StitchedTranscript extends TextConfidence {
  readonly text: string;
  /** Present when any part has segments. */
  readonly segments?: readonly Segment[];
  /** Present when any segment has a speaker. */
  readonly speakers?: readonly LabelledSpeaker[];
  /** Present when every part with text has words. */
  readonly words?: readonly Word[];
}

/** A time in which two parts heard different words, and what that leaves of their confidence. */
interface Difference {
  readonly start: number;
  readonly end: number;
  readonly factor: number;
}

/** A part, and the range of its tokens that stay. */
interface TrimmedPart {
  readonly part: TranscribedPart;
  readonly tokens: readonly Token[];
  from: number;
  until: number;
  /** Where another part heard something else. */
  readonly differing: Difference[];
}

/**
 * Joins the transcripts of overlapping pieces. Parts may be missing.
 *
 * Words that both pieces have show the overlap. The second piece takes over after the one with the widest pause behind it, so a
 * word that a cut splits comes from the other piece. Without common words the widest pause decides, and without times nothing is
 * left out. Speakers are matched by when they speak in the overlap.
 */
export const stitch = (parts: readonly TranscribedPart[]): StitchedTranscript => {
  const matched = matchSpeakers(parts.toSorted((one, other) => one.start - other.start));
  const remaining = matched.parts.map((part): TrimmedPart => {
    const tokens = tokensOf(part);
    return { part, tokens, from: 0, until: tokens.length, differing: [] };
  });
  for (const [index, after] of remaining.entries()) {
    const before = remaining[index - 1];
    if (before && after.part.start < before.part.end) join(before, after);
  }
  const spoken = remaining.filter(({ from, until }) => from < until);
  const hasSegments = spoken.some(({ part }) => part.segments?.length);
  const hasWords = spoken.length > 0 && spoken.every(({ part }) => part.words?.length);
  const segments = inOrder(spoken.flatMap(remainingSegments));
  return {
    text: textOf(spoken.flatMap(({ tokens, from, until }) => tokens.slice(from, until))),
    ...(hasSegments && { ...labelSpeakers(segments, matched.uncertain), ...confidenceOf(segments) }),
    ...(hasWords && { words: inOrder(spoken.flatMap(remainingWords)) }),
  };
};

/** Beyond this slack, one matching word is not enough. */
const exactSlack = 3;

/** The alignment's table has the square of this. */
const maxCompared = 300;

/** The overlap in words is estimated from the average pace; people speak up to this much faster. */
const maxHurry = 3;
const minCompared = 20;

/** Chooses the last token of a part and the first token of the next. */
const join = (before: TrimmedPart, after: TrimmedPart): void => {
  const [start, end] = [after.part.start, before.part.end];
  const max = Math.max(likelyShared(before, end - start), likelyShared(after, end - start));
  const mayBeShared = ({ slack, ...token }: Token): boolean =>
    !isTimed({ slack }) || (token.end + slack > start && token.start - slack < end);
  const tail = lastOf(before.tokens.slice(-max), mayBeShared);
  const head = firstOf(after.tokens.slice(0, max), mayBeShared);
  const isExact = [...tail, ...head].every(({ slack }) => slack <= exactSlack);
  const alignment = alignTokens(tail, head, !isExact);
  const match = isCredible(alignment, tail, isExact) ? bestMatch(alignment, tail, head, end) : undefined;
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
  const difference = differenceIn(alignment, tail, head, { start, end });
  if (difference) for (const part of [before, after]) part.differing.push(difference);
};

/** Fewer words show nothing. */
const minDifferingWords = 4;

/** From this share of common words, parts agree: the times of the others may be wrong. */
const minAgreement = 0.5;

/** Whether two parts heard different words in the time that they share, and what that leaves of their confidence. */
const differenceIn = (
  { matches }: Alignment,
  tail: readonly Token[],
  head: readonly Token[],
  { start, end }: Omit<Difference, "factor">,
): Difference | undefined => {
  const isShared = (token: Token | undefined): boolean =>
    token !== undefined && isTimed(token) && token.start >= start && token.end <= end;
  const [before, after] = [tail.filter(isShared).length, head.filter(isShared).length];
  if (Math.max(before, after) < minDifferingWords) return undefined;
  const same = matches.filter((match) => isShared(tail[match.before]) && isShared(head[match.after])).length;
  const agreement = (2 * same) / (before + after);
  return agreement >= minAgreement ? undefined : { start, end, factor: agreement / minAgreement };
};

/** A text with less confidence where another part heard something else. */
const doubted = <Text extends Segment | Word>(text: Text, { differing }: TrimmedPart): Text => {
  const found = differing.find(({ start, end }) => text.start < end && text.end > start);
  if (text.confidence === undefined || !found) return text;
  return { ...text, confidence: milliseconds(text.confidence * found.factor) };
};

/** The same for a segment, with the reason. */
const doubtedSegment = (segment: Segment, part: TrimmedPart): Segment => {
  const after = doubted(segment, part);
  return after === segment ? segment : { ...after, reasons: [...(segment.reasons ?? []), "pieces_differ"] };
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

/** One short common word is likely a coincidence. */
const minScore = 2;
const minLetters = 4;

const isCredible = ({ matches, score }: Alignment, tail: readonly Token[], isExact: boolean): boolean => {
  const [only] = matches;
  if (!only) return false;
  if (isExact || (matches.length > 1 && score >= minScore)) return true;
  const isAtEnds = only.before === tail.length - 1 && only.after === 0;
  return isAtEnds && [...(tail[only.before]?.key ?? "")].length >= minLetters;
};

/** Among equal pauses, prefers the middle, because words there were heard whole. */
const preference = 0.001;

/** Returns the match after which the later part takes over. */
const bestMatch = (
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
  return matches[worth.indexOf(worth.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY))];
};

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

/** The time of a token, or of its segment when only the segment has times: then a segment stays or goes as a whole. */
const middleOf = ({ part }: TrimmedPart, token: Token, isExact: boolean): number => {
  const segment = partSegments(part)[token.segment];
  if (isExact || !segment) return (token.start + token.end) / 2;
  return part.start + (segment.start + segment.end) / 2;
};

const textOf = (tokens: readonly Token[]): string =>
  tokens.map(({ text, isGlued }, index) => (isGlued || index === 0 ? text : ` ${text}`)).join("");

const remainingSegments = (trimmed: TrimmedPart): Segment[] => {
  const { part, tokens, from, until } = trimmed;
  return partSegments(part).flatMap((segment, index) => {
    const all = tokens.filter((token) => token.segment === index);
    const remaining = tokens.slice(from, until).filter((token) => token.segment === index);
    const [first, last] = [remaining[0], remaining.at(-1)];
    if (!first || !last) return [];
    const start = first === all[0] ? part.start + segment.start : first.start;
    const end = last === all.at(-1) ? part.start + segment.end : last.end;
    const times = { start: within(part, start), end: within(part, end) };
    return [doubtedSegment({ ...segment, ...times, text: textOf(remaining) }, trimmed)];
  });
};

const remainingWords = (trimmed: TrimmedPart): Word[] => {
  const { part, tokens, from, until } = trimmed;
  const words = (part.words ?? []).map(({ start, end, ...said }) => {
    const times = { start: within(part, part.start + start), end: within(part, part.start + end) };
    return doubted({ ...said, ...times }, trimmed);
  });
  if (words.length === tokens.length) return words.slice(from, until);
  const [first, last] = [tokens[from], tokens[until - 1]];
  const earliest = from > 0 && first ? first.start : part.start;
  const latest = until < tokens.length && last ? last.end : part.end;
  return words.filter(({ start, end }) => start + end >= 2 * earliest && start + end <= 2 * latest);
};

const within = ({ start, end }: TranscribedPart, time: number): number =>
  Math.min(end, Math.max(start, time));

const milliseconds = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

/** The times of two parts can cross slightly where they meet. */
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
