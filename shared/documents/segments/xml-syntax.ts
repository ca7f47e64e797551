import type { Syntax } from "./syntax.ts";

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const references: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Returns what a reader sees. Control characters are returned as they are written, so they become masks. */
const decode = (escaped: string): string => {
  const name = escaped.slice(1, -1);
  if (!name.startsWith("#")) return references[name] ?? escaped;
  const isHexadecimal = name.startsWith("#x");
  const character = String.fromCodePoint(
    Number.parseInt(name.slice(isHexadecimal ? 2 : 1), isHexadecimal ? 16 : 10),
  );
  return /[\p{Cc}\u2028\u2029]/u.test(character) ? escaped : character;
};

/** Returns a tag with an attribute set. @param value without characters that would be escaped. */
export const withAttribute = (tag: string, name: string, value: string): string => {
  const written = new RegExp(`(\\s${name}\\s*=\\s*)(?:"[^"]*"|'[^']*')`);
  return written.test(tag)
    ? tag.replace(written, `$1"${value}"`)
    : tag.replace(/^<[^\s/>]+/, `$& ${name}="${value}"`);
};

/** The text between the tags of XML. */
export const xmlTextSyntax: Syntax = {
  escaped: /&#?\w+;/g,
  decode,
  // Quotes have no meaning here: they are listed because a text may contain them both escaped and unescaped.
  special: `&<>"'`,
  forbidden: "]]>",
  escape: (character) => escapes[character] ?? character,
  blank: /[ \t\r\n]+/g,
  lineBreak: /[\u0085\u2028\u2029]/g,
};

/** The value of an attribute. */
export const xmlAttributeSyntax: Syntax = {
  ...xmlTextSyntax,
  escape: (character) => ({ '"': "&quot;", "'": "&apos;" })[character] ?? xmlTextSyntax.escape(character),
};
