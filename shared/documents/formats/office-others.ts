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
];

/** Elements that have text only: the title, descriptions, comments, and texts of newer charts. */
const textNames = new Set(["dc:title", "svg:title", "svg:desc", "p:text", "text", "cx:pt"]);

/** What a chart shows of the names in a table. */
const cacheNames = new Set(["c:strCache", "c:strLit"]);

/** Returns the range of an attribute's value, without its quotes. */
export const attributeRange = (source: string, { start, end }: XmlToken, name: string): Range | undefined => {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(source.slice(start, end));
  if (!found) return undefined;
  const to = start + found.index + found[0].length - 1;
  return { start: to - (found[1] ?? found[2] ?? "").length, end: to };
};

/** Returns the words of attributes and of elements that have text only. */
export const readOthers = (source: string, tokens: readonly XmlToken[]): DocumentSegment[] => {
  const segments: DocumentSegment[] = [];
  let isInCache = false;
  const read = (range: Range, syntax: Syntax): void => {
    const words = createPassageReader(source, syntax);
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
    for (const attribute of readAttributes.find(([element]) => element.test(name))?.[1] ?? []) {
      const range = attributes[attribute] ? attributeRange(source, token, attribute) : undefined;
      if (range) read(range, xmlAttributeSyntax);
    }
  }
  return segments;
};
