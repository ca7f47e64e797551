import type { DocumentLanguages } from "../segments/language-tags.ts";
import {
  findPlaceholders,
  isGrammar,
  type PlaceholderGrammar,
  replacedIn,
} from "../segments/placeholders.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type {
  Destination,
  DocumentEdit,
  DocumentSegment,
  ParsedDocument,
  Range,
} from "../segments/segment.ts";
import type { Syntax } from "../segments/syntax.ts";
import { wholeSegment } from "../segments/whole-segment.ts";
import { type Entry, readEntries, type Statement } from "./po-entries.ts";
import { addForms, editLanguage, type PluralForms, pluralForms } from "./po-header.ts";

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
  lineMark: /^(?:\\[nr]|[\r\u2028\u2029])+$/,
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

/** The quotes between two strings of one text, which are not escaped. */
const joint = /(?<=(?:^|[^\\])(?:\\\\)*)"\s*"/g;

/** Returns a written text without the quotes between its strings. */
const joined = (written: string): string => written.replaceAll(joint, "");

/** Returns the words of a statement as the translation of another one. Line breaks around them are added again. */
const readTranslation = (
  source: string,
  statement: Statement,
  destination: Destination,
  {
    grammars,
    target,
  }: { readonly grammars: readonly PlaceholderGrammar[]; readonly target: string | undefined },
): Required<Pick<ParsedDocument, "segments" | "edits">> => {
  const words = createPassageReader(source, {
    ...poSyntax,
    joint,
    placeholders: grammars,
    target,
    isWhole: true,
  });
  const [from, to] = [statement.strings[0], statement.strings.at(-1)];
  if (!from || !to) return { segments: [], edits: [] };
  const range = { start: from.start, end: to.end };
  const { segment, inner, staying } = wholeSegment(words, words.read(range));
  const layOut = layOutLike(source, statement);
  if (!segment) {
    const copy = { ...range, layOut: (written: string) => destination.before + layOut(joined(written)) };
    const { start, end } = destination;
    const edit = { start, end, text: "", copy, of: inner, needsAll: true } as const;
    return { segments: [...inner, ...staying], edits: inner.length > 0 ? [edit] : [] };
  }
  const { start } = segment.pieces[0];
  const { end } = segment.pieces.at(-1) ?? segment.pieces[0];
  const [before, after] = [source.slice(range.start, start), source.slice(end, range.end)];
  const whole = joined(source.slice(range.start, range.end));
  const written: DocumentSegment = {
    ...segment,
    destination,
    layOut: (text) => layOut(joined(`${before}${text}${after}`)),
    hasStructure: (text) =>
      grammars.every((grammar) => replacedIn(unquoted(text), grammar) === replacedIn(whole, grammar)),
  };
  return { segments: [written, ...inner, ...staying], edits: [] };
};

/** Returns the strings of a written statement without their quotes. */
const unquoted = (written: string): string => joined(written.replaceAll(/^"|"$/g, ""));

const isEmpty = ({ strings }: Statement): boolean => strings.every(({ start, end }) => start === end);

/** What a caller may choose for a file of gettext. */
interface PoOptions {
  readonly languages?: DocumentLanguages | undefined;
  readonly retranslate?: boolean | undefined;
  readonly keepsFuzzy?: boolean | undefined;
}

const flagsOf = (source: string, { flags }: Entry): string[] =>
  flags.flatMap(({ start, end }) =>
    source
      .slice(start, end)
      .replace("#,", "")
      .split(",")
      .map((flag) => flag.trim()),
  );

/** Returns the edits that take the flag `fuzzy` from an entry. */
const withoutFuzzy = (source: string, { flags }: Entry, of: readonly DocumentSegment[]): DocumentEdit[] =>
  flags.map(({ start, end }) => {
    const written = source.slice(start, end);
    const text = written.replace(/,\s*fuzzy\b/, "");
    return /^\s*#\s*$/.test(text)
      ? { start, end: end + 1, text: "", of, needsAll: true }
      : { start, end, text, of, needsAll: true };
  });

/** Returns what a plural's first form is translated from: "an hour" is not what 21 of them are called. */
const firstSource = (
  source: string,
  { source: singular, plural }: Entry,
  forms: PluralForms,
  grammars: readonly PlaceholderGrammar[],
): Statement | undefined => {
  if (!singular || !plural || !forms.isFirstOfMany) return singular;
  const count = ({ strings }: Statement): number =>
    findPlaceholders(strings.map(({ start, end }) => source.slice(start, end)).join(""), grammars).length;
  return forms.count === 1 || count(singular) < count(plural) ? plural : singular;
};

