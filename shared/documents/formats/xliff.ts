import { type DocumentLanguages, languageRenamer } from "../segments/language-tags.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type {
  Destination,
  DocumentEdit,
  DocumentSegment,
  ParsedDocument,
  Range,
  SegmentPiece,
} from "../segments/segment.ts";
import type { PassageReader, Syntax } from "../segments/syntax.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";
import { wholeSegment } from "../segments/whole-segment.ts";
import { withAttribute, xmlTextSyntax } from "../segments/xml-syntax.ts";
import { readXmlTokens, type XmlToken } from "../segments/xml-tokens.ts";
import {
  contentTokens,
  findUnits,
  hasTranslation,
  innerRange,
  isSpace,
  type Reading,
  tokenAt,
  type Unit,
  type UnitPart,
  writtenStates,
} from "./xliff-units.ts";

/** Inline elements whose content is code. */
const codeNames = new Set(["ph", "it", "bpt", "ept"]);

/** Inline elements each of which begins or ends something, which would change its meaning in another order. */
const orderedNames = new Set(["bx", "ex", "bpt", "ept", "it", "sc", "ec", "sm", "em"]);

/** A text without escapes. Tags in it stay. */
const cdataSyntax: Syntax = {
  ...xmlTextSyntax,
  isWhole: true,
  escaped: /<[^<>]*>/g,
  decode: (tag) => tag,
  special: "",
  escape: (character) => character,
};

const isCode = ({ nameOf }: Reading, token: XmlToken): boolean =>
  codeNames.has(nameOf(token)) ||
  (nameOf(token) === "mrk" &&
    (token.attributes["translate"] === "no" || token.attributes["mtype"] === "protected"));

