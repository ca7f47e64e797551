import { divideText, maxPassageLength } from "./divide-text.ts";
import { requireShortPassage } from "./document-size.ts";
import { findPlaceholders } from "./placeholders.ts";
import type { DocumentSegment, Range, SegmentPiece, TextPiece } from "./segment.ts";

/** How a format writes the characters of its words. */
export interface Syntax {
  /** Matches one escaped character. Global. */
  readonly escaped: RegExp;
  /** Returns what a reader sees for it. What is not one UTF-16 unit becomes a mask. */
  readonly decode: (escaped: string) => string;
  /** Characters that have a meaning in the format. New ones are escaped, unless the segment has them unescaped. */
  readonly special: string;
  /** Those of them whose unescaped form depends on what follows: it becomes a mask. */
  readonly neverPlain?: string;
  readonly escape: (character: string) => string;
  /** Matches space that readers see as one blank, such as the end of a line. Global. */
  readonly blank?: RegExp;
  /** Matches what separates lines for readers too: it becomes a mask. Global. */
  readonly lineBreak?: RegExp;
}

/** The syntax of words in which no character has a meaning. */
export const plainSyntax: Syntax = {
  escaped: /(?!)/g,
  decode: (escaped) => escaped,
  special: "",
  escape: (character) => character,
  blank: /(?<![ \t])[ \t]*\r?\n[ \t]*/g,
};

/**
 * How a segment writes characters: as its source does. A second way to write the same character becomes a mask, so that
 * translating there and back returns the same bytes.
 */
type WrittenForms = Map<string, string>;

/** A match of the syntax in the source, in UTF-16 units from the start of the range. */
interface Match {
  readonly index: number;
  readonly written: string;
  readonly seen: string | undefined;
}

const matchesIn = (text: string, { escaped, decode, blank, lineBreak }: Syntax): Match[] => {
  const find = (pattern: RegExp | undefined, see: (written: string) => string | undefined): Match[] =>
    pattern
      ? Array.from(text.matchAll(pattern), ({ index, 0: written }) => ({
          index,
          written,
          seen: see(written),
        }))
      : [];
  const found = [
    ...find(lineBreak, () => undefined),
    ...find(escaped, decode),
    ...find(blank, () => " "),
  ].toSorted((one, other) => one.index - other.index);
  let end = 0;
  return found.filter(({ index, written }) => {
    if (index < end || written === "") return false;
    end = index + written.length;
    return true;
  });
};

/**
 * The text of a range as a reader sees it. It has no object for each character: a document may have ten million of them.
 */
interface SeenText {
  readonly text: string;
  /** Where each UTF-16 unit of the text starts in the source. It ends where the next one starts. */
  readonly starts: readonly number[];
  /** The units that must stay. */
  readonly masked: boolean[];
}

const readSeen = (source: string, { start, end }: Range, syntax: Syntax, forms: WrittenForms): SeenText => {
  const matches = matchesIn(source.slice(start, end), syntax);
  const ambiguous = new Set(matches.map(({ seen }) => seen).filter((seen) => seen !== " "));
  const [starts, masked]: [number[], boolean[]] = [[], []];
  let text = "";
  const add = (seen: string | undefined, from: number, to: number): void => {
    const written = source.slice(from, to);
    const isBlank = seen === " " && syntax.blank !== undefined;
    const isKnown = seen !== undefined && seen.length === 1;
    const isForm = isBlank || (isKnown && (forms.get(seen) ?? written) === written);
    const isPlainMask = written === seen && (syntax.neverPlain ?? "").includes(seen);
    if (isKnown && isForm && !isBlank && !isPlainMask) forms.set(seen, written);
    const isMask = !isKnown || !isForm || isPlainMask;
    text += isMask ? "\uFFFC" : seen;
    starts.push(from);
    masked.push(isMask);
  };
  const addPlain = (from: number, to: number): void => {
    let first = from;
    for (let position = from; position < to; position += 1) {
      const seen = source.charAt(position);
      if (syntax.special.includes(seen) || ambiguous.has(seen) || forms.has(seen)) {
        text += source.slice(first, position);
        add(seen, position, position + 1);
        first = position + 1;
      } else {
        starts.push(position);
        masked.push(false);
      }
    }
    text += source.slice(first, to);
  };
  let position = start;
  for (const { index, written, seen } of matches) {
    addPlain(position, start + index);
    position = start + index + written.length;
    add(seen, start + index, position);
  }
  addPlain(position, end);
  starts.push(end);
  return { text, starts, masked };
};

/** Returns how the source writes each blank of a part of a text. */
const blanksIn = ({ text, starts }: SeenText, source: string, from: number, to: number): string[] => {
  const blanks: string[] = [];
  for (let index = text.indexOf(" ", from); index >= 0 && index < to; index = text.indexOf(" ", index + 1)) {
    blanks.push(source.slice(starts[index], starts[index + 1]));
  }
  return blanks;
};

const textPieces = (seen: SeenText, source: string, from: number, to: number): TextPiece[] => {
  const { text, starts } = seen;
  let end = from;
  return divideText(text.slice(from, to)).map((part) => {
    const start = end;
    end += part.length;
    return {
      kind: "text",
      start: starts[start] ?? 0,
      end: starts[end] ?? 0,
      text: part,
      blanks: blanksIn(seen, source, start, end),
    };
  });
};

