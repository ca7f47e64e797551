import { SaxesParser } from "saxes";
import { requireFewAttributes } from "./document-size.ts";
import type { Range } from "./segment.ts";
import { UnreadableDocument } from "./unreadable-document.ts";

/** A tag, a text or another part of an XML document. All tokens together are the document, except its byte order mark. */
export interface XmlToken extends Range {
  /** `other` is a declaration, a document type or an instruction. */
  readonly kind: "open" | "close" | "empty" | "text" | "cdata" | "comment" | "other";
  /** Of a tag, with its prefix; otherwise empty. */
  readonly name: string;
  /** Of an opening or empty tag, by their names with prefixes. */
  readonly attributes: Readonly<Record<string, string>>;
}

const noAttributes: XmlToken["attributes"] = {};

const invalid = (line: number, problem: string): UnreadableDocument =>
  new UnreadableDocument(`The XML is invalid: line ${line}: ${problem}.`);

/** Returns what the parser reports, without its position and without the names in the document. */
const problemOf = ({ message }: Error): string =>
  message.replace(/^\d+:\d+: /, "").replace(/:[\s\S]*$|\.$/, "");

/** Collects tokens from the positions at which the parser has read them. */
const createCollector = (source: string) => {
  const tokens: XmlToken[] = [];
  let position = source.startsWith("\uFEFF") ? 1 : 0;
  const addText = (end: number): void => {
    if (end > position) {
      tokens.push({ kind: "text", name: "", attributes: noAttributes, start: position, end });
    }
    position = end;
  };
  return {
    tokens,
    addText,
    add: (kind: XmlToken["kind"], end: number, name = "", attributes = noAttributes): void => {
      // Text cannot contain this character, so markup starts at the next one.
      addText(source.indexOf("<", position));
      tokens.push({ kind, name, attributes, start: position, end });
      position = end;
    },
  };
};

/**
 * Reads an XML document.
 *
 * @param options.isFragment whether it is a part of a document, which may begin with text and have several elements.
 * @returns its tokens in the order of the source. Positions are UTF-16 units from the start of the source.
 * @throws UnreadableDocument with the line, for what is not well-formed, and for a document type that declares entities or anything else.
 */
export const readXmlTokens = (
  source: string,
  { isFragment = false }: { readonly isFragment?: boolean } = {},
): readonly XmlToken[] => {
  // The parser would read half of a pair together with the character after it.
  const half = source.search(/\p{Cs}/u);
  if (half >= 0) throw invalid(source.slice(0, half).split(/\r\n|\r|\n/).length, "a character is damaged");
  const parser = new SaxesParser({ fragment: isFragment, xmlns: false as const });
  const { tokens, add, addText } = createCollector(source);
  parser.on("error", (error) => {
    throw invalid(parser.line, problemOf(error));
  });
  parser.on("doctype", (text) => {
    if (text.includes("[")) throw invalid(parser.line, "a document type with declarations is not supported");
    add("other", parser.position);
  });
  parser.on("xmldecl", () => add("other", parser.position));
  parser.on("processinginstruction", () => add("other", parser.position));
  // The parser reports a comment before its last character.
  parser.on("comment", () => add("comment", parser.position + 1));
  parser.on("cdata", () => add("cdata", parser.position));
  let attributesOfTag = 0;
  parser.on("attribute", () => {
    attributesOfTag += 1;
    requireFewAttributes(attributesOfTag);
  });
  parser.on("opentagstart", () => {
    attributesOfTag = 0;
  });
  parser.on("opentag", ({ name, attributes, isSelfClosing }) =>
    add(isSelfClosing ? "empty" : "open", parser.position, name, attributes),
  );
  parser.on("closetag", ({ name, isSelfClosing }) => {
    if (!isSelfClosing) add("close", parser.position, name);
  });
  parser.write(source).close();
  addText(source.length);
  return tokens;
};
