import { createPassageReader, type PassageReader, type Syntax } from "../segments/read-words.ts";
import type {
  Destination,
  DocumentSegment,
  ParsedDocument,
  Range,
  SegmentPiece,
} from "../segments/segment.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";
import { forbiddenCharacters, xmlTextSyntax } from "../segments/xml-syntax.ts";
import { readXmlTokens, type XmlToken } from "../segments/xml-tokens.ts";

/** The elements that contain a text and its translation, in XLIFF 1.2 and 2. */
const unitNames = new Set(["trans-unit", "segment"]);

/** Their children. The segmented source of XLIFF 1.2 replaces the other one, because its marks belong into the translation. */
const partNames = new Set(["source", "seg-source", "target"]);

/** Inline elements whose content is code. */
const codeNames = new Set(["ph", "it", "bpt", "ept"]);

/** Inline elements each of which begins or ends something, which would change its meaning in another order. */
const orderedNames = new Set(["bx", "ex", "bpt", "ept", "it", "sc", "ec", "sm", "em"]);

const translatedStates = new Set(["translated", "signed-off", "reviewed", "final"]);

/** A text without escapes. Tags in it stay. */
const cdataSyntax: Syntax = {
  ...xmlTextSyntax,
  escaped: /<[^<>]*>/g,
  decode: (tag) => tag,
  special: forbiddenCharacters,
};

/** The tokens that open and close an element, by index: of an empty element the same one twice. */
interface Part {
  readonly open: number;
  readonly close: number;
}

