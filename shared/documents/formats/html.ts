import { decodeHTML } from "entities";
import { type Token, Tokenizer, TokenizerMode } from "parse5";
import { requireFewAttributes } from "../segments/document-size.ts";
import { collectPassage } from "../segments/passage.ts";
import { createPassageReader, type Syntax } from "../segments/read-words.ts";
import type { DocumentSegment, ParsedDocument, Range } from "../segments/segment.ts";

/** Elements that are part of a sentence. All others begin and end a passage. */
const inlineElements = new Set(
  (
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math nobr output picture q " +
    "rb rp rt rtc ruby s samp small span strike strong sub sup svg time tt u var wbr"
  ).split(" "),
);

/** Elements whose content no reader reads as prose. */
const ignoredElements = new Set(
  "code kbd samp var tt pre script style template svg math object applet canvas audio video iframe noembed noframes".split(
    " ",
  ),
);

const voidElements = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** Attributes that people read. */
const readAttributes = new Set(["alt", "title", "placeholder", "aria-label", "aria-description"]);

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

/** The text of HTML and of its attributes. */
const htmlSyntax = (special: string): Syntax => ({
  escaped: characterReference,
  decode: decodeHTML,
  special,
  neverPlain: "&<",
  escape: (character) => escapes[character] ?? character,
  blank: /[ \t\r\n\f]+/g,
});

const textSyntax = htmlSyntax("&<>");
const attributeSyntax = htmlSyntax("&<>\"'");

/** Attributes whose value is read only on some elements. */
const isReadAttribute = ({ tagName, attrs }: Token.TagToken, name: string): boolean => {
  if (readAttributes.has(name)) return true;
  const value = (attribute: string): string =>
    attrs.find((found) => found.name === attribute)?.value.toLowerCase() ?? "";
  if (tagName === "input" && name === "value") return /^(?:submit|button|reset)$/.test(value("type"));
  const meant = `${value("name")}${value("property")}`;
  return (
    tagName === "meta" &&
    name === "content" &&
    /^(?:description|(?:og|twitter):(?:title|description))$/.test(meant)
  );
};

/** Returns the range of an attribute's value between its quotes; `undefined` when it has none. */
const valueRange = (source: string, { startOffset, endOffset }: Token.Location): Range | undefined => {
  const quoted = /^[^=]*=\s*(["'])/.exec(source.slice(startOffset, endOffset));
  return quoted ? { start: startOffset + quoted[0].length, end: endOffset - 1 } : undefined;
};

const isMarkedIgnored = ({ attrs }: Token.TagToken): boolean =>
  attrs.some(
    ({ name, value }) =>
      (name === "translate" && value.toLowerCase() === "no") ||
      (name === "class" && value.split(/\s+/).includes("notranslate")),
  );

/** An element that stays as it is, until its end tag. */
interface IgnoredElement {
  readonly name: string;
  readonly start: number;
  depth: number;
}

const readTextAttributes = (source: string, tag: Token.TagToken): DocumentSegment[] =>
  Object.entries(tag.location?.attrs ?? {}).flatMap(([name, location]) => {
    const range = isReadAttribute(tag, name) ? valueRange(source, location) : undefined;
    if (!range || range.end <= range.start) return [];
    const words = createPassageReader(source, attributeSyntax);
    return words.segmentsOf(words.read(range));
  });

/** Follows the elements of a page, in the order of its tags. What is between two tags is text. */
const createHtmlReader = (source: string, ignored: ReadonlySet<string>) => {
  const segments: DocumentSegment[] = [];
  const passage = collectPassage(createPassageReader(source, textSyntax), (found) => {
    for (const segment of found) segments.push(segment);
  });
  let skipped: IgnoredElement | undefined;
  let position = 0;

  const addTextUntil = (start: number): void => {
    if (!skipped) passage.addText({ start: position, end: start });
  };
  const open = (tag: Token.TagToken, range: Range): void => {
    const { tagName: name, selfClosing } = tag;
    const isVoid = voidElements.has(name);
    const isInline = inlineElements.has(name);
    if (!isInline) passage.end();
    if (!isVoid && !selfClosing && (ignoredElements.has(name) || ignored.has(name) || isMarkedIgnored(tag))) {
      skipped = { name, start: range.start, depth: 1 };
      return;
    }
    for (const segment of readTextAttributes(source, tag)) segments.push(segment);
    if (!isInline) return;
    if (isVoid || selfClosing) passage.addAlone(range);
    else passage.addTag({ ...range, name, isClosing: false });
  };
  const closeIgnored = (element: IgnoredElement, end: number): void => {
    if (inlineElements.has(element.name)) passage.addAlone({ start: element.start, end });
    skipped = undefined;
  };
  return {
    segments,
    startTag: (tag: Token.TagToken, range: Range): void => {
      addTextUntil(range.start);
      position = range.end;
      if (!skipped) open(tag, range);
      else if (skipped.name === tag.tagName && !tag.selfClosing) skipped.depth += 1;
    },
    endTag: ({ tagName: name }: Token.TagToken, range: Range): void => {
      addTextUntil(range.start);
      position = range.end;
      if (skipped) {
        if (skipped.name === name) skipped.depth -= 1;
        if (skipped.depth === 0) closeIgnored(skipped, range.end);
      } else if (inlineElements.has(name)) passage.addTag({ ...range, name, isClosing: true });
      else passage.end();
    },
    markup: (range: Range): void => {
      addTextUntil(range.start);
      position = range.end;
      if (!skipped) passage.addAlone(range);
    },
    end: (): void => {
      addTextUntil(source.length);
      passage.end();
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
 *
 * @param options.ignored elements that stay with all that they contain, by name.
 */
export const readHtml = (
  source: string,
  { ignored = new Set() }: { readonly ignored?: ReadonlySet<string> } = {},
): ParsedDocument => {
  const reader = createHtmlReader(source, ignored);
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
  tokenizer.write(source, true);
  const segments = reader.segments.toSorted((one, other) => one.pieces[0].start - other.pieces[0].start);
  return { source, segments };
};
