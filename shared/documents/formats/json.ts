import { isData, isDataKey, isDatePattern } from "../segments/data-values.ts";
import { type DocumentLanguages, languageRenamer } from "../segments/language-tags.ts";
import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentEdit, DocumentSegment, ParsedDocument, Range } from "../segments/segment.ts";
import type { Syntax } from "../segments/syntax.ts";
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

export const jsonSyntax: Syntax = {
  // A pair of surrogates is one character for readers.
  escaped: /\\u[dD][89ABab][\dA-Fa-f]{2}\\u[dD][C-Fc-f][\dA-Fa-f]{2}|\\u[\dA-Fa-f]{4}|\\[^u]/g,
  decode,
  special: `"\\${controls}`,
  escape: (character) => escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  lineBreak: /[\u2028\u2029]/g,
  lineMark: /^(?:\\[nr]|[\u2028\u2029])+$/,
};

/** Returns the passages of a string. */
export const readString = (source: string, range: Range, syntax: Syntax): DocumentSegment[] => {
  const words = createPassageReader(source, syntax);
  return words.segmentsOf(words.read(range));
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

/** Which strings of a document are for people. */
interface JsonRules {
  /** Whether a key says that its value stays, and with it the objects in it. */
  readonly staysUnder: (key: string | undefined, isObject: boolean) => boolean;
  readonly stays: (text: string) => boolean;
}

/** An object or a list whose end has not been read. */
interface OpenContainer {
  readonly kind: "{" | "[";
  /** Whether all of it stays. */
  readonly stays: boolean;
  /** The last key of an object; of a list, that of the list. */
  key: string | undefined;
}

/** Follows the tokens of a document. A list replaces recursion, because nesting may be deep. */
const createJsonReader = (source: string, rules: JsonRules, add: (value: Range, key?: string) => void) => {
  const open: OpenContainer[] = [];
  const staysHere = (isObject = false): boolean => {
    const container = open.at(-1);
    return container !== undefined && (container.stays || rules.staysUnder(container.key, isObject));
  };
  let expected: Expectation = expectations.value;
  const endValue = (): void => {
    const container = open.at(-1);
    if (!container) expected = expectations.end;
    else expected = container.kind === "{" ? expectations.nextMember : expectations.nextValue;
  };
  const addString = ({ start, end }: Range): void => {
    const container = open.at(-1);
    if (expected === expectations.key || expected === expectations.firstKey) {
      if (container) container.key = source.slice(start + 1, end - 1);
      expected = expectations.colon;
    } else {
      if (!staysHere() && !rules.stays(source.slice(start + 1, end - 1)))
        add({ start: start + 1, end: end - 1 });
      else if (container?.key === "@@locale") add({ start: start + 1, end: end - 1 }, container.key);
      endValue();
    }
  };
  return {
    add: (token: Token): void => {
      const { kind, start } = token;
      if (!expected.kinds.includes(kind)) throw invalid(source, start, `expected was ${expected.name}`);
      if (kind === "{" || kind === "[") {
        open.push({ kind, stays: staysHere(true), key: open.at(-1)?.key });
        expected = kind === "{" ? expectations.firstKey : expectations.firstValue;
      } else if (kind === '"') addString(token);
      else if (kind === ":") expected = expectations.value;
      else if (kind === ",") expected = open.at(-1)?.kind === "{" ? expectations.key : expectations.value;
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

const readWith = (source: string, rules: JsonRules, add: (value: Range, key?: string) => void): void => {
  const nextToken = createScanner(source);
  const reader = createJsonReader(source, rules, add);
  for (let token = nextToken(); token; token = nextToken()) reader.add(token);
  reader.end();
};

/**
 * Reads a file of messages, such as those of i18next. Translated are strings with words; keys, numbers and all that is for programs
 * stay: identifiers, colours, dates, paths, addresses, locales, and what keys such as `id` and `href` name.
 *
 * @throws UnreadableDocument with line and column, for what is not JSON.
 */
export const readJsonTexts = (source: string, target?: string): ParsedDocument => {
  const segments: DocumentSegment[] = [];
  // What is escaped is no part of an identifier.
  const stays = (written: string): boolean =>
    isData(written.replaceAll(String.raw`\/`, "/").replaceAll(/\\(?:u[\dA-Fa-f]{4}|.)/g, " "));
  const staysUnder = (key: string | undefined, isObject: boolean): boolean => !isObject && isDataKey(key);
  readWith(source, { staysUnder, stays }, (range, key) => {
    if (key !== undefined) return;
    for (const segment of readString(source, range, { ...jsonSyntax, target })) segments.push(segment);
  });
  return { source, segments };
};

/**
 * Reads an Application Resource Bundle, as Flutter has them. What `@` begins is about messages, and stays, as formats of dates do;
 * `@@locale` names the target's language afterwards.
 *
 * @throws UnreadableDocument as {@link readJsonTexts} does.
 */
export const readArb = (source: string, languages?: DocumentLanguages): ParsedDocument => {
  const segments: DocumentSegment[] = [];
  const edits: DocumentEdit[] = [];
  const rename = languageRenamer(languages);
  const rules = { staysUnder: (key = "") => key.startsWith("@"), stays: isDatePattern };
  readWith(source, rules, (range, key) => {
    const text = key === undefined ? undefined : rename(source.slice(range.start, range.end));
    if (text !== undefined) edits.push({ ...range, text });
    if (key !== undefined) return;
    const syntax = { ...jsonSyntax, target: languages?.target };
    for (const segment of readString(source, range, syntax)) segments.push(segment);
  });
  return { source, segments, edits };
};
