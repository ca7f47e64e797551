import { isDatePattern } from "../segments/data-values.ts";
import { requireShortPassage } from "../segments/document-size.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentSegment, ParsedDocument, Range } from "../segments/segment.ts";
import type { Syntax } from "../segments/syntax.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";

/** A format whose files have keys with values. */
interface KeyValueTable {
  readonly name: string;
  /** Matches what is between two entries. Sticky. */
  readonly between: RegExp;
  /** Matches an entry up to its value, and what ends it. The value is the first group; the second one, if it has no quotes. Sticky, with indices. */
  readonly entry: RegExp;
  readonly syntaxOf: (value: string) => Syntax;
  readonly layOut?: (source: string) => (written: string) => string;
  /** Returns a translation with quotes, which its source does not have. */
  readonly quoted?: (written: string) => string;
}

const controls: Readonly<Record<string, string>> = {
  "\t": String.raw`\t`,
  "\n": String.raw`\n`,
  "\r": String.raw`\r`,
};

/** Returns what a reader sees for an escape; those of line ends stay. */
const decodeEscape = (written: string): string => {
  const code = /^\\[uU]([\dA-Fa-f]{4})$/.exec(written)?.[1];
  if (code === undefined) return /^\\[^ntrfabv\d\r\n]$/.test(written) ? written.slice(1) : written;
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return /[\p{Cc}\p{Cs}]/u.test(character) ? written : character;
};

const escapeSign = (character: string): string => controls[character] ?? `\\${character}`;

/** What ends a line within a value. */
const lineMark = /^(?:\\[nr]|[\r\n])+$/;

const propertiesSyntax: Syntax = {
  lineMark,
  escaped: /\\(?:u[\dA-Fa-f]{4}|\r\n[ \t\f]*|[\r\n][ \t\f]*|[\s\S])/g,
  decode: decodeEscape,
  special: "\\\t\n\r",
  escape: escapeSign,
  blank: /(?<![ \t])[ \t]+\\(?:\r\n|[\r\n])[ \t\f]*/g,
};

/** A message with an argument is read by `MessageFormat`, for which two apostrophes are one. */
const messageSyntax: Syntax = {
  ...propertiesSyntax,
  escaped: new RegExp(`''|${propertiesSyntax.escaped.source}`, "g"),
  decode: (written) => (written === "''" ? "'" : decodeEscape(written)),
  special: `${propertiesSyntax.special}'`,
  escape: (character) => (character === "'" ? "''" : escapeSign(character)),
  placeholders: ["java"],
};

/** Older versions of Java read these files in ISO 8859-1, so what is beyond ASCII is written as an escape, unless the file has it. */
const inAscii = (source: string): ((written: string) => string) =>
  /[\u0080-\uFFFF]/.test(source)
    ? (written) => written
    : (written) =>
        written.replaceAll(
          /[\u0080-\uFFFF]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`,
        );

const tables = {
  properties: {
    name: "properties",
    between: /(?:[ \t\f]*(?:[#!][^\r\n]*)?(?:\r\n|[\r\n]|$)|[ \t\f]+)/y,
    entry:
      /(?:\\(?:(?:\r\n|[\r\n])[ \t\f]*|[\s\S])|[^\\\s=:])+(?:[ \t\f]*[=:][ \t\f]*|[ \t\f]+|(?=[\r\n]|$))((?:\\(?:\r\n|[\s\S])|[^\\\r\n])*)(?:\r\n|[\r\n]|$)/dy,
    syntaxOf: (value) => (/\{\d/.test(value) ? messageSyntax : propertiesSyntax),
    layOut: inAscii,
  },
  strings: {
    name: "strings",
    between: /\s+|\/\*[\s\S]*?\*\/|\/\/[^\r\n]*/y,
    entry: /(?:"(?:\\[\s\S]|[^"\\])*"|[\w.-]+)\s*(?:=\s*"((?:\\[\s\S]|[^"\\])*)"\s*|=\s*([\w.$/:-]+)\s*)?;/dy,
    quoted: (written) => `"${written}"`,
    syntaxOf: () => ({
      escaped: /\\(?:[uU][\dA-Fa-f]{4}|[\s\S])/g,
      decode: decodeEscape,
      special: '"\\\t\n\r',
      escape: escapeSign,
      lineMark,
      lineBreak: /[\r\n\u2028\u2029]/g,
      placeholders: ["objc"],
    }),
  },
} as const satisfies Record<string, KeyValueTable>;

const readValue = (
  source: string,
  range: Range,
  table: KeyValueTable,
  target: string | undefined,
  layOut: DocumentSegment["layOut"],
): DocumentSegment[] => {
  const value = source.slice(range.start, range.end);
  if (isDatePattern(value)) return [];
  const syntax = { ...table.syntaxOf(value), target };
  const words = createPassageReader(source, syntax);
  return words.segmentsOf(words.read(range), layOut ? { layOut } : {});
};

/** Matches an entry, whose length may be that of the file. @throws UnreadableDocument for one that is too long for the engine's stack. */
const matchEntry = (entry: RegExp, source: string): RegExpIndicesArray | undefined => {
  const { lastIndex } = entry;
  try {
    return entry.exec(source)?.indices;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    requireShortPassage(source.length - lastIndex);
    throw error;
  }
};

/**
 * Reads a file of keys with values. Keys and comments stay.
 *
 * @param target the language of the translation, whose plural categories messages have.
 * @throws UnreadableDocument with the line, for anything else.
 */
export const readKeyValues = (
  source: string,
  format: keyof typeof tables,
  target?: string,
): ParsedDocument => {
  const table: KeyValueTable = tables[format];
  const { between, entry, name } = table;
  const segments: DocumentSegment[] = [];
  const layOutQuoted = table.layOut?.(source);
  let position = 0;
  while (position < source.length) {
    between.lastIndex = position;
    if (between.test(source) && between.lastIndex > position) {
      position = between.lastIndex;
      continue;
    }
    entry.lastIndex = position;
    const found = matchEntry(entry, source);
    if (!found || entry.lastIndex <= position) {
      const line = source.slice(0, position).split(/\r\n|[\r\n]/).length;
      throw new UnreadableDocument(`The file of ${name} is invalid: line ${line} has no key with a value.`);
    }
    position = entry.lastIndex;
    const [, quoted, unquoted] = found;
    const [start = 0, end = 0] = quoted ?? unquoted ?? [];
    const layOut = quoted ? layOutQuoted : table.quoted;
    for (const segment of readValue(source, { start, end }, table, target, layOut)) segments.push(segment);
  }
  return { source, segments };
};
