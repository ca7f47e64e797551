import { decodeHTML } from "entities";
import { requireShortPassage } from "../segments/document-size.ts";
import { collectPassage, type PassageCollector } from "../segments/passage.ts";
import { createPassageReader, plainSyntax } from "../segments/read-words.ts";
import type { DocumentSegment, ParsedDocument, Range } from "../segments/segment.ts";
import type { PassageReader, Syntax } from "../segments/syntax.ts";
import { isUnreadableDocument, UnreadableDocument } from "../segments/unreadable-document.ts";
import { ignoredElements, readHtml } from "./html.ts";
import { inlineExtensions, withoutExtensions } from "./markdown-extensions.ts";
import { readMetadata } from "./markdown-metadata.ts";
import { parseMarkdown } from "./parse-markdown.ts";

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
  readonly title?: string | null | undefined;
  readonly referenceType?: string | undefined;
  readonly depth?: number | undefined;
}

const passageTypes = new Set(["heading", "paragraph", "tableCell"]);
/** Their words are between two pieces of markup. */
const pairedTypes = new Set(["delete", "emphasis", "link", "linkReference", "strong"]);

/** Escapes, references, footnote marks, the boxes of task lists, and what other programs read. */
const escaped = new RegExp(
  String.raw`\\[!-/:-@[-\u0060{-~]|&(?:#\d{1,7}|#[xX][\dA-Fa-f]{1,6}|[A-Za-z][A-Za-z\d]{1,31});|\[\^[^\]\s]+\]|^\[[ xX]\](?=\s)|${inlineExtensions}`,
  "g",
);

/** Lines of a quotation begin with its mark again. */
const lineEnd = /(?<![ \t])[ \t]*(?:\r\n|[\r\n])[ \t]*(?:>[ \t]*)*/g;