/** Returns the words of a source, and its inline elements as masks. */
const readPieces = (reading: Reading, part: UnitPart, words: PassageReader): SegmentPiece[] => {
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

/** Returns the passage of a source that is one CDATA section. */
const readCdata = ({ source, target }: Reading, { start, end }: Range): ReturnType<typeof wholeSegment> => {
  const words = createPassageReader(source, { ...cdataSyntax, target });
  const range = { start: start + "<![CDATA[".length, end: end - "]]>".length };
  const pieces = words.read(range).map((piece): SegmentPiece => {
    const isTag = piece.kind === "mask" && source[piece.start] === "<";
    return isTag ? { ...piece, role: "alone" } : piece;
  });
  const { segment, ...others } = wholeSegment(words, pieces);
  return { segment: segment && { ...segment, isOrdered: true }, ...others };
};

/** Returns the passage of a source. */
const readSource = (reading: Reading, part: UnitPart): ReturnType<typeof wholeSegment> => {
  const content = contentTokens(reading, part);
  const [only, ...others] = content.filter((token) => !isSpace(reading, token));
  if (only?.kind === "cdata" && others.length === 0) return readCdata(reading, only);
  const { source, target } = reading;
  const words = createPassageReader(source, { ...xmlTextSyntax, target, isWhole: true });
  const { segment, ...more } = wholeSegment(words, readPieces(reading, part, words));
  const isOrdered = content.some((token) => orderedNames.has(reading.nameOf(token)));
  return { segment: segment && isOrdered ? { ...segment, isOrdered } : segment, ...more };
};

/** Returns a tag of a target for what a model has written: with the state of that, and its language. */
const withState = (reading: Reading, { name }: Unit, tag: string, { attributes }: XmlToken): string => {
  const language = attributes["xml:lang"] === undefined ? undefined : reading.rename(attributes["xml:lang"]);
  const renamed = language === undefined ? tag : withAttribute(tag, "xml:lang", language);
  return name === "trans-unit" ? withAttribute(renamed, "state", writtenStates[name]) : renamed;
};

/** Returns the edits of the tags of a unit that is translated. Those of a target that is written with its tag are in that. */
const editStates = (
  reading: Reading,
  unit: Unit,
  when: Pick<DocumentEdit, "of" | "needsAll">,
): DocumentEdit[] => {
  const target = unit.parts.get("target");
  const edit = ({ start, end }: XmlToken, change: (tag: string) => string): DocumentEdit => ({
    ...{ start, end, text: change(reading.source.slice(start, end)), ...when },
  });
  const token = target && tokenAt(reading, target.open);
  return [
    ...(unit.name === "segment"
      ? [edit(tokenAt(reading, unit.open), (tag) => withAttribute(tag, "state", writtenStates.segment))]
      : []),
    ...(token?.kind === "open" ? [edit(token, (tag) => withState(reading, unit, tag, token))] : []),
  ];
};

/** Returns where the translation is written: in the target, or in a new one on a line after the source. */
const destinationOf = (reading: Reading, unit: Unit, part: UnitPart): Destination => {
  const { source } = reading;
  const target = unit.parts.get("target");
  if (!target) {
    const { end, name } = tokenAt(reading, part.close);
    const before = part.open > 0 ? tokenAt(reading, part.open - 1) : undefined;
    const space = before?.kind === "text" ? source.slice(before.start, before.end) : "";
    const indentation = /(?:\r\n|\r|\n)[ \t]*$/.exec(space)?.[0] ?? "";
    const targetName = name.replace(/(?:seg-)?source$/, "target");
    const state = unit.name === "trans-unit" ? ` state="${writtenStates[unit.name]}"` : "";
    return { start: end, end, before: `${indentation}<${targetName}${state}>`, after: `</${targetName}>` };
  }
  const token = tokenAt(reading, target.open);
  const { kind, name, start, end } = token;
  if (kind === "open") return { ...innerRange(reading, target), before: "", after: "" };
  const opened = `${source.slice(start, end - "/>".length).trimEnd()}>`;
  return { start, end, before: withState(reading, unit, opened, token), after: `</${name}>` };
};

/** Returns how many marks a text has that end a CDATA section, and are not allowed elsewhere. */
const countEnds = (text: string): number => text.split("]]>").length - 1;

/** Returns the passages of a unit, and the edits that their translation brings. */
const readUnit = (reading: Reading, unit: Unit): Required<Pick<ParsedDocument, "segments" | "edits">> => {
  const part = unit.parts.get("seg-source") ?? unit.parts.get("source");
  if (!part || part.open === part.close) return { segments: [], edits: [] };
  const { segment, inner, staying } = readSource(reading, part);
  const content = innerRange(reading, part);
  const destination = destinationOf(reading, unit, part);
  if (!segment) {
    const when = { of: inner, needsAll: true } as const;
    const layOut = (written: string): string => destination.before + written + destination.after;
    const { start, end } = destination;
    const edits: DocumentEdit[] = [
      { start, end, text: "", copy: { ...content, layOut }, ...when },
      ...editStates(reading, unit, when),
    ];
    return { segments: [...inner, ...staying], edits: inner.length > 0 ? edits : [] };
  }
  // A passage begins with its first word: what is before it is also in the target.
  const { start } = segment.pieces[0];
  const { end } = segment.pieces.at(-1) ?? segment.pieces[0];
  const ends = countEnds(reading.source.slice(content.start, content.end));
  const written: DocumentSegment = {
    ...segment,
    hasStructure: (text) => countEnds(text) === ends,
    destination: {
      ...destination,
      before: destination.before + reading.source.slice(content.start, start),
      after: reading.source.slice(end, content.end) + destination.after,
    },
  };
  return { segments: [written, ...inner, ...staying], edits: editStates(reading, unit, { of: [written] }) };
};

/** The elements that name the languages, and how they name the target's: of a file in XLIFF 1.2, of the document in XLIFF 2. */
const targetAttributes: Readonly<Record<string, string>> = { file: "target-language", xliff: "trgLang" };

/**
 * Returns the edits of the target's language. One that is missing is added, and one that names the source is changed; another one stays
 * where translations into it do.
 */
const editLanguages = (
  reading: Reading,
  { target }: DocumentLanguages,
  segments: readonly DocumentSegment[],
  staying: readonly number[],
): DocumentEdit[] => {
  const { tokens, nameOf, source, rename } = reading;
  const isSecond = tokens.some(
    (token) => nameOf(token) === "xliff" && /^2/.test(token.attributes["version"] ?? ""),
  );
  const named = tokens.filter(
    (token) => token.kind === "open" && nameOf(token) === (isSecond ? "xliff" : "file"),
  );
  return named.flatMap((token, index): DocumentEdit[] => {
    const attribute = targetAttributes[nameOf(token)] ?? "";
    const { start, end } = token;
    const next = named[index + 1]?.start ?? source.length;
    const isWithin = (position: number): boolean => position > start && position < next;
    const value = token.attributes[attribute];
    const hasOthers = staying.some(isWithin);
    if (value !== undefined && (value === target || (hasOthers && rename(value) === undefined))) return [];
    const text = withAttribute(source.slice(start, end), attribute, target);
    return [{ start, end, text, of: segments.filter(({ pieces: [first] }) => isWithin(first.start)) }];
  });
};

/** What a caller may choose for an XLIFF file. */
interface XliffOptions {
  readonly languages?: DocumentLanguages | undefined;
  readonly retranslate?: boolean | undefined;
}

/**
 * Reads an XLIFF file of version 1.2 or 2. Sources are translated into their targets, except those with `translate="no"`, and
 * those whose target has words: unless its state says that no one has translated them, or it has no state and is its source.
 *
 * @throws UnreadableDocument with the line, for what is not XML; and when it is not XLIFF.
 */
export const readXliff = (
  source: string,
  { languages, retranslate = false }: XliffOptions = {},
): ParsedDocument => {
  const tokens = readXmlTokens(source);
  const root = tokens.find(({ kind }) => kind === "open" || kind === "empty")?.name ?? "";
  if (!/^(?:[^:]+:)?xliff$/.test(root)) {
    throw new UnreadableDocument("The file is not XLIFF: its first element is another one.");
  }
  const prefix = root.slice(0, -"xliff".length);
  const nameOf = ({ name }: XmlToken): string =>
    name.startsWith(prefix) ? name.slice(prefix.length) : `:${name}`;
  const target = languages?.target;
  const reading = { source, tokens, nameOf, rename: languageRenamer(languages), target };
  const units = findUnits(tokens, nameOf);
  const stays = (unit: Unit): boolean => !retranslate && hasTranslation(reading, unit);
  const read = units
    .filter((unit) => unit.isTranslated && !stays(unit))
    .map((unit) => readUnit(reading, unit));
  const segments = read
    .flatMap((found) => found.segments)
    .toSorted((one, other) => one.pieces[0].start - other.pieces[0].start);
  const staying = units.filter(stays).map(({ open }) => tokenAt(reading, open).start);
  return {
    source,
    segments,
    edits: [
      ...read.flatMap(({ edits }) => edits),
      ...(languages ? editLanguages(reading, languages, segments, staying) : []),
    ],
  };
};
