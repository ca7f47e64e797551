import { readFileSync } from "node:fs";
import { basename, join } from "node:path/posix";
import type { Exception, NamingPage, Rule } from "./naming-page.ts";
import {
  type Name,
  type Readable,
  readComments,
  readDocument,
  readModule,
  type Sentence,
} from "./readable.ts";

/** A retired word, where it was found. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  /** The name or the words around it. */
  readonly around: string;
  readonly write: string;
  readonly rule: Rule;
}

/** A pattern of the naming page, ready to be looked for. */
interface Matcher {
  readonly rule: Rule;
  readonly retired: string;
  readonly inNames: RegExp | undefined;
  readonly inSentences: RegExp | undefined;
}

const escapeText = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const separator = "[\\s*/]+";

/** A phrase as a pattern: its words with anything that separates words between them, `*` as any ending. */
const phrase = (text: string): string =>
  text
    .split(/ +/)
    .map((word) => escapeText(word).replaceAll("\\*", "[a-z]*"))
    .join(separator);

const sentencePattern = (retired: string): RegExp => {
  const quoted = /^"(.*)"$/.exec(retired);
  if (quoted) return new RegExp(`^\\s*${phrase(quoted[1] ?? "")}\\s*$`, "gi");
  return new RegExp(`(?<![\\w-])${phrase(retired)}(?![\\w-])`, "gi");
};

/** The words of a name, in lower case, with a hyphen before, between and after them. */
const wordsOf = (name: string): string =>
  `-${(name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).join("-").toLowerCase()}-`;

/** `most…` is the first of several words of a name, `…Try` the last of several; anything else is found anywhere. */
const namePattern = (retired: string): RegExp => {
  const words = wordsOf(retired.replace(/[…*"]/g, "").replaceAll(" ", "-"));
  const open = retired.endsWith("*") ? words.replace(/-$/, "[a-z]*-") : words;
  if (retired.endsWith("…")) return new RegExp(`^${open}.`);
  return retired.startsWith("…") ? new RegExp(`.${open}$`) : new RegExp(open);
};

/** The patterns of a page. */
export const matchersOf = ({ rules }: NamingPage): Matcher[] =>
  rules.flatMap((rule) =>
    rule.retired.map((retired) => ({
      rule,
      retired,
      inNames: rule.reach === "sentences" ? undefined : namePattern(retired),
      inSentences: rule.reach === "names" ? undefined : sentencePattern(retired),
    })),
  );

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

const appliesTo = (exception: Exception, path: string): boolean =>
  exception.path === undefined || isBelow(path, exception.path);

const isToleratedName = (rule: Rule, path: string, name: string): boolean =>
  rule.exceptions.some(
    (exception) => appliesTo(exception, path) && (exception.text === undefined || exception.text === name),
  );

const isToleratedPhrase = (rule: Rule, path: string, text: string, start: number, end: number): boolean =>
  rule.exceptions.some((exception) => {
    if (!appliesTo(exception, path)) return false;
    if (exception.text === undefined) return true;
    return [...text.matchAll(new RegExp(phrase(exception.text), "gi"))].some(
      (match) => match.index <= start && match.index + match[0].length >= end,
    );
  });

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

const inNames = (
  matchers: readonly Matcher[],
  path: string,
  text: string,
  names: readonly Name[],
): Finding[] =>
  names.flatMap(({ name, start, count }) =>
    matchers
      .filter(({ inNames, rule }) => inNames?.test(wordsOf(name)) && !isToleratedName(rule, path, name))
      .map(({ rule, retired }) => ({
        path,
        line: lineOf(text, start),
        word: retired,
        around: count > 1 ? `${name} (${count} times)` : name,
        write: rule.write,
        rule,
      })),
  );

const inSentence = (
  matchers: readonly Matcher[],
  path: string,
  text: string,
  sentence: Sentence,
): Finding[] =>
  matchers.flatMap(({ rule, inSentences }) =>
    [...(inSentences ? sentence.text.matchAll(inSentences) : [])]
      .filter((match) => {
        const end = match.index + match[0].length;
        return !isToleratedPhrase(rule, path, sentence.text, match.index, end);
      })
      .map((match) => ({
        path,
        line: lineOf(text, sentence.start + match.index),
        word: match[0].replace(/[\s*/]+/g, " "),
        around: sentence.text
          .slice(Math.max(0, match.index - 40), match.index + match[0].length + 40)
          .replace(/[\s*/]+/g, " ")
          .replace(/\uFFFC+/g, "…")
          .trim(),
        write: rule.write,
        rule,
      })),
  );

const isTest = (path: string): boolean => /(^|\/)test\//.test(path);

const readFile = (path: string, text: string): Readable => {
  if (/\.(tsx?|mjs)$/.test(path)) return readModule(path, text, isTest(path), /\/texts\/[^/]+$/.test(path));
  if (/\.md$/.test(path)) return readDocument(text);
  return readComments(text);
};

/** The files in which retired words are looked for. */
export const isSearched = (path: string): boolean =>
  /\.(tsx?|mjs|md|css|py|yml)$/.test(path) || path === ".ci/run";

/** The retired words of a file. */
export const findWords = (
  matchers: readonly Matcher[],
  page: NamingPage,
  path: string,
  text: string,
): Finding[] => {
  const unsearched = page.unsearched.filter((entry) => isBelow(path, entry.path));
  if (unsearched.some(({ from }) => from === undefined)) return [];
  const [cut] = unsearched;
  const end = cut?.from ? text.search(new RegExp(`^${escapeText(cut.from)}`, "m")) : -1;
  const searched = end >= 0 ? text.slice(0, end) : text;
  const { names, sentences } = readFile(path, searched);
  const own = { name: basename(path).replace(/(\.d)?\.\w+$/, ""), start: 0, count: 1 };
  return [
    ...inNames(matchers, path, searched, [own, ...names]),
    ...sentences.flatMap((sentence) => inSentence(matchers, path, searched, sentence)),
  ];
};

/** The retired words of all given files, each path below a root. */
export const findWordsIn = (page: NamingPage, root: string, paths: readonly string[]): Finding[] => {
  const matchers = matchersOf(page);
  return paths
    .filter(isSearched)
    .flatMap((path) => findWords(matchers, page, path, readFileSync(join(root, path), "utf8")));
};
