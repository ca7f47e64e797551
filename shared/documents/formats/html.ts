import { decodeHTML } from "entities";
import { type Token, Tokenizer, TokenizerMode } from "parse5";
import { requireFewAttributes } from "../segments/document-size.ts";
import { type DocumentLanguages, languageRenamer } from "../segments/language-tags.ts";
import { collectPassage, type PassageCollector } from "../segments/passage.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentEdit, DocumentSegment, ParsedDocument, Range } from "../segments/segment.ts";
import type { Syntax } from "../segments/syntax.ts";
import { editLanguages, isMarked, readTextAttributes } from "./html-attributes.ts";
import { templatePattern, withoutTemplates } from "./html-templates.ts";

/** Elements that are part of a sentence. All others begin and end a passage. */
const inlineElements = new Set(
  (
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math nobr output picture q " +
    "rb rp rt rtc ruby s samp small span strike strong sub sup svg time tt u var wbr"
  ).split(" "),
);

/** Elements whose content no reader reads as prose. */
export const ignoredElements = new Set(
  "code kbd samp var tt script style template math applet iframe noembed noframes svg".split(" "),
);

/** What readers see or hear of a drawing. */
const drawingTexts = new Set(["title", "desc", "text"]);

/** Items of lists. */
const itemElements = new Set(["li", "dt", "dd", "option"]);

const voidElements = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

