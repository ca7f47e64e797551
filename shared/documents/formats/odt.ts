import { collectPassage, type PassageCollector } from "../segments/passage.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentSegment, Range } from "../segments/segment.ts";
import { xmlTextSyntax } from "../segments/xml-syntax.ts";
import type { XmlToken } from "../segments/xml-tokens.ts";

const paragraphNames = new Set(["text:p", "text:h"]);

/** Their words are between their tags. */
const pairedNames = new Set(["text:span", "text:a", "text:ruby-base", "text:meta"]);

/** What other parts of the document refer to, and no reader sees. */
const bookmark = /^text:(?:bookmark|reference-mark)(?:-start|-end)?$/;

/** Where a page ended when the document was stored. */
const pageBreak = "text:soft-page-break";

/** Attributes of text that no reader sees. */
const unseenProperty =
  /\s(?:fo:(?:language|country|script)|style:(?:language|country|rfc-language-tag)\S*|officeooo:\S+)="[^"]*"/g;

/** Returns the names of styles that change nothing which readers see: programs mark with them what was edited at one time. */
const unseenStyles = (source: string): Set<string> => {
  const styles = source.matchAll(
    /<style:style style:name="([^"]*)" style:family="text"[^>]*>\s*<style:text-properties([^>]*)\/>\s*<\/style:style>/g,
  );
  return new Set(
    Array.from(styles)
      .filter(([, , properties = ""]) => properties.replaceAll(unseenProperty, "").trim() === "")
      .map(([, name = ""]) => name),
  );
};

/** A paragraph whose end has not been read. Notes and frames have paragraphs of their own inside of one. */
interface OpenParagraph {
  readonly passage: PassageCollector;
  /** The tags of spans that readers do not see have none of the other tags' masks. */
  readonly spans: boolean[];
  /** Bookmarks within a word, which move to the end of the words. */
  readonly hidden: Range[];
  /** What stays with all that it contains. */
  whole: { readonly start: number; depth: number } | undefined;
}

/** Returns a segment with the bookmarks in it after its words. */
const withHidden = (source: string, segment: DocumentSegment, hidden: readonly Range[]): DocumentSegment => {
  const [{ start }] = segment.pieces;
  const { end } = segment.pieces.at(-1) ?? segment.pieces[0];
  const found = hidden.filter((range) => range.start > start && range.end < end);
  const after = found.map((range) => source.slice(range.start, range.end)).join("");
  return after === "" ? segment : { ...segment, layOut: (written) => written + after };
};

/** Returns the words of a paragraph's part that stays until the end of its element. */
const endWhole = (paragraph: OpenParagraph, { kind, end }: XmlToken): void => {
  const { whole, passage } = paragraph;
  if (!whole) return;
  if (kind === "open") whole.depth += 1;
  if (kind === "close") whole.depth -= 1;
  if (whole.depth > 0) return;
  passage.addAlone({ start: whole.start, end });
  paragraph.whole = undefined;
};

/** Reads a part of an OpenDocument text. Notes, frames and comments within a paragraph are passages of their own. */
export const readOdtPart = (
  source: string,
  tokens: readonly XmlToken[],
  target: string | undefined,
): DocumentSegment[] => {
  const segments: DocumentSegment[] = [];
  const unseen = unseenStyles(source);
  const open: OpenParagraph[] = [];
  let listDepth = 0;
  const begin = (): void => {
    const words = createPassageReader(source, { ...xmlTextSyntax, target });
    const hidden: Range[] = [];
    const more = listDepth > 0 ? ({ isItem: true } as const) : {};
    const passage = collectPassage(
      words,
      (found) => {
        for (const segment of found) segments.push(withHidden(source, segment, hidden));
      },
      more,
    );
    open.push({ passage, spans: [], hidden, whole: undefined });
  };
  const isInWord = ({ start, end }: XmlToken): boolean =>
    /\p{L}(?:<[^<>]*>)*$/u.test(source.slice(Math.max(0, start - 200), start)) &&
    /^(?:<[^<>]*>)*\p{L}/u.test(source.slice(end, end + 200));
  const addPair = ({ passage, spans }: OpenParagraph, token: XmlToken): void => {
    const isClosing = token.kind === "close";
    const isSeen = isClosing ? (spans.pop() ?? true) : !unseen.has(token.attributes["text:style-name"] ?? "");
    if (!isClosing) spans.push(isSeen);
    if (isSeen) passage.addTag({ name: token.name, start: token.start, end: token.end, isClosing });
  };
  for (const token of tokens) {
    const { kind, name, start } = token;
    const paragraph = open.at(-1);
    if (name === "text:list") listDepth += kind === "open" ? 1 : kind === "close" ? -1 : 0;
    if (kind === "open" && paragraphNames.has(name)) {
      if (paragraph?.whole) paragraph.whole.depth += 1;
      begin();
    } else if (!paragraph) continue;
    else if (kind === "close" && paragraphNames.has(name) && !paragraph.whole) {
      open.pop();
      paragraph.passage.end();
      const around = open.at(-1);
      if (around) endWhole(around, token);
    } else if (paragraph.whole) endWhole(paragraph, token);
    else if (kind === "text") paragraph.passage.addText(token);
    else if (pairedNames.has(name) && kind !== "empty") addPair(paragraph, token);
    else if (kind === "open") paragraph.whole = { start, depth: 1 };
    else if (name === pageBreak) continue;
    else if (bookmark.test(name) && isInWord(token)) paragraph.hidden.push(token);
    else paragraph.passage.addAlone(token);
  }
  return segments;
};
