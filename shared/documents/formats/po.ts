import { createPassageReader, type PassageReader, type Syntax } from "../segments/read-words.ts";
import type { DocumentSegment, ParsedDocument, Range, SegmentPiece } from "../segments/segment.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";

const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join("");

/** The escapes of C. Those of control characters stay. */
const poSyntax: Syntax = {
  escaped: /\\(?:[0-7]{1,3}|x[\dA-Fa-f]+|[\s\S])/g,
  decode: (escaped) =>
    escaped === String.raw`\"` || escaped === String.raw`\\` ? escaped.slice(1) : escaped,
  special: `"\\${controls}`,
  escape: (character) => {
    if (character === "\t") return String.raw`\t`;
    return character >= " " ? `\\${character}` : `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
  },
  lineBreak: /[\r\u2028\u2029]/g,
};

const invalid = (line: number, problem: string): UnreadableDocument =>
  new UnreadableDocument(`The PO file is invalid: line ${line}: ${problem}.`);

interface Line extends Range {
  /** From 1. */
  readonly number: number;
}

/** A keyword with its strings. Their ranges are between the quotes. */
interface Statement {
  readonly keyword: "domain" | "msgctxt" | "msgid" | "msgid_plural" | "msgstr";
  /** Which plural form it is, of a `msgstr[…]`. */
  readonly form: number | undefined;
  readonly line: number;
  readonly strings: Range[];
}

interface Entry {
  isFuzzy: boolean;
  source?: Statement;
  plural?: Statement;
  readonly translations: Statement[];
}

/** Returns the position of the quote that ends a string; -1 when it is not on the line. */
const closingQuote = (source: string, start: number, end: number): number => {
  for (let position = start; position < end; position += 1) {
    const character = source[position];
    if (character === '"') return position;
    if (character === "\\") position += 1;
  }
  return -1;
};

/** Returns the strings in a range, which contains nothing else but space. */
const readStrings = (source: string, { start, end, number }: Line): Range[] => {
  const space = /[ \t\f\v\r]*/y;
  const strings: Range[] = [];
  let position = start;
  while (true) {
    space.lastIndex = position;
    space.test(source);
    position = space.lastIndex;
    if (position >= end) return strings;
    if (source[position] !== '"') throw invalid(number, "expected was a string in double quotes");
    const close = closingQuote(source, position + 1, end);
    if (close < 0) throw invalid(number, "the string has no end");
    strings.push({ start: position + 1, end: close });
    position = close + 1;
  }
};

const linesOf = (source: string): Line[] => {
  const lines: Line[] = [];
  let start = source.startsWith("\uFEFF") ? 1 : 0;
  while (start < source.length) {
    const lineEnd = source.indexOf("\n", start);
    const end = lineEnd < 0 ? source.length : lineEnd;
    lines.push({ start, end, number: lines.length + 1 });
    start = end + 1;
  }
  return lines;
};

const keywordPattern =
  /[ \t]*(?:(domain|msgctxt|msgid_plural|msgid|msgstr)(?:[ \t]*\[[ \t]*(\d{1,3})[ \t]*\])?(?![\w[]))?/y;

const isKeyword = (word: string | undefined): word is Statement["keyword"] =>
  word === "domain" || word === "msgctxt" || word === "msgid" || word === "msgid_plural" || word === "msgstr";

/** Returns the keyword of a line with the strings after it; `undefined` for a line that only has strings. */
const readStatement = (source: string, line: Line): Statement | undefined => {
  keywordPattern.lastIndex = line.start;
  const [, keyword, form] = keywordPattern.exec(source) ?? [];
  if (!isKeyword(keyword)) return undefined;
  const strings = readStrings(source, { ...line, start: keywordPattern.lastIndex });
  if (strings.length === 0) throw invalid(line.number, `${keyword} has no string`);
  return { keyword, form: form === undefined ? undefined : Number(form), line: line.number, strings };
};

const addTranslation = ({ source, plural, translations }: Entry, statement: Statement): void => {
  const { form, line } = statement;
  if (!source) throw invalid(line, "msgstr has no msgid");
  if ((form === undefined) !== (plural === undefined)) {
    throw invalid(line, "msgstr has a form in brackets where msgid has a plural, and only there");
  }
  if (translations.some((other) => other.form === form)) throw invalid(line, "msgstr has a second one");
  translations.push(statement);
};

/** Follows the statements and comments of a file, in their order. */
const createEntryReader = () => {
  const entries: Entry[] = [];
  let entry: Entry = { isFuzzy: false, translations: [] };
  const end = (): void => {
    if (entry.source && entry.translations.length === 0) {
      throw invalid(entry.source.line, "msgid has no msgstr");
    }
    if (entry.source) entries.push(entry);
    entry = { isFuzzy: false, translations: [] };
  };
  return {
    entries,
    end,
    addComment: (text: string): void => {
      // Marks of an obsolete entry are not those of the next one.
      if (entry.translations.length > 0 || (text.startsWith("#~") && !entry.source)) end();
      if (/^#,.*\bfuzzy\b/.test(text)) entry.isFuzzy = true;
    },
    addStatement: (statement: Statement): void => {
      const { keyword, line } = statement;
      if (keyword === "msgstr") addTranslation(entry, statement);
      else if (keyword === "msgid_plural") {
        if (!entry.source || entry.translations.length > 0) throw invalid(line, "msgid_plural has no msgid");
        entry.plural = statement;
      } else {
        if (entry.translations.length > 0) end();
        if (entry.source) throw invalid(entry.source.line, "msgid has no msgstr");
        if (keyword === "msgid") entry.source = statement;
      }
    },
  };
};

const readEntries = (source: string): readonly Entry[] => {
  const reader = createEntryReader();
  let strings: Range[] | undefined;
  for (const line of linesOf(source)) {
    const text = source.slice(line.start, line.end).trim();
    if (text === "") continue;
    if (text.startsWith("#")) {
      reader.addComment(text);
      strings = undefined;
      continue;
    }
    const statement = readStatement(source, line);
    if (statement) {
      reader.addStatement(statement);
      strings = statement.strings;
    } else {
      const more = readStrings(source, line);
      if (!strings) throw invalid(line.number, "the string has no keyword");
      for (const string of more) strings.push(string);
    }
  }
  reader.end();
  return reader.entries;
};

const isBlank = (piece: SegmentPiece): boolean => piece.kind === "text" && piece.text.trim() === "";

/** Returns the pieces as one passage, even a long one: there is one destination for all of them. */
const wholeSegment = (words: PassageReader, pieces: readonly SegmentPiece[]): DocumentSegment | undefined => {
  const [segment, ...others] = words.segmentsOf(pieces);
  if (others.length === 0) return segment;
  const end = pieces.findLastIndex((piece) => !isBlank(piece)) + 1;
  const [first, ...rest] = pieces.slice(
    pieces.findIndex((piece) => !isBlank(piece)),
    end,
  );
  return segment && first && { ...segment, pieces: [first, ...rest] };
};

/** Lines of a string are at least this long before they are divided, as the tools of gettext do it. */
const lineWidth = 76;

/** Returns the lines of a string: a new one starts after `\n`, and after a space where a line would be longer than `width`. */
const wrap = (written: string, width: number): string[] => {
  const lines: string[] = [];
  let line = "";
  for (const [chunk, lineEnd] of written.matchAll(/(?:\\[^n]|[^\\ ])*(?: *(\\n)| +|$)/g)) {
    if (line !== "" && line.length + chunk.length > width) {
      lines.push(line);
      line = "";
    }
    line += chunk;
    if (lineEnd === undefined) continue;
    lines.push(line);
    line = "";
  }
  return line === "" ? lines : [...lines, line];
};

/** Returns how a translation is written: in one line, or in several when its source has several. */
const layOutLike = (source: string, { strings }: Statement): ((written: string) => string) => {
  const [first, second] = strings;
  if (!first || !second) return (written) => `"${written}"`;
  const separator = source.slice(first.end + 1, second.start - 1);
  const width = strings.reduce((longest, { start, end }) => Math.max(longest, end - start), lineWidth);
  const start = first.end === first.start ? [""] : [];
  return (written) => [...start, ...wrap(written, width)].map((line) => `"${line}"`).join(separator);
};

/** Returns the words of a statement as the translation of another one. Line breaks around them are added again. */
const readTranslation = (source: string, statement: Statement, translation: Statement): DocumentSegment[] => {
  const words = createPassageReader(source, poSyntax);
  const pieces = statement.strings
    .flatMap((range) => words.read(range))
    .map((piece): SegmentPiece => {
      const isLineBreak =
        piece.kind === "mask" && /^(?:\\[nr]|[\r\u2028\u2029])+$/.test(source.slice(piece.start, piece.end));
      return isLineBreak ? { ...piece, role: "alone" } : piece;
    });
  const segment = wholeSegment(words, pieces);
  const [first] = translation.strings;
  const last = translation.strings.at(-1);
  if (!segment || !first || !last) return [];
  const writtenOf = (some: readonly SegmentPiece[]): string =>
    some.map(({ start, end }) => source.slice(start, end)).join("");
  const { start } = segment.pieces[0];
  const { end } = segment.pieces.at(-1) ?? segment.pieces[0];
  const before = writtenOf(pieces.filter((piece) => piece.end <= start));
  const after = writtenOf(pieces.filter((piece) => piece.start >= end));
  const layOut = layOutLike(source, statement);
  return [
    {
      ...segment,
      destination: { start: first.start - 1, end: last.end + 1, before: "", after: "" },
      layOut: (written) => layOut(`${before}${written}${after}`),
    },
  ];
};

const isEmpty = ({ strings }: Statement): boolean => strings.every(({ start, end }) => start === end);

/**
 * Reads a file of gettext. Translated are the entries that have no translation, or a fuzzy one. Of an entry with a plural, the
 * first form is the translation of `msgid`, and all others of `msgid_plural`. The header and obsolete entries stay.
 *
 * @throws UnreadableDocument with the line, for what is not PO.
 */
export const readPo = (source: string): ParsedDocument => {
  const segments = readEntries(source).flatMap(({ isFuzzy, source: singular, plural, translations }) =>
    translations.flatMap((translation) => {
      const statement = translation.form ? plural : singular;
      if (!statement || !singular || isEmpty(singular)) return [];
      return isFuzzy || isEmpty(translation) ? readTranslation(source, statement, translation) : [];
    }),
  );
  return { source, segments };
};
