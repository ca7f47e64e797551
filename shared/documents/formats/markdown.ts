import { decodeHTML } from "entities";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import { requireShortPassage } from "../segments/document-size.ts";
import { collectPassage, type PassageCollector } from "../segments/passage.ts";
import { createPassageReader, type PassageReader, type Syntax } from "../segments/read-words.ts";
import type { DocumentSegment, ParsedDocument, Range, SegmentPiece } from "../segments/segment.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";
import { readHtml } from "./html.ts";

/** The tree of a Markdown text with tables. */
export const parseMarkdown = (source: string) =>
  fromMarkdown(source, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });

/** A node of the tree, as far as this file reads it. */
export interface MarkdownNode {
  readonly type: string;
  readonly children?: readonly MarkdownNode[] | undefined;
  readonly position?:
    | {
        readonly start: { readonly offset?: number | undefined };
        readonly end: { readonly offset?: number | undefined };
      }
    | undefined;
  readonly alt?: string | null | undefined;
  readonly referenceType?: string | undefined;
  readonly depth?: number | undefined;
}

const passageTypes = new Set(["heading", "paragraph", "tableCell"]);
/** Their words are between two pieces of markup. */
const pairedTypes = new Set(["delete", "emphasis", "link", "linkReference", "strong"]);

/** Escapes, references, footnote marks and the boxes of task lists. */
const escaped =
  /\\[!-/:-@[-`{-~]|&(?:#\d{1,7}|#[xX][\dA-Fa-f]{1,6}|[A-Za-z][A-Za-z\d]{1,31});|\[\^[^\]\s]+\]|^\[[ xX]\](?=\s)/g;

/** Lines of a quotation begin with its mark again. */
const lineEnd = /(?<![ \t])[ \t]*\r?\n[ \t]*(?:>[ \t]*)*/g;

const markdownSyntax: Syntax = {
  escaped,
  decode: (written) => (written.startsWith("\\") ? written.slice(1) : decodeHTML(written)),
  special: "\\`*_[]<>&|",
  escape: (character) => `\\${character}`,
  blank: lineEnd,
};

/** Where a node is in the source. */
export const rangeOf = ({ position }: MarkdownNode): Range => ({
  start: position?.start.offset ?? 0,
  end: position?.end.offset ?? 0,
});

/** The types of the nodes in a passage: two texts with the same ones have the same structure. */
const structureOf = (written: string): string => {
  const types: string[] = [];
  const rest: MarkdownNode[] = [parseMarkdown(written.replaceAll(lineEnd, " "))];
  for (let node = rest.pop(); node; node = rest.pop()) {
    const { type, depth = "", children = [] } = node;
    if (type !== "text") types.push(`${type}${depth}`);
    for (const child of children) rest.push(child);
  }
  return types.toSorted().join(" ");
};

/** Returns a function that parses each text once: cells and items are often the same. */
const createStructures = (): ((written: string) => string) => {
  const known = new Map<string, string>();
  return (written) => {
    const found = known.get(written) ?? structureOf(written);
    known.set(written, found);
    return found;
  };
};

/** Words can become markup by their place, such as a number at the start. */
const checked = ({ source, structures }: MarkdownReading, segment: DocumentSegment): DocumentSegment => {
  const [first] = segment.pieces;
  const { end } = segment.pieces.at(-1) ?? first;
  return {
    ...segment,
    hasStructure: (written) => structures(written) === structures(source.slice(first.start, end)),
  };
};

const moved = (segment: DocumentSegment, offset: number): DocumentSegment => {
  const move = <Moved extends SegmentPiece>(piece: Moved): Moved => ({
    ...piece,
    start: piece.start + offset,
    end: piece.end + offset,
  });
  const [first, ...others] = segment.pieces;
  return { ...segment, pieces: [move(first), ...others.map(move)] };
};

const voidTag = /^<(?:area|br|hr|img|input|wbr)\b|\/>$|^<[!?]/i;

const addHtmlTag = (source: string, range: Range, passage: PassageCollector): void => {
  const written = source.slice(range.start, range.end);
  const name = /^<\/?([A-Za-z][^\s/>]*)/.exec(written)?.[1]?.toLowerCase();
  if (name === undefined || voidTag.test(written)) passage.addAlone(range);
  else passage.addTag({ ...range, name, isClosing: written.startsWith("</") });
};

/** Returns the text of an image as a segment, where the source writes it without escapes. */
const altText = (source: string, { start }: Range, alt: string): DocumentSegment[] => {
  const range = { start: start + 2, end: start + 2 + alt.length };
  if (source.slice(range.start, range.end + 1) !== `${alt}]`) return [];
  const words = createPassageReader(source, markdownSyntax);
  return words.segmentsOf(words.read(range));
};

interface MarkdownReading {
  readonly source: string;
  readonly segments: DocumentSegment[];
  readonly words: PassageReader;
  readonly structures: (written: string) => string;
}

/** Whether a node's words are written between its own markup. The words of `[this]` are also the name of its link. */
const isPair = ({ type, children = [], referenceType }: MarkdownNode): boolean =>
  pairedTypes.has(type) &&
  children.length > 0 &&
  referenceType !== "shortcut" &&
  referenceType !== "collapsed";

/** Adds the nodes of a passage in the order of the source. A stack holds them, because nesting may be deep. */
const addPassage = (node: MarkdownNode, reading: MarkdownReading): void => {
  const { source, segments, words } = reading;
  const passage = collectPassage(words, (found) => {
    for (const segment of found) segments.push(checked(reading, segment));
  });
  const rest: (MarkdownNode | (() => void))[] = [...(node.children ?? [])].toReversed();
  for (let next = rest.pop(); next; next = rest.pop()) {
    if (typeof next === "function") {
      next();
      continue;
    }
    const { type, children = [], alt } = next;
    const range = rangeOf(next);
    const isAutomatic = type === "link" && /^<|^[^[]/.test(source.slice(range.start, range.end));
    if (type === "text") passage.addText(range);
    else if (type === "html") addHtmlTag(source, range, passage);
    else if (isPair(next) && !isAutomatic) {
      const first = rangeOf(children[0] ?? next).start;
      const last = rangeOf(children.at(-1) ?? next).end;
      passage.addTag({ start: range.start, end: first, name: type, isClosing: false });
      rest.push(() => passage.addTag({ start: last, end: range.end, name: type, isClosing: true }));
      for (const child of children.toReversed()) rest.push(child);
    } else {
      if (alt) for (const segment of altText(source, range, alt)) segments.push(segment);
      passage.addAlone(range);
    }
  }
  passage.end();
};

/** Metadata before the text, as static site generators write it. */
const frontMatter = /^\uFEFF?---\r?\n[\s\S]*?\r?\n---(?=\r?\n|$)/;

/** The parser needs time in proportion to the square of the depth. */
const tooDeep = /^(?:[ \t]*>){100}|^[ \t]{400,}(?:[-*+]|\d+[.)])[ \t]/m;

/** The parser has objects for each blank of a line, which may be the head of a table. Long addresses of images have none. */
const requireFewBlanks = (source: string): void => {
  for (const line of source.split(/[\r\n]+/)) {
    let blanks = 0;
    for (const _ of line.matchAll(/[ \t]+/g)) blanks += 1;
    // As many as words of a letter each have in the longest passage.
    requireShortPassage(2 * blanks);
  }
};

/** Reads Markdown with tables. Code, addresses of links and metadata before the text stay as they are. @throws UnreadableDocument */
export const readMarkdown = (source: string): ParsedDocument => {
  if (tooDeep.test(source)) throw new UnreadableDocument("The Markdown is nested too deeply.");
  requireFewBlanks(source);
  const text = source.replace(frontMatter, (found) => found.replaceAll(/[^\r\n]/g, " "));
  const reading: MarkdownReading = {
    source,
    segments: [],
    words: createPassageReader(source, markdownSyntax),
    structures: createStructures(),
  };
  const rest: MarkdownNode[] = [parseMarkdown(text)];
  for (let node = rest.pop(); node; node = rest.pop()) {
    const { start, end } = rangeOf(node);
    if (passageTypes.has(node.type)) addPassage(node, reading);
    else if (node.type === "html") {
      const html = readHtml(source.slice(start, end)).segments;
      for (const segment of html) reading.segments.push(moved(segment, start));
    } else for (const child of (node.children ?? []).toReversed()) rest.push(child);
  }
  const segments = reading.segments.toSorted((one, other) => one.pieces[0].start - other.pieces[0].start);
  return { source, segments };
};
