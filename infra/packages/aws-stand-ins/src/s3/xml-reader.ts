import { S3Error } from "./s3-error.ts";

/** One element of a request document. Attributes are dropped: no S3 request carries meaning in them. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface OpenElement {
  readonly name: string;
  readonly texts: string[];
  readonly children: XmlElement[];
}

const token =
  /<\?[^>]*\?>|<!--[\s\S]*?-->|<(?<close>\/?)(?<name>[A-Za-z_][\w.:-]*)(?:\s[^<>]*?)?(?<empty>\/?)>|(?<text>[^<]+)/y;

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const decodeEntity = (body: string): string => {
  const named = entities[body];
  if (named !== undefined) return named;
  const codePoint = body.startsWith("#x")
    ? Number.parseInt(body.slice(2), 16)
    : body.startsWith("#")
      ? Number.parseInt(body.slice(1), 10)
      : Number.NaN;
  if (!(codePoint <= 0x10ffff)) throw new S3Error("MalformedXML");
  return String.fromCodePoint(codePoint);
};

const decodeText = (text: string): string =>
  text.replace(/&([^;&]*)(;?)/g, (_match, body: string, end: string) => {
    if (end === "") throw new S3Error("MalformedXML");
    return decodeEntity(body);
  });

const finish = (element: OpenElement): XmlElement => ({
  name: element.name,
  text: decodeText(element.texts.join("")),
  children: element.children,
});

/**
 * Reads the small part of XML that S3 requests are written in: elements, text and the five entities. Document
 * types and CDATA are refused, so entity expansion cannot be abused.
 *
 * @param expectedRoot the root element the operation needs.
 * @throws {S3Error} `MalformedXML` for anything else.
 */
export const readXml = (document: string, expectedRoot: string): XmlElement => {
  const root: OpenElement = { name: "", texts: [], children: [] };
  const open: OpenElement[] = [root];
  token.lastIndex = 0;
  while (token.lastIndex < document.length) {
    const groups = token.exec(document)?.groups;
    const current = open.at(-1);
    if (groups === undefined || current === undefined) throw new S3Error("MalformedXML");
    const { close, name, empty, text } = groups;
    if (text !== undefined) current.texts.push(text);
    if (name === undefined) continue;
    if (close !== "/") {
      const opened: OpenElement = { name, texts: [], children: [] };
      if (empty === "/") current.children.push(finish(opened));
      else open.push(opened);
      continue;
    }
    const parent = open.at(-2);
    if (current.name !== name || parent === undefined) throw new S3Error("MalformedXML");
    open.pop();
    parent.children.push(finish(current));
  }
  const [element, ...others] = root.children;
  const complete = open.length === 1 && others.length === 0 && root.texts.join("").trim() === "";
  if (!complete || element?.name !== expectedRoot) throw new S3Error("MalformedXML");
  return element;
};

export const childrenNamed = (parent: XmlElement, name: string): readonly XmlElement[] =>
  parent.children.filter((child) => child.name === name);

/** The text of the one child with that name; undefined when there is none. */
export const optionalChildText = (parent: XmlElement, name: string): string | undefined =>
  parent.children.find((child) => child.name === name)?.text;

/** @throws {S3Error} `MalformedXML` when the child is missing. */
export const childText = (parent: XmlElement, name: string): string => {
  const text = optionalChildText(parent, name);
  if (text === undefined) throw new S3Error("MalformedXML", { message: `The element ${name} is missing.` });
  return text;
};
