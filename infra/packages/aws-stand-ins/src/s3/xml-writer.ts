/**
 * What an element holds: text, named children, or several elements of the same name. `undefined` leaves the
 * element out, `null` writes it empty.
 */
export type XmlContent =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly XmlContent[]
  | { readonly [name: string]: XmlContent };

const namedEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

// Control characters are legal in keys. S3 writes them as character references, although XML 1.0 has no place
// for them; a bare carriage return would be normalised to a line feed by any parser.
const escapeText = (text: string): string =>
  text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be escaped.
    /[&<>"\u0000-\u0008\u000b-\u001f\u007f]/g,
    (character) => namedEntities[character] ?? `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`,
  );

const isList = (content: XmlContent): content is readonly XmlContent[] => Array.isArray(content);

const writeElement = (name: string, content: XmlContent, attributes = ""): string => {
  if (content === undefined) return "";
  if (content === null) return `<${name}${attributes}/>`;
  if (isList(content)) return content.map((item) => writeElement(name, item)).join("");
  const inner =
    typeof content === "object"
      ? Object.entries(content)
          .map(([child, value]) => writeElement(child, value))
          .join("")
      : escapeText(String(content));
  return `<${name}${attributes}>${inner}</${name}>`;
};

/** An XML document with one root element, in S3's namespace unless it is S3's `Error`, which has none. */
export const writeXml = (root: string, content: XmlContent): string => {
  const namespace = root === "Error" ? "" : ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeElement(root, content, namespace)}`;
};
