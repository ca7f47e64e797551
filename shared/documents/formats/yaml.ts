import {
  isCollection,
  isMap,
  isPair,
  isScalar,
  type Node,
  parseAllDocuments,
  type Scalar,
  visit,
} from "yaml";
import { isData, isDataKey } from "../segments/data-values.ts";
import { type DocumentLanguages, languageRenamer } from "../segments/language-tags.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentEdit, DocumentSegment, ParsedDocument, Range } from "../segments/segment.ts";
import { blanksBefore, type Syntax } from "../segments/syntax.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";
import { jsonSyntax } from "./json.ts";

/** A line's end within a text is a blank; an empty line ends one. */
const folded: Pick<Syntax, "blank" | "lineBreak"> = {
  blank: new RegExp(String.raw`${blanksBefore}(?:\r\n|[\r\n])[ \t]*`, "g"),
  lineBreak: new RegExp(String.raw`${blanksBefore}(?:(?:\r?\n|\r(?!\n))[ \t]*){2,}`, "g"),
};

const plainSyntax: Syntax = {
  ...folded,
  escaped: /(?!)/g,
  decode: (written) => written,
  special: "",
  escape: (character) => character,
};
const singleQuoted: Syntax = {
  ...plainSyntax,
  escaped: /''/g,
  decode: () => "'",
  special: "'",
  escape: () => "''",
};
const doubleQuoted: Syntax = {
  ...jsonSyntax,
  ...folded,
  escaped: /\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}|\r\n[ \t]*|[\r\n][ \t]*|[\s\S])/g,
};

