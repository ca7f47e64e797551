import type { Range } from "../segments/segment.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";

const invalid = (line: number, problem: string): UnreadableDocument =>
  new UnreadableDocument(`The PO file is invalid: line ${line}: ${problem}.`);

interface Line extends Range {
  /** From 1. */
  readonly number: number;
}

/** A keyword with its strings. Their ranges are between the quotes. */
export interface Statement {
  readonly keyword: "domain" | "msgctxt" | "msgid" | "msgid_plural" | "msgstr";
  /** Which plural form it is, of a `msgstr[…]`. */
  readonly form: number | undefined;
  readonly line: number;
  readonly strings: Range[];
}

/** A message with its translations. */
export interface Entry {
  /** The lines of its flags. */
  readonly flags: Range[];
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
  let entry: Entry = { flags: [], translations: [] };
  const end = (): void => {
    if (entry.source && entry.translations.length === 0) {
      throw invalid(entry.source.line, "msgid has no msgstr");
    }
    if (entry.source) entries.push(entry);
    entry = { flags: [], translations: [] };
  };
  return {
    entries,
    end,
    addComment: (text: string, line: Range): void => {
      // Marks of an obsolete entry are not those of the next one.
      if (entry.translations.length > 0 || (text.startsWith("#~") && !entry.source)) end();
      if (text.startsWith("#,")) entry.flags.push(line);
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

/** Reads the entries of a file of gettext, except obsolete ones. @throws UnreadableDocument with the line, for what is not PO. */
export const readEntries = (source: string): readonly Entry[] => {
  const reader = createEntryReader();
  let strings: Range[] | undefined;
  for (const line of linesOf(source)) {
    const text = source.slice(line.start, line.end).trim();
    if (text === "") continue;
    if (text.startsWith("#")) {
      reader.addComment(text, line);
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
