import { collectPassage } from "../segments/passage.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentSegment, ParsedDocument } from "../segments/segment.ts";
import { xmlTextSyntax } from "../segments/xml-syntax.ts";
import { readXmlTokens, type XmlToken } from "../segments/xml-tokens.ts";

/** How the elements of a text in XML are read. Elements are given by their names, with prefixes. */
export interface XmlOptions {
  /** They stay with all that they contain. */
  readonly ignored?: ReadonlySet<string>;
  /** They begin and end a passage wherever they are. */
  readonly splitting?: ReadonlySet<string>;
  /** They never do. */
  readonly nonSplitting?: ReadonlySet<string>;
  /** Whether other elements begin and end a passage where no words are next to them; by default they do. */
  readonly hasOutline?: boolean;
  /** The language of the translation, whose plural categories messages have. */
  readonly target?: string | undefined;
}

/** Returns the indexes of the tokens that open an element among words: its parent has words of its own. */
const findMixed = (source: string, tokens: readonly XmlToken[]): ReadonlySet<number> => {
  const mixed = new Set<number>();
  const open: { hasWords: boolean; readonly children: number[] }[] = [{ hasWords: false, children: [] }];
  const close = (): void => {
    const { hasWords, children } = open.pop() ?? { hasWords: false, children: [] };
    if (hasWords) for (const child of children) mixed.add(child);
  };
  for (const [index, { kind, start, end }] of tokens.entries()) {
    const parent = open.at(-1);
    if (kind === "text" && parent && /\S/.test(source.slice(start, end))) parent.hasWords = true;
    if (kind === "open" || kind === "empty") parent?.children.push(index);
    if (kind === "open") open.push({ hasWords: false, children: [] });
    if (kind === "close") close();
  }
  close();
  return mixed;
};

/** Returns whether the element that a token opens is part of a sentence. */
const inlineRule =
  (mixed: ReadonlySet<number>, { splitting, nonSplitting, hasOutline = true }: XmlOptions) =>
  ({ name }: XmlToken, index: number): boolean => {
    if (splitting?.has(name)) return false;
    return nonSplitting?.has(name) || !hasOutline || mixed.has(index);
  };

const staysWhole = ({ name, attributes }: XmlToken, { ignored }: XmlOptions): boolean =>
  ignored?.has(name) === true || attributes["translate"] === "no";

/**
 * Reads a text in XML, or a part of one. Translated is what is between the tags, and not what is marked with `translate="no"`.
 *
 * @throws UnreadableDocument for what is not well-formed.
 */
export const readXml = (source: string, options: XmlOptions = {}): ParsedDocument => {
  const tokens = readXmlTokens(source, { isFragment: true });
  const { target } = options;
  const isInline = inlineRule(findMixed(source, tokens), options);
  const segments: DocumentSegment[] = [];
  const passage = collectPassage(createPassageReader(source, { ...xmlTextSyntax, target }), (found) => {
    for (const segment of found) segments.push(segment);
  });
  const open: { readonly isInline: boolean }[] = [];
  let whole: { readonly start: number; readonly isInline: boolean; depth: number } | undefined;
  const addTag = ({ name, start, end }: XmlToken, isClosing: boolean, inline: boolean): void => {
    if (inline) passage.addTag({ name, start, end, isClosing });
    else passage.end();
  };
  const readInWhole = ({ kind, end }: XmlToken, found: NonNullable<typeof whole>): void => {
    if (kind === "open") found.depth += 1;
    if (kind === "close") found.depth -= 1;
    if (found.depth > 0) return;
    if (found.isInline) passage.addAlone({ start: found.start, end });
    else passage.end();
    whole = undefined;
  };
  for (const [index, token] of tokens.entries()) {
    const { kind, start } = token;
    if (whole) readInWhole(token, whole);
    else if (kind === "text") passage.addText(token);
    else if (kind === "open") {
      const inline = isInline(token, index);
      if (staysWhole(token, options)) whole = { start, isInline: inline, depth: 1 };
      else {
        open.push({ isInline: inline });
        addTag(token, false, inline);
      }
    } else if (kind === "close") addTag(token, true, open.pop()?.isInline ?? false);
    else if (kind === "empty" && !isInline(token, index)) passage.end();
    else passage.addAlone(token);
  }
  passage.end();
  return { source, segments };
};
