import type { XmlToken } from "../segments/xml-tokens.ts";
import type { Boundary, RunNames, RunText } from "./office-runs.ts";

/** A paragraph: its texts, and the names of its elements. */
export interface OfficeParagraph {
  readonly names: RunNames;
  readonly texts: readonly RunText[];
  /** Whether it is an item of a list: all of slides may be. */
  readonly isItem: boolean;
}

/** A paragraph whose end has not been read. Text boxes have paragraphs of their own inside of one. */
interface OpenParagraph {
  readonly name: string;
  readonly texts: RunText[];
  properties: string;
  isItem: boolean;
  boundary: Boundary;
  hidden: string;
}

/** Paragraphs of Word, of drawings, and of sheets: strings, and comments. */
const paragraphNames = /^(?:w:p|a:p|(?!w:|a:)(?:\w+:)?(?:si|is|text))$/;

/** What programs leave between two parts of the same text: where it was edited or checked, and where a line or page may end. */
const trifles = /^(?:w:(?:t|r|proofErr|lastRenderedPageBreak|softHyphen)|a:[tr]|(?:\w+:)?[tr])$/;

/** Texts that programs write themselves, and the pronunciation of others. */
const otherTexts = /^(?:a:fld|(?:\w+:)?rPh)$/;

/** The properties of a run without those that no reader sees. */
const formatOf = (properties: string): string =>
  properties
    .replaceAll(/<w:rPrChange\b(?:(?!<w:rPrChange\b)[\s\S])*?<\/w:rPrChange>/g, "")
    .replaceAll(/<w:(?:lang|noProof|rsid|szCs|bCs|iCs|specVanish|webHidden)\b[^>]*\/>/g, "")
    .replaceAll(
      /(?<!\s)\s+(?:w:(?:rsid\w*|cs|eastAsia|hint|cstheme|eastAsiaTheme)|lang|altLang|dirty|err|smtClean|bmk)="[^"]*"/g,
      "",
    )
    .replaceAll(/<w:rFonts\s*\/>/g, "")
    .replaceAll(/<(?:\w+:)?rPr\s*(?:\/>|>\s*<\/(?:\w+:)?rPr>)/g, "");

/** Returns the texts of all paragraphs, the inner ones first. */
export const readParagraphs = (source: string, tokens: readonly XmlToken[]): OfficeParagraph[] => {
  const read: OfficeParagraph[] = [];
  const open: OpenParagraph[] = [];
  const hiddenBookmarks = new Set<string>();
  let properties: { readonly start: number; depth: number } | undefined;
  let ignored: string | undefined;
  let text: string | undefined;

  const endParagraph = ({ texts, name, isItem }: OpenParagraph): void => {
    open.pop();
    const prefix = name.slice(0, name.indexOf(":") + 1);
    read.push({ names: { run: `${prefix}r`, text: `${prefix}t` }, texts, isItem });
    const around = open.at(-1);
    if (around) around.boundary = "other";
  };
  /** Properties may contain those that they had before a change. */
  const readProperties = (paragraph: OpenParagraph, { kind, start, end }: XmlToken): void => {
    properties ??= { start, depth: 0 };
    if (kind === "open") properties.depth += 1;
    if (kind === "close") properties.depth -= 1;
    if (properties.depth > 0) return;
    paragraph.properties = source.slice(properties.start, end);
    properties = undefined;
  };
  const addText = (paragraph: OpenParagraph, { start, end }: XmlToken): void => {
    const { properties, boundary, texts } = paragraph;
    // What comes before the first text, or is between others that stay, stays as well.
    const hidden = boundary === "nothing" && texts.length > 0 ? paragraph.hidden : "";
    texts.push({ start, end, properties, format: formatOf(properties), boundary, hidden });
    paragraph.boundary = "nothing";
    paragraph.hidden = "";
  };
  /** Bookmarks of the program itself, or within a word, move to the end of the words. */
  const isHiddenBookmark = ({ name, attributes }: XmlToken, index: number): boolean => {
    const id = attributes["w:id"] ?? "";
    if (name === "w:bookmarkEnd") return hiddenBookmarks.delete(id);
    if (name !== "w:bookmarkStart") return false;
    const next = tokens.slice(index + 1, index + 12).find(({ kind }) => kind === "text");
    const before = open.at(-1)?.texts.at(-1);
    const isInWord =
      before !== undefined &&
      next !== undefined &&
      /\p{L}$/u.test(source.slice(before.start, before.end)) &&
      /^\p{L}/u.test(source.slice(next.start, next.end));
    if (isInWord || attributes["w:name"] === "_GoBack") hiddenBookmarks.add(id);
    return hiddenBookmarks.has(id);
  };
  const pass = (paragraph: OpenParagraph, token: XmlToken, index: number): void => {
    const { kind, name, start, end } = token;
    if (name === "w:numPr" || (name === "w:pStyle" && /^List/.test(token.attributes["w:val"] ?? ""))) {
      paragraph.isItem = true;
    }
    if (isHiddenBookmark(token, index)) paragraph.hidden += source.slice(start, end);
    else if (name === "w:hyperlink" && kind !== "empty" && paragraph.boundary === "nothing") {
      paragraph.boundary = kind === "open" ? "link" : "linkEnd";
    } else if (kind !== "text" && kind !== "comment" && !trifles.test(name)) paragraph.boundary = "other";
  };

  for (const [index, token] of tokens.entries()) {
    const { kind, name } = token;
    const paragraph = open.at(-1);
    if (ignored !== undefined) {
      if (name === ignored && kind === "close") ignored = undefined;
    } else if (kind === "open" && otherTexts.test(name)) {
      ignored = name;
      if (paragraph) paragraph.boundary = "other";
    } else if (kind === "open" && paragraphNames.test(name)) {
      if (paragraph) paragraph.boundary = "other";
      const isItem = name === "a:p";
      open.push({ name, texts: [], properties: "", isItem, boundary: "nothing", hidden: "" });
    } else if (!paragraph) continue;
    else if (kind === "close" && name === paragraph.name) endParagraph(paragraph);
    else if (/^(?:\w+:)?rPr$/.test(name)) readProperties(paragraph, token);
    else if (properties) continue;
    else if (kind === "text" && text !== undefined) addText(paragraph, token);
    else pass(paragraph, token, index);
    if (/^(?:\w+:)?t$/.test(name)) text = kind === "open" ? name : undefined;
    if (/^(?:\w+:)?r$/.test(name) && kind === "open" && paragraph) paragraph.properties = "";
  }
  return read;
};
