import { dateWords } from "../segments/data-values.ts";
import { requireShortPassage } from "../segments/document-size.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentSegment, ParsedDocument, Range } from "../segments/segment.ts";
import type { Syntax } from "../segments/syntax.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";

const lineBreak = /\r\n|[\n\r\u2028\u2029]/g;

/** The content of a cell without quotes. The cell gets quotes when a translation needs them. */
const unquotedSyntax: Syntax = {
  escaped: /(?!)/g,
  decode: (escaped) => escaped,
  special: "",
  escape: (character) => character,
  lineBreak,
  lineMark: /^[\n\r\u2028\u2029]+$/,
};

/** The content of a cell, between its quotes. */
const quotedSyntax: Syntax = {
  ...unquotedSyntax,
  escaped: /""/g,
  decode: () => '"',
  special: '"',
  escape: () => '""',
};

/** A cell, by the range of its content: without its quotes. */
interface Cell extends Range {
  readonly isQuoted: boolean;
}

type CsvRecord = readonly Cell[];

/** Records, until the first one that is not valid. */
interface Records {
  readonly records: readonly CsvRecord[];
  readonly problem?: { readonly position: number; readonly text: string };
}

const separators = [",", ";", "\t", "|"] as const;
type Separator = (typeof separators)[number];

/** Returns the position of the quote that ends a quoted cell; `undefined` when it has none. */
const closingQuote = (source: string, start: number): number | undefined => {
  let quote = source.indexOf('"', start);
  while (quote >= 0 && source[quote + 1] === '"') quote = source.indexOf('"', quote + 2);
  return quote < 0 ? undefined : quote;
};

/** Returns the cell that starts at a position; `undefined` when its quotes have no end. */
const cellAt = (source: string, start: number, unquoted: RegExp): Cell | undefined => {
  if (source[start] === '"') {
    const end = closingQuote(source, start + 1);
    return end === undefined ? undefined : { start: start + 1, end, isQuoted: true };
  }
  unquoted.lastIndex = start;
  unquoted.test(source);
  return { start, end: unquoted.lastIndex, isQuoted: false };
};

/** Returns the records of a file, as RFC 4180 defines them. A quote within an unquoted cell is a character like others. */
const readRecords = (
  source: string,
  separator: Separator,
  maxRecords = Number.POSITIVE_INFINITY,
): Records => {
  const unquoted = new RegExp(`[^${separator}\\r\\n]*`, "y");
  const lineEnd = /\r\n|\r|\n|$/y;
  const records: CsvRecord[] = [];
  let cells: Cell[] = [];
  let position = source.startsWith("\uFEFF") ? 1 : 0;
  // After a separator at the end of the file follows an empty cell.
  while ((position < source.length || cells.length > 0) && records.length < maxRecords) {
    const cell = cellAt(source, position, unquoted);
    if (!cell) return { records, problem: { position, text: "a quoted cell has no end" } };
    cells.push(cell);
    position = cell.isQuoted ? cell.end + 1 : cell.end;
    if (source[position] === separator) {
      position += 1;
      continue;
    }
    lineEnd.lastIndex = position;
    if (!lineEnd.test(source)) {
      return { records, problem: { position, text: "the cell continues after its closing quote" } };
    }
    position = lineEnd.lastIndex;
    records.push(cells);
    cells = [];
  }
  return { records };
};

/** How many records suffice to recognise the separator. */
const sampleSize = 50;

/** Returns the separator that divides most of the first records into as many cells as the first one has. */
const detectSeparator = (source: string): Separator => {
  const counts = separators.map((separator) => {
    const { records } = readRecords(source, separator, sampleSize);
    const width = records[0]?.length ?? 0;
    return {
      separator,
      width,
      alike: width > 1 ? records.filter(({ length }) => length === width).length : 0,
    };
  });
  const [best] = counts.toSorted((one, other) => other.alike - one.alike || other.width - one.width);
  return best && best.alike > 0 ? best.separator : ",";
};

const invalid = (source: string, position: number, problem: string): UnreadableDocument => {
  const line = source.slice(0, position).split(/\r\n|\r|\n/).length;
  return new UnreadableDocument(`The CSV is invalid: line ${line}: ${problem}.`);
};

