import type { RenameLanguage } from "../segments/language-tags.ts";
import type { Range } from "../segments/segment.ts";
import type { XmlToken } from "../segments/xml-tokens.ts";

/** The elements that contain a text and its translation, in XLIFF 1.2 and 2. */
const isUnitName = (name: string): name is Unit["name"] => name === "trans-unit" || name === "segment";

/** Their children. The segmented source of XLIFF 1.2 replaces the other one, because its marks belong into the translation. */
const partNames = new Set(["source", "seg-source", "target"]);

/** A target with one of these states has no words of a translator. */
const untranslatedStates = new Set(["new", "needs-translation", "initial"]);

/** The state of what a model has written: XLIFF 1.2 has one for a translation that a person has to review. */
export const writtenStates = { "trans-unit": "needs-review-translation", segment: "translated" } as const;

/** The tokens that open and close an element, by index: of an empty element the same one twice. */
export interface UnitPart {
  readonly open: number;
  readonly close: number;
}

export interface Unit {
  readonly name: keyof typeof writtenStates;
  /** The index of the tag that opens it. */
  readonly open: number;
  readonly attributes: XmlToken["attributes"];
  readonly isTranslated: boolean;
  readonly parts: Map<string, UnitPart>;
}

interface OpenElement {
  readonly name: string;
  readonly index: number;
  /** Whether it or the next element around it that says so may be translated. */
  readonly isTranslated: boolean;
  readonly unit: Unit | undefined;
}

/**
 * Returns the units of a document. What its elements contain in another one's source or target is not a unit.
 *
 * @param nameOf returns the name of a tag without the prefix of XLIFF.
 */
export const findUnits = (tokens: readonly XmlToken[], nameOf: (token: XmlToken) => string): Unit[] => {
  const units: Unit[] = [];
  const open: OpenElement[] = [];
  let part: OpenElement | undefined;
  const openElement = (token: XmlToken, index: number): OpenElement => {
    const name = nameOf(token);
    const { attributes } = token;
    const isTranslated = attributes["translate"]
      ? attributes["translate"] !== "no"
      : (open.at(-1)?.isTranslated ?? true);
    const isUnit = !part && isUnitName(name);
    const parts = new Map<string, UnitPart>();
    const unit = isUnit ? { name, open: index, attributes, isTranslated, parts } : undefined;
    if (unit) units.push(unit);
    return { name, index, isTranslated, unit };
  };
  const addPart = (name: string, found: UnitPart): void => {
    const parts = open.at(-1)?.unit?.parts;
    if (!parts?.has(name)) parts?.set(name, found);
  };
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "empty" && !part && partNames.has(nameOf(token))) {
      addPart(nameOf(token), { open: index, close: index });
    } else if (token.kind === "open") {
      const element = openElement(token, index);
      if (!part && open.at(-1)?.unit && partNames.has(element.name)) part = element;
      open.push(element);
    } else if (token.kind === "close") {
      const element = open.pop();
      if (!element || element !== part) continue;
      part = undefined;
      addPart(element.name, { open: element.index, close: index });
    }
  }
  return units;
};

/** A document while it is read. */
export interface Reading {
  readonly source: string;
  readonly tokens: readonly XmlToken[];
  readonly nameOf: (token: XmlToken) => string;
  readonly rename: RenameLanguage;
  /** The language of the translation. */
  readonly target: string | undefined;
}

export const tokenAt = ({ tokens, source }: Reading, index: number): XmlToken =>
  tokens[index] ?? { kind: "other", name: "", attributes: {}, start: source.length, end: source.length };

/** Returns the range between the tags of an element. */
export const innerRange = (reading: Reading, { open, close }: UnitPart): Range => ({
  start: tokenAt(reading, open).end,
  end: tokenAt(reading, close).start,
});

export const contentTokens = ({ tokens }: Reading, { open, close }: UnitPart): readonly XmlToken[] =>
  tokens.slice(open + 1, close);

export const isSpace = ({ source }: Reading, { kind, start, end }: XmlToken): boolean =>
  kind === "comment" || (kind === "text" && source.slice(start, end).trim() === "");

/** Returns what an element contains, with blanks of one kind. */
const writtenIn = (reading: Reading, part: UnitPart): string => {
  const { start, end } = innerRange(reading, part);
  return reading.source.slice(start, end).replaceAll(/\s+/g, " ").trim();
};

/** Whether the target of a unit has words of a translator, or of a model that ran before. */
export const hasTranslation = (reading: Reading, { attributes, parts }: Unit): boolean => {
  const target = parts.get("target");
  if (!target || contentTokens(reading, target).every((token) => isSpace(reading, token))) return false;
  if (attributes["approved"] === "yes") return true;
  const state = tokenAt(reading, target.open).attributes["state"] ?? attributes["state"];
  if (state !== undefined) return !untranslatedStates.has(state);
  const source = parts.get("source");
  return !source || writtenIn(reading, source) !== writtenIn(reading, target);
};
