import { isDatePattern } from "../segments/data-values.ts";
import { type DocumentLanguages, languageRenamer } from "../segments/language-tags.ts";
import { collectPassage, type PassageCollector } from "../segments/passage.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentEdit, DocumentSegment, ParsedDocument } from "../segments/segment.ts";
import type { Syntax } from "../segments/syntax.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";
import { withAttribute, xmlTextSyntax } from "../segments/xml-syntax.ts";
import { readXmlTokens, type XmlToken } from "../segments/xml-tokens.ts";

/** Android reads `\'` and `\"` in the text that XML has; those of line ends stay. */
const escaped: Syntax = {
  ...xmlTextSyntax,
  escaped: /&#?\w+;|\\(?:u[\dA-Fa-f]{4}|[\s\S])/g,
  decode: (written) => {
    if (written.startsWith("&")) return xmlTextSyntax.decode(written);
    const code = /^\\u(.{4})$/.exec(written)?.[1];
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return /^\\['"@?\\ ]$/.test(written) ? written.slice(1) : written;
  },
  special: `${xmlTextSyntax.special}\\`,
  neverPlain: '"',
  lineMark: /^(?:\\[nrt])+$/,
  escape: (character) => (/['"\\]/.test(character) ? `\\${character}` : xmlTextSyntax.escape(character)),
};

/** In CDATA, tags are text. */
const cdataSyntax: Syntax = {
  ...escaped,
  escaped: /<[^<>]*>|\\(?:u[\dA-Fa-f]{4}|[\s\S])/g,
  decode: (written) => (written.startsWith("<") ? written : escaped.decode(written)),
  escape: (character) => (/[&<>]/.test(character) ? character : escaped.escape(character)),
};

const textNames = new Set(["string", "item"]);
const containerNames = new Set(["string-array", "plurals"]);

/** A translation that begins with one of these would be a reference, or a theme's attribute. */
const withReference = (written: string): string => written.replace(/^[@?]/, "\\$&");

/** Follows the tags of a file. */
const createReader = (
  source: string,
  target: string | undefined,
  add: (segments: readonly DocumentSegment[]) => void,
) => {
  let passage: PassageCollector | undefined;
  let whole: { readonly start: number; depth: number } | undefined;
  const containers: boolean[] = [];
  const isMarked = ({ attributes }: XmlToken): boolean => attributes["translatable"] === "false";
  const begin = (): PassageCollector =>
    collectPassage(createPassageReader(source, { ...escaped, target }), add, { layOut: withReference });
  const addCdata = ({ start, end }: XmlToken): void => {
    const words = createPassageReader(source, { ...cdataSyntax, target });
    const pieces = words.read({ start: start + "<![CDATA[".length, end: end - "]]>".length });
    add(words.segmentsOf(pieces, { hasStructure: (written) => !written.includes("]]>") }));
  };
  const outside = (token: XmlToken): void => {
    const { kind, name } = token;
    if (kind === "open" && containerNames.has(name)) containers.push(!isMarked(token));
    else if (kind === "close" && containerNames.has(name)) containers.pop();
    else if (
      kind === "open" &&
      textNames.has(name) &&
      !isMarked(token) &&
      (containers.at(-1) ?? name === "string")
    ) {
      passage = begin();
    }
  };
  const inside = (token: XmlToken, collected: PassageCollector): void => {
    const { kind, name, start, end } = token;
    if (whole) {
      if (kind === "open") whole.depth += 1;
      if (kind === "close") whole.depth -= 1;
      if (whole.depth > 0) return;
      collected.addAlone({ start: whole.start, end });
      whole = undefined;
    } else if (kind === "close" && textNames.has(name)) {
      collected.end();
      passage = undefined;
    } else if (kind === "text") collected.addText(token);
    else if (kind === "cdata") addCdata(token);
    else if (kind === "open" && name === "xliff:g") whole = { start, depth: 1 };
    else if (kind === "open" || kind === "close") {
      collected.addTag({ name, start, end, isClosing: kind === "close" });
    } else collected.addAlone(token);
  };
  return (token: XmlToken): void => (passage ? inside(token, passage) : outside(token));
};

/**
 * Reads the strings of an Android app: of `string`, `string-array` and `plurals`. What has `translatable="false"`, references, formats
 * of dates and `xliff:g` stay.
 *
 * @throws UnreadableDocument with the line, for what is not XML; and when it has no `resources`.
 */
export const readAndroid = (source: string, languages?: DocumentLanguages): ParsedDocument => {
  const tokens = readXmlTokens(source);
  const segments: DocumentSegment[] = [];
  const read = createReader(source, languages?.target, (found) => {
    for (const segment of found) {
      const { start } = segment.pieces[0];
      const written = source.slice(start, segment.pieces.at(-1)?.end);
      // A reference such as `@string/name` is no text.
      if (!/^[@?][\w.:+]+\/?\w/.test(written) && !isDatePattern(written)) segments.push(segment);
    }
  });
  for (const token of tokens) read(token);
  const root = tokens.find(({ kind }) => kind === "open" || kind === "empty");
  if (root?.name !== "resources") throw new UnreadableDocument("The file has no strings of Android.");
  const text = languageRenamer(languages)(root.attributes["tools:locale"] ?? "");
  const { start, end } = root;
  const edits: DocumentEdit[] =
    text === undefined
      ? []
      : [{ start, end, text: withAttribute(source.slice(start, end), "tools:locale", text) }];
  return { source, segments, edits };
};
