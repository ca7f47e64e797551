import {
  type CallExpression,
  type Comment,
  type Expression,
  type TemplateLiteral,
  Visitor,
} from "oxc-parser";
import type { SourceModule } from "../sources.ts";

/** What a person reads in a file: its text, and where it begins. */
export interface Sentence {
  readonly text: string;
  readonly start: number;
}

/** A name in a file, and where it occurs first. */
export interface Name {
  readonly name: string;
  readonly start: number;
  readonly count: number;
}

/** What is read of a file. */
export interface Readable {
  readonly names: readonly Name[];
  readonly sentences: readonly Sentence[];
}

/** Replaces code in a text. It is neither a word nor a space, so no phrase matches across it. */
export const code = "\u{FFFC}";

const blank = (text: string): string => text.replace(/[^\n]/g, code);

/** A text without the code in it: what is quoted as code may have any name. */
const withoutCode = (text: string): string =>
  text.replace(/`[^`\n]*`|\{@link[^}]*\}|@param \S+|https?:\/\/\S+/g, blank);

/** Comments that follow each other line by line, as one. */
const joinComments = (comments: readonly Comment[], text: string): Sentence[] => {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of comments) {
    const last = joined.at(-1);
    if (last && /^[ \t]*\n[ \t]*$/.test(text.slice(last.end, start))) last.end = end;
    else joined.push({ start, end });
  }
  return joined.map(({ start, end }) => ({ start, text: withoutCode(text.slice(start, end)) }));
};

const isTitleOf = (call: CallExpression): boolean => {
  let callee: unknown = call.callee;
  while (typeof callee === "object" && callee !== null) {
    if ("name" in callee) return /^(describe|it|test)$/.test(String(callee.name));
    callee = "object" in callee ? callee.object : "callee" in callee ? callee.callee : undefined;
  }
  return false;
};

/** The titles in a call of `describe`, `it` or `test`: its first argument, or the names of the cases of `each`. */
const titlesIn = (call: CallExpression): Expression[] => {
  const [first] = call.arguments;
  if (!isTitleOf(call) || !first || first.type === "SpreadElement") return [];
  if (first.type !== "ArrayExpression") return [first];
  return first.elements.flatMap((row) => {
    const name = row?.type === "ArrayExpression" ? row.elements[0] : undefined;
    return name && name.type !== "SpreadElement" ? [name] : [];
  });
};

const isText = (node: Expression): boolean =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");

/** A template without its expressions. */
const templateText = (text: string, { start, end, expressions }: TemplateLiteral): string => {
  let joined = text.slice(start, end);
  for (const expression of expressions) {
    const [from, to] = [expression.start - start, expression.end - start];
    joined = joined.slice(0, from) + blank(joined.slice(from, to)) + joined.slice(to);
  }
  return joined.replace(/\$(\{\uFFFC*\})/g, (found) => code.repeat(found.length)).replace(/^`|`$/g, '"');
};

/** Whether a string is something to read: two words, at least. Keys and the names of events have no space. */
const isProse = (text: string): boolean => /[a-z,.;:!?)}"'\uFFFC] +[\uFFFC({"'A-Za-z]/i.test(text);

/**
 * The names of a module, and what people read in it: comments, and strings of several words.
 *
 * @param isTest of tests, only the titles: their other strings are data.
 */
export const readModule = ({ text, parsed }: SourceModule, isTest: boolean): Readable => {
  const names = new Map<string, Name>();
  const sentences: Sentence[] = joinComments(parsed.comments, text);
  const note = ({ name, start }: { name: string; start: number }): void => {
    const known = names.get(name);
    names.set(name, known ? { ...known, count: known.count + 1 } : { name, start, count: 1 });
  };
  new Visitor({
    Identifier: note,
    JSXIdentifier: note,
    PrivateIdentifier: note,
    CallExpression: (call) => {
      if (!isTest) return;
      for (const { start, end } of titlesIn(call).filter(isText)) {
        sentences.push({ start, text: withoutCode(text.slice(start, end)) });
      }
    },
    Literal: (node) => {
      if (isTest || typeof node.value !== "string") return;
      if (isProse(node.value)) sentences.push({ start: node.start + 1, text: withoutCode(node.value) });
    },
    TemplateLiteral: (node) => {
      const joined = templateText(text, node);
      if (!isTest && isProse(joined)) sentences.push({ start: node.start, text: withoutCode(joined) });
    },
    JSXText: (node) => {
      if (!isTest) sentences.push({ start: node.start, text: node.value });
    },
  }).visit(parsed.program);
  return { names: [...names.values()], sentences };
};

/** What is read of the pages' texts in JSON: every value, also single words. */
export const readTexts = (text: string): Readable => ({
  names: [],
  sentences: [...text.matchAll(/(?<=: )"((?:[^"\\]|\\.)*)"/g)].map((match) => ({
    start: match.index,
    text: withoutCode(match[1] ?? ""),
  })),
});

/** What is read of a document: all but its code. */
export const readDocument = (text: string): Readable => ({
  names: [],
  sentences: [
    {
      start: 0,
      text: withoutCode(text.replace(/^ *```[\s\S]*?^ *```/gm, blank).replace(/\]\([^)]*\)/g, blank)),
    },
  ],
});

/** What is read of a script or a style sheet: its comments. */
export const readComments = (text: string): Readable => ({
  names: [],
  sentences: [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)#(?!!).*/gm)].map((match) => ({
    start: match.index,
    text: withoutCode(match[0]),
  })),
});