/** A text that would be something else without quotes: a number, a constant, a mark of YAML. */
const needsQuotes = (text: string, isInFlow: boolean): boolean =>
  /^[\s\-?:,[\]{}#&*!|>'"%@`~]|:(?:\s|$)|\s#|\s$/.test(text) ||
  /^(?:y|n|yes|no|on|off|true|false|null|[-+.\d][\d_.,:eExXoOa-fA-F]*)$/i.test(text) ||
  (isInFlow && /[,[\]{}]/.test(text));

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** A text with positions in a file, and the language of its translation. */
interface Reading {
  readonly source: string;
  readonly target: string | undefined;
}

const readRange = ({ source, target }: Reading, range: Range, syntax: Syntax): DocumentSegment[] => {
  const words = createPassageReader(source, { ...syntax, target });
  return words.segmentsOf(words.read(range));
};

/** Returns the passages of a text without quotes. It gets quotes when its translation needs them. */
const readPlain = (reading: Reading, range: Range, isInFlow: boolean): DocumentSegment[] => {
  const segments = readRange(reading, range, plainSyntax);
  const [only, ...others] = segments;
  const end = only ? (only.pieces.at(-1) ?? only.pieces[0]).end : range.start;
  const inMessages = others.every(({ pieces: [first] }) => first.start < end);
  // A branch of a message begins in the middle.
  const checked = (inMessages ? others : segments).map((segment) => ({
    ...segment,
    hasStructure: (text: string) =>
      (segment.hasStructure?.(text) ?? true) && !needsQuotes(inMessages ? `x${text}` : text, isInFlow),
  }));
  if (!only || !inMessages) return checked;
  const { source } = reading;
  const before = source.slice(range.start, only.pieces[0].start);
  const after = source.slice(end, range.end);
  const layOut = (written: string): string => {
    const whole = `${before}${written}${after}`;
    return needsQuotes(whole, isInFlow) ? quoted(whole) : whole;
  };
  const whole = {
    ...only,
    layOut,
    destination: { ...range, before: "", after: "", isReplaced: true } as const,
  };
  return [whole, ...checked];
};

/** Returns the passages of a block: of its lines, or of its paragraphs where lines are folded. */
const readBlock = (reading: Reading, range: Range, isFolded: boolean): DocumentSegment[] => {
  const text = reading.source.slice(range.start, range.end);
  const head = /^[^\r\n]*(?:\r\n|[\r\n]|$)/.exec(text)?.[0].length ?? 0;
  const passages = isFolded ? /(?:^[ \t]*\S[^\r\n]*(?:\r\n|[\r\n]|$))+/gm : /^[ \t]*\S[^\r\n]*/gm;
  return Array.from(text.slice(head).matchAll(passages)).flatMap(({ index, 0: passage }) => {
    const start = range.start + head + index;
    return readRange(reading, { start, end: start + passage.length }, plainSyntax);
  });
};

/** Those of a text: older programs wrote a sign before each that has quotes. */
const textTags = new Set(["!", "tag:yaml.org,2002:str"]);

const readScalar = (reading: Reading, node: Scalar, isInFlow: boolean): DocumentSegment[] => {
  const [start, end] = node.range ?? [0, 0];
  if (typeof node.value !== "string" || !textTags.has(node.tag ?? "!")) return [];
  if (isData(node.value) || (node.type === "PLAIN" && /^(?:y|n|yes|no|on|off)$/i.test(node.value))) return [];
  switch (node.type) {
    case "PLAIN":
      return readPlain(reading, { start, end }, isInFlow);
    case "QUOTE_DOUBLE":
      return readRange(reading, { start: start + 1, end: end - 1 }, doubleQuoted);
    case "QUOTE_SINGLE":
      return readRange(reading, { start: start + 1, end: end - 1 }, singleQuoted);
    default:
      return readBlock(reading, { start, end }, node.type === "BLOCK_FOLDED");
  }
};

const parse = (source: string) => {
  try {
    const documents = parseAllDocuments(source, { uniqueKeys: false, logLevel: "silent" });
    return Array.isArray(documents) ? documents : [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UnreadableDocument("The YAML is nested too deeply.", { cause: error });
  }
};

/** Returns the edit of the only key of a document that names a language, as in files of Rails. */
const editRoot = (root: Node | null, languages: DocumentLanguages | undefined): DocumentEdit[] => {
  const [pair, ...others] = isMap(root) ? root.items : [];
  const key = others.length === 0 && isPair(pair) && isScalar(pair.key) ? pair.key : undefined;
  const text = typeof key?.value === "string" ? languageRenamer(languages)(key.value) : undefined;
  const [start, end] = key?.range ?? [0, 0];
  return text === undefined ? [] : [{ start, end, text }];
};

interface YamlOptions {
  readonly languages?: DocumentLanguages | undefined;
  /** The only keys whose values are translated; by default all are. */
  readonly keys?: ReadonlySet<string>;
}

/**
 * Reads a file of YAML, such as those of Rails. Translated are values with words; keys, comments and what is for programs stay, as in JSON.
 * The only key of a file that names a language names the target's afterwards.
 *
 * @throws UnreadableDocument with the line, for what is not YAML.
 */
export const readYaml = (source: string, { languages, keys }: YamlOptions = {}): ParsedDocument => {
  const segments: DocumentSegment[] = [];
  const edits: DocumentEdit[] = [];
  const reading = { source, target: languages?.target };
  for (const document of parse(source)) {
    const [error] = document.errors;
    if (error) {
      const line = error.linePos?.[0].line ?? 1;
      throw new UnreadableDocument(
        `The YAML is invalid: line ${line}: ${error.code.toLowerCase().replaceAll("_", " ")}.`,
      );
    }
    for (const edit of editRoot(document.contents, languages)) edits.push(edit);
    visit(document, {
      Pair: (_, { key, value }) => {
        const name = isScalar(key) ? String(key.value) : undefined;
        const isRead = keys ? name !== undefined && keys.has(name) : isMap(value) || !isDataKey(name);
        return isRead ? undefined : visit.SKIP;
      },
      Scalar: (key, node, path) => {
        if (key === "key") return;
        const isInFlow = path.some((parent) => isCollection(parent) && parent.flow === true);
        for (const segment of readScalar(reading, node, isInFlow)) segments.push(segment);
      },
    });
  }
  return {
    source,
    segments: segments.toSorted((one, other) => one.pieces[0].start - other.pieces[0].start),
    edits,
  };
};