interface Unit {
  readonly attributes: XmlToken["attributes"];
  readonly isTranslated: boolean;
  readonly parts: Map<string, Part>;
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
const findUnits = (tokens: readonly XmlToken[], nameOf: (token: XmlToken) => string): Unit[] => {
  const units: Unit[] = [];
  const open: OpenElement[] = [];
  let part: OpenElement | undefined;
  const openElement = (token: XmlToken, index: number): OpenElement => {
    const name = nameOf(token);
    const { attributes } = token;
    const isTranslated = attributes["translate"]
      ? attributes["translate"] !== "no"
      : (open.at(-1)?.isTranslated ?? true);
    const isUnit = !part && unitNames.has(name);
    const unit = isUnit ? { attributes, isTranslated, parts: new Map<string, Part>() } : undefined;
    if (unit) units.push(unit);
    return { name, index, isTranslated, unit };
  };
  const addPart = (name: string, found: Part): void => {
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
interface Reading {
  readonly source: string;
  readonly tokens: readonly XmlToken[];
  readonly nameOf: (token: XmlToken) => string;
}

const tokenAt = ({ tokens, source }: Reading, index: number): XmlToken =>
  tokens[index] ?? { kind: "other", name: "", attributes: {}, start: source.length, end: source.length };

/** Returns the range between the tags of an element. */
const contentOf = (reading: Reading, { open, close }: Part): Range => ({
  start: tokenAt(reading, open).end,
  end: tokenAt(reading, close).start,
});

const contentTokens = ({ tokens }: Reading, { open, close }: Part): readonly XmlToken[] =>
  tokens.slice(open + 1, close);

const isSpace = ({ source }: Reading, { kind, start, end }: XmlToken): boolean =>
  kind === "comment" || (kind === "text" && source.slice(start, end).trim() === "");

const hasTranslation = (reading: Reading, { attributes, parts }: Unit): boolean => {
  const target = parts.get("target");
  if (!target || contentTokens(reading, target).every((token) => isSpace(reading, token))) return false;
  const state = tokenAt(reading, target.open).attributes["state"] ?? attributes["state"] ?? "";
  return attributes["approved"] === "yes" || translatedStates.has(state);
};

const isCode = ({ nameOf }: Reading, token: XmlToken): boolean =>
  codeNames.has(nameOf(token)) ||
  (nameOf(token) === "mrk" &&
    (token.attributes["translate"] === "no" || token.attributes["mtype"] === "protected"));

/** Returns the words of a source, and its inline elements as masks. */
const readPieces = (reading: Reading, part: Part, words: PassageReader): SegmentPiece[] => {
  const pieces: SegmentPiece[] = [];
  let code: { readonly start: number; depth: number } | undefined;
  for (const token of contentTokens(reading, part)) {
    const { kind, start, end } = token;
    if (code) {
      if (kind === "open") code.depth += 1;
      if (kind === "close") code.depth -= 1;
      if (code.depth > 0) continue;
      pieces.push({ kind: "mask", role: "alone", start: code.start, end });
      code = undefined;
    } else if (kind === "open" && isCode(reading, token)) code = { start, depth: 1 };
    else if (kind === "text") for (const piece of words.read(token)) pieces.push(piece);
    else
      pieces.push({ kind: "mask", role: kind === "open" || kind === "close" ? kind : "alone", start, end });
  }
  return pieces;
};

const isBlank = (piece: SegmentPiece): boolean => piece.kind === "text" && piece.text.trim() === "";

/** Returns the pieces as one passage, even a long one: there is one destination for all of them. */
const wholeSegment = (words: PassageReader, pieces: readonly SegmentPiece[]): DocumentSegment | undefined => {
  const [segment, ...others] = words.segmentsOf(pieces);
  if (others.length === 0) return segment;
  const end = pieces.findLastIndex((piece) => !isBlank(piece)) + 1;
  const [first, ...rest] = pieces.slice(
    pieces.findIndex((piece) => !isBlank(piece)),
    end,
  );
  return segment && first && { ...segment, pieces: [first, ...rest] };
};

/** Returns the passage of a source that is one CDATA section. */
const readCdata = (source: string, { start, end }: Range): DocumentSegment | undefined => {
  const words = createPassageReader(source, cdataSyntax);
  const range = { start: start + "<![CDATA[".length, end: end - "]]>".length };
  const pieces = words.read(range).map((piece): SegmentPiece => {
    const isTag = piece.kind === "mask" && source[piece.start] === "<";
    return isTag ? { ...piece, role: "alone" } : piece;
  });
  const segment = wholeSegment(words, pieces);
  return segment && { ...segment, isOrdered: true };
};

/** Returns the passage of a source. */
const readSource = (reading: Reading, part: Part): DocumentSegment | undefined => {
  const inner = contentTokens(reading, part);
  const [only, ...others] = inner.filter((token) => !isSpace(reading, token));
  if (only?.kind === "cdata" && others.length === 0) return readCdata(reading.source, only);
  const words = createPassageReader(reading.source, xmlTextSyntax);
  const segment = wholeSegment(words, readPieces(reading, part, words));
  const isOrdered = inner.some((token) => orderedNames.has(reading.nameOf(token)));
  return segment && (isOrdered ? { ...segment, isOrdered } : segment);
};

/** Returns where the translation is written: in the target, or in a new one on a line after the source. */
const destinationOf = (reading: Reading, unit: Unit, part: Part): Destination => {
  const { source } = reading;
  const target = unit.parts.get("target");
  if (!target) {
    const { end, name } = tokenAt(reading, part.close);
    const before = part.open > 0 ? tokenAt(reading, part.open - 1) : undefined;
    const space = before?.kind === "text" ? source.slice(before.start, before.end) : "";
    const indentation = /(?:\r\n|\r|\n)[ \t]*$/.exec(space)?.[0] ?? "";
    const targetName = name.replace(/(?:seg-)?source$/, "target");
    return { start: end, end, before: `${indentation}<${targetName}>`, after: `</${targetName}>` };
  }
  const { kind, name, start, end } = tokenAt(reading, target.open);
  if (kind === "open") return { ...contentOf(reading, target), before: "", after: "" };
  return { start, end, before: `${source.slice(start, end - "/>".length).trimEnd()}>`, after: `</${name}>` };
};

/** Returns how many marks a text has that end a CDATA section, and are not allowed elsewhere. */
const countEnds = (text: string): number => text.split("]]>").length - 1;

const readUnit = (reading: Reading, unit: Unit): DocumentSegment[] => {
  const part = unit.parts.get("seg-source") ?? unit.parts.get("source");
  if (!part || part.open === part.close || !unit.isTranslated || hasTranslation(reading, unit)) return [];
  const segment = readSource(reading, part);
  if (!segment) return [];
  const content = contentOf(reading, part);
  const destination = destinationOf(reading, unit, part);
  // A passage begins with its first word: what is before it is also in the target.
  const { start } = segment.pieces[0];
  const { end } = segment.pieces.at(-1) ?? segment.pieces[0];
  const ends = countEnds(reading.source.slice(content.start, content.end));
  return [
    {
      ...segment,
      hasStructure: (written) => countEnds(written) === ends,
      destination: {
        ...destination,
        before: destination.before + reading.source.slice(content.start, start),
        after: reading.source.slice(end, content.end) + destination.after,
      },
    },
  ];
};

/**
 * Reads an XLIFF file of version 1.2 or 2. Sources are translated into their targets, except those with `translate="no"`, and
 * those whose target has a text and a state such as `translated` or `final`.
 *
 * @throws UnreadableDocument with the line, for what is not XML; and when it is not XLIFF.
 */
export const readXliff = (source: string): ParsedDocument => {
  const tokens = readXmlTokens(source);
  const root = tokens.find(({ kind }) => kind === "open" || kind === "empty")?.name ?? "";
  if (!/^(?:[^:]+:)?xliff$/.test(root)) {
    throw new UnreadableDocument("The file is not XLIFF: its first element is another one.");
  }
  const prefix = root.slice(0, -"xliff".length);
  const nameOf = ({ name }: XmlToken): string =>
    name.startsWith(prefix) ? name.slice(prefix.length) : `:${name}`;
  const reading = { source, tokens, nameOf };
  const segments = findUnits(tokens, nameOf).flatMap((unit) => readUnit(reading, unit));
  return { source, segments: segments.toSorted((one, other) => one.pieces[0].start - other.pieces[0].start) };
};
