import { createPassageReader, plainSyntax } from "../segments/read-words.ts";
import type { ParsedDocument, Range } from "../segments/segment.ts";

/** A line this long may have been wrapped. */
const wrappedLength = 40;

/** Editors and mail programs wrap at 65 to 132 columns: a longer line is a whole paragraph. */
const maxWidth = 160;

interface Line extends Range {
  readonly text: string;
}

const linesOf = (source: string): Line[] =>
  Array.from(source.matchAll(/[^\r\n]+/g), ({ index, 0: text }) => ({
    text: text.trim(),
    start: index,
    end: index + text.length,
  }));

/** A line that begins an item of a list, a quotation, a heading or a field, such as `Subject: x`. */
const beginsLine = /^(?:[-–—*•>#+|]|\(?(?:\d{1,3}|\p{L})[.)]\s|\p{Lu}[\p{L}-]{0,20}:\s)/u;

/** The width that lines of a paragraph were wrapped at: no word of a next line would have fitted into one. */
const isWrapped = (line: Line, next: Line, width: number): boolean => {
  const [word = ""] = /^\S+/.exec(next.text) ?? [];
  return width <= maxWidth && line.text.length + 1 + word.length > width;
};

/**
 * Whether a sentence goes over the end of a line: the line is long and open, and the next one begins in the middle, or with the word for
 * which the line had no room.
 */
const isContinued = (source: string, line: Line, next: Line, width: number): boolean =>
  line.text.length >= wrappedLength &&
  !/[.!?:;…»”"]$/.test(line.text) &&
  (/^\p{Ll}/u.test(next.text) || (/^[\p{Lu}\p{N}"“‘(]/u.test(next.text) && isWrapped(line, next, width))) &&
  !beginsLine.test(next.text) &&
  isNextLine(source, line, next);

const isNextLine = (source: string, line: Line, next: Line): boolean =>
  /^[ \t]*(?:\r*\n|\r)[ \t]*$/.test(source.slice(line.end, next.start));

/** Whether lines are items of a list: three or more of about the same length, also the last one, each with a beginning of its own. */
const areItems = (lines: readonly Line[], width: number): boolean =>
  lines.length > 2 &&
  (lines.at(-1)?.text.length ?? 0) > 0.75 * width &&
  lines.every(({ text }) => /^[\p{Lu}\p{N}"“‘(]/u.test(text));

/** Returns for each line the length of the longest one of its paragraph; of a list, where no line was wrapped, one without a bound. */
const widthsOf = (source: string, lines: readonly Line[]): number[] => {
  const widths: number[] = [];
  let first = 0;
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (next && isNextLine(source, line, next)) continue;
    const paragraph = lines.slice(first, index + 1);
    const longest = paragraph.reduce((length, { text }) => Math.max(length, text.length), 0);
    const width = areItems(paragraph, longest) ? Number.POSITIVE_INFINITY : longest;
    for (; first <= index; first += 1) widths.push(width);
  }
  return widths;
};

/**
 * Reads plain text: a passage is a line, or several that a sentence was wrapped into.
 *
 * @param target the language of the translation, whose plural categories messages have.
 */
export const readText = (source: string, target?: string): ParsedDocument => {
  const passages: Line[][] = [];
  let last: Line | undefined;
  const lines = linesOf(source);
  const widths = widthsOf(source, lines);
  for (const [index, line] of lines.entries()) {
    if (last && isContinued(source, last, line, widths[index] ?? 0)) passages.at(-1)?.push(line);
    else passages.push([line]);
    last = line;
  }
  const segments = passages.flatMap((lines) => {
    const words = createPassageReader(source, { ...plainSyntax, target });
    const [first] = lines;
    const end = lines.at(-1)?.end;
    return first && end !== undefined ? words.segmentsOf(words.read({ start: first.start, end })) : [];
  });
  return { source, segments };
};
