import { type DocumentLanguages, languageRenamer } from "../segments/language-tags.ts";
import { isGrammar, type PlaceholderGrammar, replacedIn } from "../segments/placeholders.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentEdit, DocumentSegment, ParsedDocument } from "../segments/segment.ts";
import type { Syntax } from "../segments/syntax.ts";
import { wholeSegment } from "../segments/whole-segment.ts";
import { type Entry, readEntries, type Statement } from "./po-entries.ts";

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
  translation: Statement,
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
  const [first, last] = [translation.strings[0], translation.strings.at(-1)];
  if (!from || !to || !first || !last) return { segments: [], edits: [] };
  const range = { start: from.start, end: to.end };
  const { segment, inner, staying } = wholeSegment(words, words.read(range));
  const layOut = layOutLike(source, statement);
  const destination = { start: first.start - 1, end: last.end + 1, before: "", after: "" };
  if (!segment) {
    const copy = { ...range, layOut: (written: string) => layOut(joined(written)) };
    const edit = { ...destination, text: "", copy, of: inner, needsAll: true } as const;
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

/** Returns the edit of the language that the header names. One that names none is filled. */
const editLanguage = (
  source: string,
  { translations }: Entry,
  languages: DocumentLanguages | undefined,
): DocumentEdit[] => {
  if (!languages) return [];
  const rename = languageRenamer(languages);
  return translations.flatMap(({ strings }) =>
    strings.flatMap(({ start, end }) => {
      const [, name = "", value = ""] = /^(Language:[ \t]*)([\w@.-]*)/.exec(source.slice(start, end)) ?? [];
      const text = value === "" ? languages.target : rename(value);
      if (name === "" || text === undefined) return [];
      const position = start + name.length;
      const space = /\s$/.test(name) ? "" : " ";
      return [{ start: position, end: position + value.length, text: `${space}${text}` }];
    }),
  );
};

/** Returns the edit that says how many forms a plural has: translations with a plural need that. */
const addForms = (
  { translations: [written] }: Entry,
  entry: Entry | undefined,
  of: readonly DocumentSegment[] = [],
): DocumentEdit[] => {
  const last = written?.strings.at(-1);
  const count = entry?.translations.length ?? 0;
  if (!last || count < 1 || count > 2) return [];
  const text = `\n"Plural-Forms: nplurals=${count}; plural=${count === 1 ? "0" : "(n != 1)"};\\n"`;
  return [{ start: last.end + 1, end: last.end + 1, text, of }];
};

/** Returns the translations of an entry that a model writes, and the edits that they bring. */
const readEntry = (
  source: string,
  entry: Entry,
  forms: number,
  { languages, retranslate = false, keepsFuzzy = true }: PoOptions,
): Pick<ParsedDocument, "segments" | "edits"> => {
  const { source: singular, plural, translations } = entry;
  const flags = flagsOf(source, entry);
  const isFuzzy = flags.includes("fuzzy");
  const grammars = flags.map((flag) => flag.replace(/-format$/, "")).filter(isGrammar);
  const read = translations.map((translation) => {
    // A language with one form has it for all numbers.
    const statement = translation.form || forms === 1 ? (plural ?? singular) : singular;
    return statement && (isFuzzy || retranslate || isEmpty(translation))
      ? readTranslation(source, statement, translation, { grammars, target: languages?.target })
      : { segments: [], edits: [] };
  });
  const segments = read.flatMap((found) => found.segments);
  const flagEdits = isFuzzy && !keepsFuzzy ? withoutFuzzy(source, entry, segments) : [];
  return { segments, edits: [...read.flatMap(({ edits }) => edits), ...flagEdits] };
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
  const forms = Number(/nplurals\s*=\s*(\d+)/.exec(written?.join("") ?? "")?.[1] ?? 0);
  const messages = entries.filter((entry) => entry.source && !isEmpty(entry.source));
  const read = messages.map((entry) => readEntry(source, entry, forms, options));
  const plural = messages.findIndex((entry) => entry.plural);
  return {
    source,
    segments: read.flatMap(({ segments }) => segments),
    edits: [
      ...(header ? editLanguage(source, header, options.languages) : []),
      ...(header && forms === 0 ? addForms(header, messages[plural], read[plural]?.segments) : []),
      ...read.flatMap(({ edits = [] }) => edits),
    ],
  };
};

/** The line of a header that names the encoding. */
const contentType = String.raw`Content-Type: text/plain; charset=UTF-8\n`;

/** Returns a translated file with its encoding in the header: programs of gettext need it, once there is more than ASCII. */
export const withCharset = (written: string): string => {
  const header = /^[ \t]*msgid[ \t]*""[ \t]*\r?\n[ \t]*msgstr[ \t]*"/m.exec(written);
  const start = header ? header.index + header[0].length : 0;
  const named = /^[^\r\n]*(?:\r?\n"[^\r\n]*)*\bcharset=(\w*)/.exec(written.slice(start));
  // The name that templates have before someone writes one.
  if (header && named?.[1] === "CHARSET") {
    const end = start + named[0].length;
    return `${written.slice(0, end - "CHARSET".length)}UTF-8${written.slice(end)}`;
  }
  if ((header && named) || !/[\u0080-\uFFFF]/.test(written)) return written;
  return header
    ? `${written.slice(0, start)}${contentType}${written.slice(start)}`
    : `msgid ""\nmsgstr "${contentType}"\n\n${written}`;
};