const markdownSyntax: Syntax = {
  escaped,
  decode: (written) => {
    if (/^(?:\$|\[\[)/.test(written)) return "";
    return written.startsWith("\\") ? written.slice(1) : decodeHTML(written);
  },
  special: "\\`*_[]<>&|",
  escape: (character) => `\\${character}`,
  blank: lineEnd,
};

/** The title of a link. */
const titleSyntax: Syntax = { ...plainSyntax, special: '"\\|&', escape: (character) => `\\${character}` };

/** The title of a box. */
const boxSyntax: Syntax = { ...plainSyntax, special: '"', escape: () => "'" };

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

/** Returns a function that parses each text once: cells and items are often the same. A reply that cannot be parsed has no structure. */
const createStructures = (): ((written: string) => string) => {
  const known = new Map<string, string>();
  const read = (written: string): string => {
    try {
      return structureOf(written);
    } catch (error) {
      if (!isUnreadableDocument(error)) throw error;
      return "unreadable";
    }
  };
  return (written) => {
    const found = known.get(written) ?? read(written);
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
    hasStructure: (written) =>
      (segment.hasStructure?.(written) ?? true) &&
      structures(written) === structures(source.slice(first.start, end)),
  };
};

/** Returns segments of a part of the source with their positions in the whole of it. */
const moved = (segments: readonly DocumentSegment[], offset: number): DocumentSegment[] => {
  const move = <Moved extends Range>(range: Moved): Moved => ({
    ...range,
    start: range.start + offset,
    end: range.end + offset,
  });
  const positions = new Map<DocumentSegment["pieces"], DocumentSegment["pieces"]>();
  for (const { pieces } of segments) {
    const [first, ...others] = pieces;
    positions.set(pieces, [move(first), ...others.map(move)]);
  }
  const placed = (segment: DocumentSegment): DocumentSegment => ({
    ...segment,
    pieces: positions.get(segment.pieces) ?? segment.pieces,
  });
  return segments.map(({ edits = [], ...segment }) => ({
    ...placed(segment),
    edits: edits.map(({ of, ...edit }) => ({ ...move(edit), ...(of ? { of: of.map(placed) } : {}) })),
  }));
};

const voidTag = /^<(?:area|br|hr|img|input|wbr)\b|\/>$|^<[!?]/i;

const tagName = (written: string): string | undefined =>
  /^<\/?([A-Za-z][^\s/>]*)/.exec(written)?.[1]?.toLowerCase();

/** Returns the index of the tag that ends an element which stays, among the nodes after it, the last one first. */
const endOfWhole = (
  source: string,
  range: Range,
  after: readonly (MarkdownNode | (() => void))[],
): number => {
  const written = source.slice(range.start, range.end);
  const name = tagName(written) ?? "";
  const stays =
    ignoredElements.has(name) || /\stranslate\s*=\s*["']?no\b|["'\s]notranslate["'\s]/i.test(written);
  if (!stays || voidTag.test(written) || written.startsWith("</")) return -1;
  const first = after.findLastIndex((node) => typeof node === "function");
  return after.findLastIndex((node, index) => {
    if (index <= first || typeof node === "function" || node.type !== "html") return false;
    const { start, end } = rangeOf(node);
    return source.slice(start, end).toLowerCase().startsWith(`</${name}`);
  });
};

const addHtmlTag = (source: string, range: Range, passage: PassageCollector): void => {
  const written = source.slice(range.start, range.end);
  const name = tagName(written);
  if (name === undefined || voidTag.test(written)) passage.addAlone(range);
  else passage.addTag({ ...range, name, isClosing: written.startsWith("</") });
};

/** Returns the text of an image as a segment, where the source writes it without escapes. */
const altText = ({ source, target }: MarkdownReading, { start }: Range, alt: string): DocumentSegment[] => {
  const range = { start: start + 2, end: start + 2 + alt.length };
  if (source.slice(range.start, range.end + 1) !== `${alt}]`) return [];
  const words = createPassageReader(source, { ...markdownSyntax, target });
  return words.segmentsOf(words.read(range));
};

/** Returns the title of a link or an image as a segment, where the source writes it without escapes. */
const linkTitle = (
  { source, target }: MarkdownReading,
  { start, end }: Range,
  title: string,
): DocumentSegment[] => {
  const written = source.slice(start, end);
  const index = written.lastIndexOf(`"${title}"`);
  if (index < 0) return [];
  const words = createPassageReader(source, { ...titleSyntax, target });
  const from = start + index + 1;
  return words.segmentsOf(words.read({ start: from, end: from + title.length }));
};

interface MarkdownReading {
  readonly source: string;
  readonly target: string | undefined;
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

/** Returns the range of a text with the marks that its next line begins with, which the parser leaves out. */
const withIndent = (source: string, { start, end }: Range): Range => {
  if (!/[\r\n]/.test(source.charAt(end - 1))) return { start, end };
  const indent = /[ \t]*(?:>[ \t]*)*/y;
  indent.lastIndex = end;
  indent.test(source);
  return { start, end: Math.max(end, indent.lastIndex) };
};

/** Adds the passages of HTML: of a block, or the attributes of a tag. */
const addHtml = ({ source, segments, target }: MarkdownReading, { start, end }: Range): void => {
  const { segments: found } = readHtml(source.slice(start, end), { target });
  for (const segment of moved(found, start)) segments.push(segment);
};

/** Adds the nodes of a passage in the order of the source. A stack holds them, because nesting may be deep. */
const addPassage = (node: MarkdownNode, reading: MarkdownReading, isItem: boolean): void => {
  const { source, segments, words } = reading;
  const more = isItem ? { isItem } : {};
  const passage = collectPassage(words, (found) => {
    for (const segment of found) segments.push({ ...checked(reading, segment), ...more });
  });
  const rest: (MarkdownNode | (() => void))[] = [...(node.children ?? [])].toReversed();
  for (let next = rest.pop(); next; next = rest.pop()) {
    if (typeof next === "function") {
      next();
      continue;
    }
    const { type, children = [], alt, title } = next;
    const range = rangeOf(next);
    if (title) for (const segment of linkTitle(reading, range, title)) segments.push(segment);
    const isAutomatic = type === "link" && /^<|^[^[]/.test(source.slice(range.start, range.end));
    if (type === "text") passage.addText(withIndent(source, range));
    else if (type === "html") {
      const end = endOfWhole(source, range, rest);
      const closing = rest[end];
      if (closing && typeof closing !== "function") {
        passage.addAlone({ start: range.start, end: rangeOf(closing).end });
        rest.length = end;
        continue;
      }
      addHtml(reading, range);
      addHtmlTag(source, range, passage);
    } else if (isPair(next) && !isAutomatic) {
      const first = rangeOf(children[0] ?? next).start;
      const last = rangeOf(children.at(-1) ?? next).end;
      passage.addTag({ start: range.start, end: first, name: type, isClosing: false });
      rest.push(() => passage.addTag({ start: last, end: range.end, name: type, isClosing: true }));
      for (const child of children.toReversed()) rest.push(child);
    } else {
      if (alt) for (const segment of altText(reading, range, alt)) segments.push(segment);
      passage.addAlone(type === "break" ? withIndent(source, range) : range);
    }
  }
  passage.end();
};

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

/**
 * Reads Markdown with tables. Code, addresses of links and metadata before the text stay as they are.
 *
 * @param target the language of the translation, whose plural categories messages have.
 * @throws UnreadableDocument
 */
export const readMarkdown = (source: string, target?: string): ParsedDocument => {
  if (tooDeep.test(source)) throw new UnreadableDocument("The Markdown is nested too deeply.");
  requireFewBlanks(source);
  const { text, words, metadata } = withoutExtensions(source);
  const titles = words.flatMap((range) => {
    const title = createPassageReader(source, { ...boxSyntax, target });
    return title.segmentsOf(title.read(range));
  });
  const reading: MarkdownReading = {
    source,
    target,
    segments: [...readMetadata(source, metadata, target), ...titles],
    words: createPassageReader(source, { ...markdownSyntax, target }),
    structures: createStructures(),
  };
  const rest: MarkdownNode[] = [parseMarkdown(text)];
  const items = new Set<MarkdownNode>();
  for (let node = rest.pop(); node; node = rest.pop()) {
    if (node.type === "listItem") for (const child of node.children ?? []) items.add(child);
    if (passageTypes.has(node.type)) addPassage(node, reading, items.has(node));
    else if (node.type === "html") addHtml(reading, rangeOf(node));
    else for (const child of (node.children ?? []).toReversed()) rest.push(child);
  }
  const segments = reading.segments.toSorted((one, other) => one.pieces[0].start - other.pieces[0].start);
  return { source, segments };
};