/** Returns the text of a cell as a reader sees it. */
const textOf = (source: string, { start, end, isQuoted }: Cell): string => {
  const content = source.slice(start, end);
  return isQuoted ? content.replaceAll('""', '"') : content;
};

/** How many columns a message names. */
const maxListedColumns = 50;

/** Returns the indexes of the columns with these names or, where no column has that name, with these numbers. */
const findColumns = (names: readonly string[], columns: readonly string[]): Set<number> => {
  const found = columns.map((column) => {
    const named = names.flatMap((name, index) => (name === column.trim() ? [index] : []));
    if (named.length > 0) return named;
    const number = /^\s*\d{1,6}\s*$/.test(column) ? Number(column) : 0;
    return number >= 1 && number <= names.length ? [number - 1] : undefined;
  });
  if (found.some((indexes) => indexes === undefined)) {
    const listed = names.slice(0, maxListedColumns).map((name) => JSON.stringify(name));
    const more = names.length > listed.length ? " and others" : "";
    throw new UnreadableDocument(
      `A column of \`columns\` does not exist. The file has ${listed.join(", ")}${more}; numbers start at 1.`,
    );
  }
  return new Set(found.flatMap((indexes) => indexes ?? []));
};

const constant = /^(?:true|false|null|none|nil|nan|undefined|n\/a)$/i;

/** Codes of countries and currencies. */
const capitals = /^\p{Lu}{1,3}$/u;

/** Marks within one word that names of files, keys and the like have: digits, `_`, `a.b`, `a/b`, `camelCase`. */
const identifierMark = /[\p{N}_@#$\\=]|[\p{L}\p{N}][./:][\p{L}\p{N}]|\p{Ll}\p{Lu}/u;

/** What a cell contains. A single `word` may be one of a language, or an identifier. */
type Content = "prose" | "word" | "identifier" | "other";

/** Returns what a text is. Numbers, dates, constants, codes of two letters and units are `other`. */
const contentOf = (text: string): Content => {
  const trimmed = text.trim();
  const words = trimmed.match(/[\p{L}\p{M}]+/gu) ?? [];
  const [word = ""] = words;
  const hasDigits = /\d/.test(trimmed);
  if (word === "" || (hasDigits && words.every((part) => dateWords.test(part)))) return "other";
  if (!/\s/.test(trimmed)) {
    if (constant.test(trimmed) || capitals.test(trimmed)) return "other";
    if (identifierMark.test(trimmed)) return "identifier";
  }
  if (words.length > 1) return "prose";
  // Such as `12 kg` and `UGX 500`.
  if (hasDigits && word.length <= 3) return "other";
  // Other scripts than the Latin one have short words.
  return /\p{L}{3}|^\p{Lu}\p{Ll}$|[^\p{Script=Latin}\p{M}]/u.test(word) ? "word" : "other";
};

/** Returns the words and masks of a cell. */
const readPieces = (source: string, cell: Cell, target?: string) => {
  const words = createPassageReader(source, { ...(cell.isQuoted ? quotedSyntax : unquotedSyntax), target });
  return { words, pieces: words.read(cell) };
};

/** Returns what a cell contains without its addresses and placeholders. */
const cellContent = (source: string, cell: Cell): Content => {
  requireShortPassage(cell.end - cell.start);
  const text = textOf(source, cell);
  const content = contentOf(text);
  if (content === "other" || content === "identifier" || !/[{}%:$@/]/.test(text)) return content;
  const { pieces } = readPieces(source, cell);
  return contentOf(pieces.map((piece) => (piece.kind === "text" ? piece.text : " ")).join(""));
};

const identifierNames = /^(?:id|key|code|slug)$/i;

/** Returns the columns with prose below the header, and those of single words: unless more of their cells are identifiers. */
const proseColumns = (source: string, names: readonly string[], rows: readonly CsvRecord[]): Set<number> => {
  const counts = new Map<number, Record<Content, number>>();
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      const count = counts.get(index) ?? { prose: 0, word: 0, identifier: 0, other: 0 };
      counts.set(index, count);
      if (count.prose === 0) count[cellContent(source, cell)] += 1;
    }
  }
  const chosen = [...counts].filter(([index, { prose, word, identifier }]) => {
    const hasWords = word > identifier && !identifierNames.test(names[index] ?? "");
    return prose > 0 || hasWords;
  });
  return new Set(chosen.map(([index]) => index));
};

