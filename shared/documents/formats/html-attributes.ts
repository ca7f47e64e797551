import type { Token } from "parse5";
import type { RenameLanguage } from "../segments/language-tags.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentEdit, DocumentSegment, Range } from "../segments/segment.ts";
import type { Syntax } from "../segments/syntax.ts";

/** Attributes that people read. */
const readAttributes = new Set(["alt", "title", "placeholder", "aria-label", "aria-description"]);

/** The elements whose `label` people read. */
const labelledElements = new Set(["option", "optgroup", "track"]);

/** Attributes whose value is read only on some elements. */
const isReadAttribute = ({ tagName, attrs }: Token.TagToken, name: string): boolean => {
  if (readAttributes.has(name)) return true;
  if (name === "label") return labelledElements.has(tagName);
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

/** A value, without its quotes. */
interface AttributeValue extends Range {
  readonly isQuoted: boolean;
}

/** Returns where the value of an attribute is; `undefined` when it has none. */
const valueIn = (source: string, { startOffset, endOffset }: Token.Location): AttributeValue | undefined => {
  const [before, quote] = /^[^=]*=\s*(["']?)/.exec(source.slice(startOffset, endOffset)) ?? [];
  if (before === undefined) return undefined;
  const isQuoted = quote !== "";
  return { start: startOffset + before.length, end: endOffset - (isQuoted ? 1 : 0), isQuoted };
};

/** Returns the attributes of a tag that people read. A value without quotes gets some. */
export const readTextAttributes = (source: string, tag: Token.TagToken, syntax: Syntax): DocumentSegment[] =>
  Object.entries(tag.location?.attrs ?? {}).flatMap(([name, location]) => {
    const value = isReadAttribute(tag, name) ? valueIn(source, location) : undefined;
    if (!value || value.end <= value.start) return [];
    const words = createPassageReader(source, syntax);
    const quotes = value.isQuoted ? {} : { layOut: (written: string): string => `"${written}"` };
    return words.segmentsOf(words.read(value), quotes);
  });

/** Returns the edits of the languages that a tag names. */
export const editLanguages = (
  source: string,
  { attrs, location }: Token.TagToken,
  rename: RenameLanguage,
): DocumentEdit[] =>
  attrs.flatMap(({ name, value }) => {
    const written = /^(?:xml:)?lang$/.test(name) ? location?.attrs?.[name] : undefined;
    const range = written && valueIn(source, written);
    if (!range) return [];
    const text = rename(value);
    return text === undefined ? [] : [{ start: range.start, end: range.end, text }];
  });

/** What a tag says of the translation of what is in it; `undefined` when it says nothing. */
export const isMarked = ({ attrs }: Token.TagToken): boolean | undefined => {
  if (attrs.some(({ name, value }) => name === "class" && value.split(/\s+/).includes("notranslate")))
    return false;
  const value = attrs.find(({ name }) => name === "translate")?.value.toLowerCase();
  if (value === "no") return false;
  return value === "yes" || value === "" ? true : undefined;
};
