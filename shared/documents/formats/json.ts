import { createPassageReader, type Syntax } from "../segments/read-words.ts";
import type { DocumentSegment, ParsedDocument, Range, SegmentPiece } from "../segments/segment.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";

const escapes: Readonly<Record<string, string>> = {
  '"': String.raw`\"`,
  "\\": String.raw`\\`,
  "\b": String.raw`\b`,
  "\f": String.raw`\f`,
  "\n": String.raw`\n`,
  "\r": String.raw`\r`,
  "\t": String.raw`\t`,
};

const characters = new Map(Object.entries(escapes).map(([character, written]) => [written, character]));

const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join("");

/** Returns what a reader sees. Control characters and halves of a pair are returned as they are written, so they become masks. */
const decode = (escaped: string): string => {
  if (escaped === String.raw`\/`) return "/";
  const units = Array.from(escaped.matchAll(/u([\dA-Fa-f]{4})/g), ([, digits = ""]) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const character = units.join("") || (characters.get(escaped) ?? "");
  return /^[^\p{Cc}\p{Cs}\u2028\u2029]$/u.test(character) ? character : escaped;
};

const jsonSyntax: Syntax = {
  // A pair of surrogates is one character for readers.
  escaped: /\\u[dD][89ABab][\dA-Fa-f]{2}\\u[dD][C-Fc-f][\dA-Fa-f]{2}|\\u[\dA-Fa-f]{4}|\\[^u]/g,
  decode,
  special: `"\\${controls}`,
  escape: (character) => escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  lineBreak: /[\u2028\u2029]/g,
};

const lineBreaks = /^(?:\\[nr]|[\u2028\u2029])+$/;

/** Returns the passages of a string. Line breaks around its words are not part of them. */
const readString = (source: string, range: Range): DocumentSegment[] => {
  const words = createPassageReader(source, jsonSyntax);
  const pieces = words.read(range).map((piece): SegmentPiece => {
    const isLineBreak = piece.kind === "mask" && lineBreaks.test(source.slice(piece.start, piece.end));
    return isLineBreak ? { ...piece, role: "alone" } : piece;
  });
  return words.segmentsOf(pieces);
};

const invalid = (source: string, position: number, problem: string): UnreadableDocument => {
  const lines = source.slice(0, position).split(/\r\n|\r|\n/);
  const column = Array.from((lines.at(-1) ?? "").replace("\uFEFF", "")).length + 1;
  return new UnreadableDocument(`The JSON is invalid: line ${lines.length}, column ${column}: ${problem}.`);
};

/** The first character of a token says what it is; `0` is a number, `true`, `false` or `null`. */
type TokenKind = '"' | "0" | "{" | "}" | "[" | "]" | ":" | ",";

interface Token extends Range {
  readonly kind: TokenKind;
}

/** Returns the position after a string that starts at `start`. */
const endOfString = (source: string, start: number): number => {
  // Only searched are characters with a meaning: one expression for a whole string would need memory for each character of it.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow them in strings.
  const meaningful = /["\\\u0000-\u001F]/g;
  const validEscape = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
  meaningful.lastIndex = start + 1;
  for (let found = meaningful.exec(source); found; found = meaningful.exec(source)) {
    if (found[0] === '"') return meaningful.lastIndex;
    validEscape.lastIndex = found.index;
    if (found[0] !== "\\") throw invalid(source, found.index, "a control character is not escaped");
    if (!validEscape.test(source)) throw invalid(source, found.index, "this escape does not exist");
    meaningful.lastIndex = validEscape.lastIndex;
  }
  throw invalid(source, start, "the string has no end");
};

/** Returns a function that returns the next token, and at the end `undefined`. */
const createScanner = (source: string): (() => Token | undefined) => {
  const space = /[ \t\r\n]*/y;
  const literal = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)(?![\w.+-])/y;
  let position = source.startsWith("\uFEFF") ? 1 : 0;
  const token = (kind: TokenKind, start: number, end: number): Token => {
    position = end;
    return { kind, start, end };
  };
  return () => {
    space.lastIndex = position;
    space.test(source);
    const start = space.lastIndex;
    const first = source.charAt(start);
    switch (first) {
      case "":
        position = start;
        return undefined;
      case '"':
        return token(first, start, endOfString(source, start));
      case "{":
      case "}":
      case "[":
      case "]":
      case ":":
      case ",":
        return token(first, start, start + 1);
    }
    literal.lastIndex = start;
    if (!literal.test(source)) throw invalid(source, start, "there is no such value");
    return token("0", start, literal.lastIndex);
  };
};

/** What may follow: the kinds of tokens, and how a message names them. */
interface Expectation {
  readonly kinds: string;
  readonly name: string;
}

const expectations = {
  value: { kinds: '"0{[', name: "a value" },
  firstValue: { kinds: '"0{[]', name: "a value or ]" },
  key: { kinds: '"', name: "a key in double quotes" },
  firstKey: { kinds: '"}', name: "a key in double quotes or }" },
  colon: { kinds: ":", name: "a colon" },
  nextMember: { kinds: ",}", name: "a comma or }" },
  nextValue: { kinds: ",]", name: "a comma or ]" },
  end: { kinds: "", name: "the end of the file" },
} satisfies Record<string, Expectation>;

/** Follows the tokens of a document. A list replaces recursion, because nesting may be deep. */
const createJsonReader = (source: string) => {
  const segments: DocumentSegment[] = [];
  const open: ("{" | "[")[] = [];
  let expected: Expectation = expectations.value;
  const endValue = (): void => {
    const container = open.at(-1);
    if (!container) expected = expectations.end;
    else expected = container === "{" ? expectations.nextMember : expectations.nextValue;
  };
  const addString = ({ start, end }: Range): void => {
    if (expected === expectations.key || expected === expectations.firstKey) expected = expectations.colon;
    else {
      for (const segment of readString(source, { start: start + 1, end: end - 1 })) segments.push(segment);
      endValue();
    }
  };
  return {
    segments,
    add: (token: Token): void => {
      const { kind, start } = token;
      if (!expected.kinds.includes(kind)) throw invalid(source, start, `expected was ${expected.name}`);
      if (kind === "{" || kind === "[") {
        open.push(kind);
        expected = kind === "{" ? expectations.firstKey : expectations.firstValue;
      } else if (kind === '"') addString(token);
      else if (kind === ":") expected = expectations.value;
      else if (kind === ",") expected = open.at(-1) === "{" ? expectations.key : expectations.value;
      else {
        if (kind !== "0") open.pop();
        endValue();
      }
    },
    end: (): void => {
      if (expected !== expectations.end)
        throw invalid(source, source.length, `expected was ${expected.name}`);
    },
  };
};

/**
 * Reads a file of messages, such as those of i18next. Translated are all strings; keys, numbers and all other values stay.
 *
 * @throws UnreadableDocument with line and column, for what is not JSON.
 */
export const readJsonTexts = (source: string): ParsedDocument => {
  const nextToken = createScanner(source);
  const reader = createJsonReader(source);
  for (let token = nextToken(); token; token = nextToken()) reader.add(token);
  reader.end();
  return { source, segments: reader.segments };
};