/** How many characters the name of a column has at most, if no one says that there are names. */
const maxNameLength = 40;

const date = /^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}/;

/** Whether two cells, one below the other, are data: the numbers of their rows, or dates. */
const areData = (one: string, other: string): boolean =>
  (/^\d+$/.test(one) && Number(other) === Number(one) + 1) || (date.test(one) && date.test(other));

/** Whether the first row has the names of the columns: short ones, each once, no sentences, and no data as in the row below. */
const isHeader = (source: string, [header = [], second]: readonly CsvRecord[]): boolean => {
  const [names = [], below = []] = [header, second ?? []].map((row) =>
    row.map((cell) => textOf(source, cell).trim()),
  );
  const given = names.filter((name) => name !== "");
  if (!second) return true;
  return (
    new Set(given).size === given.length &&
    given.every((name) => name.length <= maxNameLength && !/[.!?]$/.test(name)) &&
    !names.some((name, index) => areData(name, below[index] ?? ""))
  );
};

/** Returns the passages of a cell. One without quotes is written again whole, because quotes are around all of it. */
const readCell = (
  source: string,
  cell: Cell,
  separator: Separator,
  target: string | undefined,
): DocumentSegment[] => {
  const { words, pieces } = readPieces(source, cell, target);
  const segments = words.segmentsOf(pieces);
  if (cell.isQuoted) return segments;
  const content = source.slice(cell.start, cell.end);
  const needsQuotes = (written: string): boolean =>
    written.includes(separator) ||
    /[\r\n]|^"/.test(written) ||
    (written.includes('"') && !content.includes('"'));
  // Quotes around one of several passages would end within the cell.
  if (segments.length > 1) {
    return segments.map((segment) => ({ ...segment, hasStructure: (written) => !needsQuotes(written) }));
  }
  return segments.map((segment) => {
    const before = source.slice(cell.start, segment.pieces[0].start);
    const after = source.slice((segment.pieces.at(-1) ?? segment.pieces[0]).end, cell.end);
    return {
      ...segment,
      destination: { start: cell.start, end: cell.end, before: "", after: "", isReplaced: true },
      layOut: (written) => {
        const whole = `${before}${written}${after}`;
        return needsQuotes(whole) ? `"${whole.replaceAll('"', '""')}"` : whole;
      },
    };
  });
};

/**
 * Reads a table whose cells are separated by commas, semicolons, tabs or vertical bars.
 *
 * @param options.header whether its first row has the names of the columns, and stays; by default that follows from what it contains.
 * @param options.columns the names, or the numbers from 1, of the columns to translate; by default those with prose.
 * @throws UnreadableDocument with the line, for quotes without an end; and for a column that does not exist.
 */
export const readCsv = (
  source: string,
  options: {
    readonly columns?: readonly string[] | undefined;
    readonly header?: boolean | undefined;
    /** The language of the translation, whose plural categories messages have. */
    readonly target?: string | undefined;
  } = {},
): ParsedDocument => {
  const { columns } = options;
  const separator = detectSeparator(source);
  const { records, problem } = readRecords(source, separator);
  if (problem) throw invalid(source, problem.position, problem.text);
  const first = (records[0] ?? []).map((cell) => textOf(source, cell).trim());
  const isNamed = columns?.some((column) => first.includes(column.trim()));
  const hasHeader = options.header ?? (isNamed || isHeader(source, records));
  const names = hasHeader ? first : [];
  const rows = records.slice(hasHeader ? 1 : 0);
  const numbers = Array.from({ length: records[0]?.length ?? 0 }, (_, index) => String(index + 1));
  const chosen = columns
    ? findColumns(hasHeader ? names : numbers, columns)
    : proseColumns(source, names, rows);
  const segments = rows.flatMap((row) =>
    row.flatMap((cell, index) =>
      chosen.has(index) ? readCell(source, cell, separator, options.target) : [],
    ),
  );
  return { source, segments };
};
