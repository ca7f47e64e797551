import { type DocumentLanguages, languageRenamer } from "../segments/language-tags.ts";
import type { DocumentEdit, DocumentSegment } from "../segments/segment.ts";
import type { Entry } from "./po-entries.ts";

/** What the header says of the forms of a plural. */
export interface PluralForms {
  /** 0 where it does not say it. */
  readonly count: number;
  /** Whether the first form is that of many numbers, such as 1, 21 and 31. */
  readonly isFirstOfMany: boolean;
}

/** Returns that of a header; without one, of none. */
export const pluralForms = (header: string): PluralForms => {
  const count = Number(/nplurals\s*=\s*(\d+)/.exec(header)?.[1] ?? 0);
  const isOfOne = /\bplural\s*=\s*\(*\s*n\s*(?:!=\s*1|>\s*1|==\s*1\s*\)?\s*\?\s*0)\b/.test(header);
  return { count, isFirstOfMany: count === 1 || (count > 1 && !isOfOne) };
};

/** Returns the edit of the language that the header names. One that names none is filled. */
export const editLanguage = (
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
export const addForms = (
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