const rawTextModes: Readonly<Record<string, Tokenizer["state"]>> = {
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  style: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  plaintext: TokenizerMode.PLAINTEXT,
};

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const characterReference = /&(?:#\d{1,7}|#[xX][\dA-Fa-f]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/g;

/** Returns what a reader sees. What ends a line stays as it is written. */
const decode = (written: string): string => {
  if (!written.startsWith("&")) return "";
  const decoded = decodeHTML(written);
  return /\p{Cc}/u.test(decoded) ? written : decoded;
};

/** The text of HTML and of its attributes. */
const htmlSyntax = (special: string): Syntax => ({
  escaped: new RegExp(`${characterReference.source}|${templatePattern.source}`, "g"),
  decode,
  special,
  neverPlain: "&<",
  escape: (character) => escapes[character] ?? character,
  blank: /[ \t\r\n\f]+/g,
});

const textSyntax = htmlSyntax("&<>");
const attributeSyntax = htmlSyntax("&<>\"'");

/** Lines that the page shows as they are. */
const lineSyntax: Syntax = { ...textSyntax, blank: /(?!)/g };

/** How a page is read. */
export interface HtmlOptions {
  /** Elements that stay with all that they contain, by name. */
  readonly ignored?: ReadonlySet<string>;
  /** What `lang` says afterwards, where it names the source; by default that stays. */
  readonly languages?: DocumentLanguages | undefined;
  /** The language of the translation, whose plural categories messages have; by default that of `languages`. */
  readonly target?: string | undefined;
}

/** A part of a page that is read or stays, until the end of its element. One may be in another one of the other kind. */
interface Region {
  /** Of what is read; `undefined` for what stays. */
  readonly passage: PassageCollector | undefined;
  readonly name: string;
  readonly start: number;
  readonly isMarked: boolean;
  depth: number;
}

/** Follows the elements of a page, in the order of its tags. What is between two tags is text. */
const createHtmlReader = (
  source: string,
  { ignored = new Set(), languages, target = languages?.target }: HtmlOptions,
) => {
  const segments: DocumentSegment[] = [];
  const edits: DocumentEdit[] = [];
  const rename = languageRenamer(languages);
  let block = "";
  const collect = (syntax: Syntax): PassageCollector =>
    collectPassage(createPassageReader(source, { ...syntax, target }), (found) => {
      const isItem = itemElements.has(block);
      for (const segment of found) segments.push(isItem ? { ...segment, isItem } : segment);
    });
  const page: Region = { passage: collect(textSyntax), name: "", start: 0, isMarked: false, depth: 1 };
  const regions: Region[] = [];
  const present = (): Region => regions.at(-1) ?? page;
  let position = 0;

  const addTextUntil = (start: number): void => {
    const { passage, name } = present();
    if (!passage) return;
    if (name !== "pre") passage.addText({ start: position, end: start });
    else {
      for (const { index, 0: line } of source.slice(position, start).matchAll(/[^\r\n]+|[\r\n]+/g)) {
        if (/[\r\n]/.test(line)) passage.end();
        else passage.addText({ start: position + index, end: position + index + line.length });
      }
    }
  };
  const begin = (tag: Token.TagToken, { start }: Range, passage: PassageCollector | undefined): void => {
    regions.push({ passage, name: tag.tagName, start, isMarked: isMarked(tag) === false, depth: 1 });
  };
  /** Whether a tag begins something to read in what stays. */
  const isRead = (tag: Token.TagToken): boolean => {
    const { name, isMarked: isWhole } = present();
    return isMarked(tag) === true || (name === "svg" && !isWhole && drawingTexts.has(tag.tagName));
  };
  const open = (tag: Token.TagToken, range: Range, passage: PassageCollector): void => {
    const { tagName: name, selfClosing } = tag;
    const isAlone = voidElements.has(name) || selfClosing;
    const isInline = inlineElements.has(name);
    if (!isInline) {
      passage.end();
      block = name;
    }
    const stays = isMarked(tag) === false || ignored.has(name);
    if (!stays) {
      for (const segment of readTextAttributes(source, tag, { ...attributeSyntax, target }))
        segments.push(segment);
    }
    if (!isAlone && (stays || ignoredElements.has(name))) begin(tag, range, undefined);
    else if (!isAlone && name === "pre") begin(tag, range, collect(lineSyntax));
    else if (isInline && isAlone) passage.addAlone(range);
    else if (isInline) passage.addTag({ ...range, name, isClosing: false });
  };
  const close = (region: Region, end: number): void => {
    regions.pop();
    region.passage?.end();
    if (!region.passage && inlineElements.has(region.name)) {
      present().passage?.addAlone({ start: region.start, end });
    }
  };
  return {
    segments,
    edits,
    startTag: (tag: Token.TagToken, range: Range): void => {
      addTextUntil(range.start);
      position = range.end;
      const region = present();
      if (region.name === tag.tagName && !tag.selfClosing) region.depth += 1;
      if (region.passage) {
        for (const edit of editLanguages(source, tag, rename)) edits.push(edit);
        open(tag, range, region.passage);
      } else if (isRead(tag) && !tag.selfClosing) begin(tag, range, collect(textSyntax));
    },
    endTag: ({ tagName: name }: Token.TagToken, range: Range): void => {
      addTextUntil(range.start);
      position = range.end;
      const region = present();
      if (region.name === name) region.depth -= 1;
      if (region.depth === 0) close(region, range.end);
      else if (region.passage && inlineElements.has(name)) {
        region.passage.addTag({ ...range, name, isClosing: true });
      } else region.passage?.end();
    },
    markup: (range: Range): void => {
      addTextUntil(range.start);
      position = range.end;
      present().passage?.addAlone(range);
    },
    end: (): void => {
      addTextUntil(source.length);
      for (const { passage } of [page, ...regions]) passage?.end();
    },
  };
};

const rangeOf = (location: Token.Location | null): Range => ({
  start: location?.startOffset ?? 0,
  end: location?.endOffset ?? 0,
});

/** The tokenizer of browsers, with a bound. */
class BoundedTokenizer extends Tokenizer {
  #attributes = 0;

  protected override _createAttr(first: string): void {
    this.#attributes += 1;
    requireFewAttributes(this.#attributes);
    super._createAttr(first);
  }

  /** Begins the next tag. */
  endTag(): void {
    this.#attributes = 0;
  }
}

/**
 * Reads a page, or a part of one. Translated are its text and the attributes that people read, such as `alt`; not code, and not
 * what is marked with `translate="no"` or `class="notranslate"`.
 */
export const readHtml = (source: string, options: HtmlOptions = {}): ParsedDocument => {
  const reader = createHtmlReader(source, options);
  const nothing = (): void => undefined;
  const tokenizer = new BoundedTokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: (tag) => {
        tokenizer.endTag();
        reader.startTag(tag, rangeOf(tag.location));
        const mode = rawTextModes[tag.tagName];
        if (mode !== undefined) tokenizer.state = mode;
      },
      onEndTag: (tag) => {
        tokenizer.endTag();
        reader.endTag(tag, rangeOf(tag.location));
      },
      onComment: ({ location }) => reader.markup(rangeOf(location)),
      onDoctype: ({ location }) => reader.markup(rangeOf(location)),
      onEof: () => reader.end(),
      onCharacter: nothing,
      onNullCharacter: nothing,
      onWhitespaceCharacter: nothing,
      onParseError: null,
    },
  );
  tokenizer.write(withoutTemplates(source), true);
  const segments = reader.segments.toSorted((one, other) => one.pieces[0].start - other.pieces[0].start);
  return { source, segments, edits: reader.edits };
};