/** Returns where a translation is, with its quotes. */
const rangeOf = ({ strings }: Statement): Destination => ({
  start: (strings[0]?.start ?? 1) - 1,
  end: (strings.at(-1)?.end ?? -1) + 1,
  before: "",
  after: "",
});

/** Where a form of a translation is written. */
interface WrittenForm {
  readonly form: number;
  readonly destination: Destination;
}

/** Returns the forms of an entry that are written: as many as the header says, or programs of gettext refuse the file. */
const writtenForms = (
  { plural, translations }: Entry,
  { count }: PluralForms,
  isWritten: (translation: Statement) => boolean,
): { readonly written: readonly WrittenForm[]; readonly surplus: readonly Range[] } => {
  const found = translations
    .filter(isWritten)
    .map((translation) => ({ form: translation.form ?? 0, destination: rangeOf(translation) }));
  const last = found.at(-1);
  if (!plural || !last || count === 0 || found.length < translations.length) {
    return { written: found, surplus: [] };
  }
  const { end } = last.destination;
  const missing = Array.from({ length: Math.max(0, count - found.length) }, (_, index) => {
    const form = found.length + index;
    return { form, destination: { start: end, end, before: `\nmsgstr[${form}] `, after: "" } };
  });
  const surplus =
    found.slice(count).length > 0 ? [{ start: found[count - 1]?.destination.end ?? end, end }] : [];
  return { written: [...found.slice(0, count), ...missing], surplus };
};

/** Returns the translations of an entry that a model writes, and the edits that they bring. */
const readEntry = (
  source: string,
  entry: Entry,
  forms: PluralForms,
  { languages, retranslate = false, keepsFuzzy = true }: PoOptions,
): Pick<ParsedDocument, "segments" | "edits"> => {
  const { plural } = entry;
  const flags = flagsOf(source, entry);
  const isFuzzy = flags.includes("fuzzy");
  const grammars = flags.map((flag) => flag.replace(/-format$/, "")).filter(isGrammar);
  const first = firstSource(source, entry, forms, grammars);
  const isWritten = (translation: Statement): boolean => isFuzzy || retranslate || isEmpty(translation);
  const { written, surplus } = writtenForms(entry, forms, isWritten);
  const read = written.map(({ form, destination }) => {
    const statement = form > 0 ? plural : first;
    return statement
      ? readTranslation(source, statement, destination, { grammars, target: languages?.target })
      : { segments: [], edits: [] };
  });
  const segments = read.flatMap((found) => found.segments);
  const flagEdits = isFuzzy && !keepsFuzzy ? withoutFuzzy(source, entry, segments) : [];
  const without = surplus.map(
    (range): DocumentEdit => ({ ...range, text: "", of: segments, needsAll: true }),
  );
  return { segments, edits: [...read.flatMap(({ edits }) => edits), ...flagEdits, ...without] };
};

/**
 * Reads a file of gettext. Translated are the entries that have no translation, or a fuzzy one. Of an entry with a plural, the
 * first form is the translation of `msgid`, and all others of `msgid_plural`. The header names the target's language afterwards;
 * obsolete entries stay.
 *
 * @throws UnreadableDocument with the line, for what is not PO.
 */
export const readPo = (source: string, options: PoOptions = {}): ParsedDocument => {
  const entries = readEntries(source);
  const header = entries.find((entry) => entry.source && isEmpty(entry.source));
  const written = header?.translations.flatMap(({ strings }) =>
    strings.map(({ start, end }) => source.slice(start, end)),
  );
  const forms = pluralForms(written?.join("") ?? "");
  const messages = entries.filter((entry) => entry.source && !isEmpty(entry.source));
  const read = messages.map((entry) => readEntry(source, entry, forms, options));
  const plural = messages.findIndex((entry) => entry.plural);
  return {
    source,
    segments: read.flatMap(({ segments }) => segments),
    edits: [
      ...(header ? editLanguage(source, header, options.languages) : []),
      ...(header && forms.count === 0 ? addForms(header, messages[plural], read[plural]?.segments) : []),
      ...read.flatMap(({ edits = [] }) => edits),
    ],
  };
};
