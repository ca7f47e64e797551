import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentSegment, Range } from "../segments/segment.ts";
import type { Syntax } from "../segments/syntax.ts";
import { xmlAttributeSyntax, xmlTextSyntax } from "../segments/xml-syntax.ts";
import type { XmlToken } from "../segments/xml-tokens.ts";

/** Attributes that people read or hear, by elements: descriptions of pictures, and the words of WordArt. */
const readAttributes: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\w+:(?:docPr|cNvPr)$/, ["descr", "title"]],
  [/^v:textpath$/, ["string"]],
  [/^v:/, ["alt"]],
  [/^(?:\w+:)?dataValidation$/, ["promptTitle", "prompt", "errorTitle", "error"]],
  [/^(?:(?!w:)\w+:)?hyperlink$|^a:hlink(?:Click|Hover|MouseOver)$/, ["tooltip"]],
  [/^w:hyperlink$/, ["w:tooltip"]],
];

/** Elements that have text only: the title, descriptions, comments, titles of indexes, and texts of newer charts. */
const textNames = new Set([
  "dc:title",
  "svg:title",
  "svg:desc",
  "p:text",
  "text",
  "cx:pt",
  "text:index-title-template",
]);

/** What sheets have above and below, when they are printed. */
const marginName = /^(?:\w+:)?(?:odd|even|first)(?:Header|Footer)$/;

/** How a font looks, and which part of the line begins. */
const marginFormat = String.raw`&amp;(?:[LCRBIUESXYHO]|K[\dA-F+-]{5,6}|\d+|&quot;.*?&quot;|"[^"]*")`;

/** Codes in it are masks, also those of what a program inserts, such as the number of the page. */
const marginSyntax: Syntax = {
  ...xmlTextSyntax,
  escaped: new RegExp(`&amp;&amp;|${marginFormat}|&amp;[A-Z]|${xmlTextSyntax.escaped.source}`, "g"),
  decode: (written) => {
    if (written === "&amp;&amp;") return "&";
    return /^&amp;./.test(written) ? written : xmlTextSyntax.decode(written);
  },
  escape: (character) => (character === "&" ? "&amp;&amp;" : xmlTextSyntax.escape(character)),
  lineMark: new RegExp(`^(?:${marginFormat})+$`),
};

/** Returns the left, the central and the right part. */
const marginParts = (source: string, { start, end }: Range): Range[] =>
  Array.from(
    source.slice(start, end).matchAll(/(?:&amp;[LCR]|^)(?:(?!&amp;[LCR])[\s\S])*/g),
    ({ index, 0: part }) => ({ start: start + index, end: start + index + part.length }),
  );

/** What a chart shows of the names in a table. */
const cacheNames = new Set(["c:strCache", "c:strLit", "c:multiLvlStrCache"]);

/** Returns the range of an attribute's value, without its quotes. */
export const attributeRange = (source: string, { start, end }: XmlToken, name: string): Range | undefined => {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(source.slice(start, end));
  if (!found) return undefined;
  const to = start + found.index + found[0].length - 1;
  return { start: to - (found[1] ?? found[2] ?? "").length, end: to };
};

/** Returns the words of attributes and of elements that have text only. */
export const readOthers = (
  source: string,
  tokens: readonly XmlToken[],
  target: string | undefined,
): DocumentSegment[] => {
  const segments: DocumentSegment[] = [];
  let isInCache = false;
  const read = (range: Range, syntax: Syntax): void => {
    const words = createPassageReader(source, { ...syntax, target });
    for (const segment of words.segmentsOf(words.read(range))) segments.push(segment);
  };
  for (const [index, token] of tokens.entries()) {
    const { kind, name, attributes } = token;
    if (cacheNames.has(name)) isInCache = kind === "open";
    if (kind !== "open" && kind !== "empty") continue;
    const text = tokens[index + 1];
    if (text?.kind === "text" && (textNames.has(name) || (isInCache && name === "c:v"))) {
      read(text, xmlTextSyntax);
    }
    if (text?.kind === "text" && marginName.test(name)) {
      for (const part of marginParts(source, text)) read(part, marginSyntax);
    }
    for (const attribute of readAttributes.find(([element]) => element.test(name))?.[1] ?? []) {
      const range = attributes[attribute] ? attributeRange(source, token, attribute) : undefined;
      if (range) read(range, xmlAttributeSyntax);
    }
  }
  return segments;
};
