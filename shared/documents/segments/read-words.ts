import { containWords, splitPassage, trimPassage } from "./cut-passage.ts";
import { divideText } from "./divide-text.ts";
import { requireShortPassage } from "./document-size.ts";
import { beginsMessage } from "./icu-messages.ts";
import { segmentsInMessages } from "./message-segments.ts";
import { findPlaceholders } from "./placeholders.ts";
import type { DocumentSegment, MaskPiece, Range, SegmentPiece, TextPiece } from "./segment.ts";
import { anyLineEnd, blanksBefore, type PassageReader, type Syntax } from "./syntax.ts";

/** The syntax of words in which no character has a meaning. */
export const plainSyntax: Syntax = {
  escaped: /(?!)/g,
  decode: (escaped) => escaped,
  special: "",
  escape: (character) => character,
  blank: new RegExp(String.raw`${blanksBefore}${anyLineEnd}[ \t]*`, "g"),
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
  /** `null` for what is no part of the text. */
  readonly seen: string | undefined | null;
}

const matchesIn = (text: string, { escaped, decode, blank, lineBreak, joint }: Syntax): Match[] => {
  const find = (pattern: RegExp | undefined, see: (written: string) => Match["seen"]): Match[] => {
    const matches: Match[] = [];
    if (!pattern) return matches;
    // `matchAll` would copy the expression for each of a hundred thousand short texts.
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const [written] = match;
      if (written === "") pattern.lastIndex += 1;
      else matches.push({ index: match.index, written, seen: see(written) });
    }
    return matches;
  };
  const found = [
    ...find(joint, () => null),
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
  /** Where the unit before ends, for units that something is in front of which is no part of the text. */
  readonly joints: ReadonlyMap<number, number>;
  /** The units that must stay. */
  readonly masked: boolean[];
}

const readSeen = (source: string, { start, end }: Range, syntax: Syntax, forms: WrittenForms): SeenText => {
  const matches = matchesIn(source.slice(start, end), syntax);
  const ambiguous = new Set(matches.map(({ seen }) => seen).filter((seen) => seen !== " "));
  const [starts, masked]: [number[], boolean[]] = [[], []];
  const joints = new Map<number, number>();
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
    if (seen !== null) add(seen, start + index, position);
    else if (!joints.has(text.length)) joints.set(text.length, start + index);
  }
  addPlain(position, end);
  starts.push(end);
  return { text, starts, joints, masked };
};

/** Returns the range of some units in the source. */
const rangeIn = ({ starts, joints }: SeenText, from: number, to: number): Range => ({
  start: starts[from] ?? 0,
  end: joints.get(to) ?? starts[to] ?? 0,
});

/** Returns how the source writes each blank of a part of a text. */
const blanksIn = (seen: SeenText, source: string, from: number, to: number): string[] => {
  const blanks: string[] = [];
  const { text } = seen;
  for (let index = text.indexOf(" ", from); index >= 0 && index < to; index = text.indexOf(" ", index + 1)) {
    const { start, end } = rangeIn(seen, index, index + 1);
    blanks.push(source.slice(start, end));
  }
  return blanks;
};

const textPieces = (seen: SeenText, source: string, from: number, to: number): TextPiece[] => {
  const { text } = seen;
  let end = from;
  return divideText(text.slice(from, to)).map((part) => {
    const start = end;
    end += part.length;
    return {
      kind: "text",
      ...rangeIn(seen, start, end),
      text: part,
      blanks: blanksIn(seen, source, start, end),
    };
  });
};

const toPieces = (
  seen: SeenText,
  source: string,
  { placeholders: grammar, lineMark }: Syntax,
): SegmentPiece[] => {
  const { text, masked } = seen;
  const placeholders = new Map<number, Pick<MaskPiece, "isPositional">>();
  for (const { start, end, isPositional } of findPlaceholders(text, grammar)) {
    masked.fill(true, start, end);
    placeholders.set(start, isPositional ? { isPositional } : {});
  }
  const pieces: SegmentPiece[] = [];
  let first = 0;
  for (let index = 1; index <= text.length; index += 1) {
    if (index < text.length && masked[index] === masked[first] && !placeholders.has(index)) continue;
    const range = rangeIn(seen, first, index);
    if (masked[first]) {
      const isLineEnd = lineMark?.test(source.slice(range.start, range.end)) === true;
      const role = isLineEnd ? "alone" : "placeholder";
      pieces.push({ kind: "mask", role, ...range, ...placeholders.get(first) });
    } else for (const piece of textPieces(seen, source, first, index)) pieces.push(piece);
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

/**
 * Reads passages of a source.
 *
 * @param syntax of the words; ranges of one passage share the forms of their escapes.
 */
export const createPassageReader = (source: string, syntax: Syntax): PassageReader => {
  let forms: WrittenForms = new Map();
  let length = 0;
  const isPlain = (text: string, written: WrittenForms): boolean =>
    [...syntax.special, ...written.keys()].every((character) => !text.includes(character));
  const encodeWord = (text: string, written: WrittenForms): string => {
    if (isPlain(text, written)) return text;
    const escaped = Array.from(text, (character) => {
      const form = written.get(character);
      if (form !== undefined) return form;
      return syntax.special.includes(character) ? syntax.escape(character) : character;
    }).join("");
    const { forbidden } = syntax;
    return forbidden === undefined
      ? escaped
      : escaped.replaceAll(forbidden, `${forbidden.slice(0, -1)}${syntax.escape(forbidden.slice(-1))}`);
  };
  return {
    read: (range) => {
      length += range.end - range.start;
      requireShortPassage(length);
      return toPieces(readSeen(source, range, syntax, forms), source, syntax);
    },
    segmentsOf: (pieces, more = {}) => {
      const written = forms;
      forms = new Map();
      length = 0;
      const [whole, ...rest] = pieces;
      if (whole && pieces.some((piece) => piece.kind === "text" && beginsMessage(piece.text))) {
        return [{ pieces: [whole, ...rest], encode: (words) => words, staying: "unreadable_message" }];
      }
      const messages = segmentsInMessages(source, pieces, syntax, createPassageReader);
      const passages = splitPassage(pieces).flatMap((part): DocumentSegment[] => {
        const trimmed = trimPassage(part);
        const [first, ...others] = trimmed;
        if (!first || !containWords(trimmed)) return [];
        const encode: DocumentSegment["encode"] = (words) =>
          spaced(
            words.map((text) => encodeWord(text, written)),
            trimmed.flatMap((piece) => (piece.kind === "text" ? piece.blanks : [])),
          );
        return [{ pieces: [first, ...others], encode, ...more }];
      });
      return [...passages, ...messages];
    },
  };
};