const toPieces = (seen: SeenText, source: string): SegmentPiece[] => {
  const { text, starts, masked } = seen;
  const placeholders = new Set<number>();
  for (const [from, to] of findPlaceholders(text)) {
    masked.fill(true, from, to);
    placeholders.add(from);
  }
  const pieces: SegmentPiece[] = [];
  let first = 0;
  for (let index = 1; index <= text.length; index += 1) {
    if (index < text.length && masked[index] === masked[first] && !placeholders.has(index)) continue;
    const range = { start: starts[first] ?? 0, end: starts[index] ?? 0 };
    if (masked[first]) pieces.push({ kind: "mask", role: "placeholder", ...range });
    else for (const piece of textPieces(seen, source, first, index)) pieces.push(piece);
    first = index;
  }
  return pieces;
};

/**
 * Separates the words as the source does. Its line ends are in the translation where they are in the source, in proportion.
 */
const spaced = (words: readonly string[], blanks: readonly string[]): readonly string[] => {
  if (blanks.every((blank) => blank === " ")) return words;
  const count = words.reduce((sum, text) => sum + text.split(" ").length - 1, 0);
  const spaces = Array.from({ length: count }, () => " ");
  for (const [index, blank] of blanks.entries()) {
    if (blank !== " " && count > 0) spaces[Math.floor((index * count) / blanks.length)] = blank;
  }
  let used = 0;
  return words.map((text) => text.replaceAll(" ", () => spaces[used++] ?? " "));
};

const isBlank = (piece: SegmentPiece | undefined): boolean =>
  piece?.kind === "text" && piece.text.trim() === "";

const isMarkup = (piece: SegmentPiece | undefined): boolean =>
  piece?.kind === "mask" && piece.role === "alone";

const depthAfter = (depth: number, piece: SegmentPiece): number => {
  if (piece.kind === "text" || piece.role === "alone" || piece.role === "placeholder") return depth;
  return piece.role === "open" ? depth + 1 : depth - 1;
};

/** Returns, for each piece that opens a pair, the index of the piece that closes it. */
const closingPieces = (pieces: readonly SegmentPiece[]): Map<number, number> => {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === "text") continue;
    if (piece.role === "open") open.push(index);
    const opener = piece.role === "close" ? open.pop() : undefined;
    if (opener !== undefined) closing.set(opener, index);
  }
  return closing;
};

/** Returns a passage without what surrounds its words: space, tags that stand alone, and pairs of tags around all of it. */
const trimPassage = (pieces: readonly SegmentPiece[]): readonly SegmentPiece[] => {
  const closing = closingPieces(pieces);
  let start = 0;
  let end = pieces.length;
  while (start < end) {
    const [first, last] = [pieces[start], pieces[end - 1]];
    if (isBlank(first) || isMarkup(first)) start += 1;
    else if (isBlank(last) || isMarkup(last)) end -= 1;
    else if (closing.get(start) === end - 1) {
      start += 1;
      end -= 1;
    } else break;
  }
  return pieces.slice(start, end);
};

const lengthOf = (piece: SegmentPiece): number => (piece.kind === "text" ? piece.text.length : 4);

/** Divides pieces into passages that a model can translate, between pieces that no pair of tags holds together. */
const splitPassage = (pieces: readonly SegmentPiece[]): SegmentPiece[][] => {
  const passages: SegmentPiece[][] = [[]];
  let length = 0;
  let depth = 0;
  for (const piece of pieces) {
    if (depth === 0 && length > 0 && length + lengthOf(piece) > maxPassageLength) {
      passages.push([]);
      length = 0;
    }
    passages.at(-1)?.push(piece);
    length += lengthOf(piece);
    depth = depthAfter(depth, piece);
  }
  return passages;
};

const hasWords = (pieces: readonly SegmentPiece[]): boolean =>
  pieces.some((piece) => piece.kind === "text" && /\p{L}/u.test(piece.text));

/** Collects the words and masks of passages that share a syntax. */
export interface PassageReader {
  /**
   * Returns the words in a range of the source, and what must stay in it, as pieces.
   *
   * @throws UnreadableDocument when the ranges since the last passage are too long for one.
   */
  readonly read: (range: Range) => SegmentPiece[];
  /** Returns the passages of some of the pieces; none when they have no words. */
  readonly segmentsOf: (
    pieces: readonly SegmentPiece[],
    more?: Omit<DocumentSegment, "pieces" | "encode">,
  ) => DocumentSegment[];
}

/**
 * Reads passages of a source.
 *
 * @param syntax of the words; ranges read by one reader share the forms of their escapes.
 */
export const createPassageReader = (source: string, syntax: Syntax): PassageReader => {
  const forms: WrittenForms = new Map();
  let length = 0;
  const isPlain = (text: string): boolean =>
    [...syntax.special, ...forms.keys()].every((character) => !text.includes(character));
  const encodeWord = (text: string): string => {
    if (isPlain(text)) return text;
    return Array.from(text, (character) => {
      const form = forms.get(character);
      if (form !== undefined) return form;
      return syntax.special.includes(character) ? syntax.escape(character) : character;
    }).join("");
  };
  return {
    read: (range) => {
      length += range.end - range.start;
      requireShortPassage(length);
      return toPieces(readSeen(source, range, syntax, forms), source);
    },
    segmentsOf: (pieces, more = {}) => {
      length = 0;
      return splitPassage(pieces).flatMap((part) => {
        const trimmed = trimPassage(part);
        const [first, ...others] = trimmed;
        if (!first || !hasWords(trimmed)) return [];
        const encode: DocumentSegment["encode"] = (words) =>
          spaced(
            words.map((text) => encodeWord(text)),
            trimmed.flatMap((piece) => (piece.kind === "text" ? piece.blanks : [])),
          );
        return [{ pieces: [first, ...others], encode, ...more }];
      });
    },
  };
};
