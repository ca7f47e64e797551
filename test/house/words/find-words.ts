import { basename } from "node:path/posix";
import { isTest, lineOf, type SourceFile, sourceModule } from "../sources.ts";
import type { Exception, NamingPage, Rule } from "./naming-page.ts";
import {
  code,
  type Name,
  type Readable,
  readComments,
  readDocument,
  readModule,
  readTexts,
  type Sentence,
} from "./readable.ts";

/** A retired word, where it was found. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  /** The name, or the words around it. */
  readonly around: string;
  readonly write: string;
}

/** A pattern of the naming page, ready to be searched for. */
interface Matcher {
  readonly rule: Rule;
  readonly retired: string;
  readonly pattern: RegExp;
}

const escapeText = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A phrase as a pattern: any space between its words, also that of a comment's next line, and `*` as any ending. */
const phrase = (text: string): string =>
  text
    .split(/ +/)
    .map((word) => escapeText(word).replaceAll("\\*", "[a-z]*"))
    .join("[\\s*/]+");

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

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** Whether an exception covers a name, or a match in a text. */
const isNameTolerated = ({ text }: Exception, name: string): boolean => text === undefined || text === name;

const isMatchTolerated = ({ text }: Exception, sentence: string, start: number, end: number): boolean =>
  text === undefined ||
  [...sentence.matchAll(new RegExp(phrase(text), "gi"))].some(
    (match) => match.index <= start && match.index + match[0].length >= end,
  );

const plain = (text: string): string =>
  text
    .replace(/[\s*/]+/g, " ")
    .replace(new RegExp(`${code}+`, "g"), "…")
    .trim();

/** Folders of `test/` with programs that people run, whose output they read. */
const isProgram = (path: string): boolean =>
  /^test\/(attack|bench|fuzz|house|load|mutants|runtime|verify)\//.test(path) && !path.endsWith(".test.ts");

const readFile = ({ path, text }: SourceFile): Readable => {
  if (/\.(tsx?|mjs)$/.test(path)) {
    return readModule(sourceModule(path, text), isTest(path) && !isProgram(path));
  }
  if (path.endsWith(".json")) return readTexts(text);
  return /\.(md|yml)$/.test(path) ? readDocument(text) : readComments(text);
};

/** Searches files for the words that a naming page retires, and remembers which exceptions it needed. */
export class WordSearch {
  readonly #inNames: readonly Matcher[];
  readonly #inSentences: readonly Matcher[];
  readonly #anySentence: RegExp;
  readonly #byName = new Map<string, readonly Matcher[]>();
  readonly #used = new Set<Exception>();
  readonly #page: NamingPage;

  constructor(page: NamingPage) {
    this.#page = page;
    const matchers = (isMeant: (rule: Rule) => boolean, pattern: (retired: string) => RegExp): Matcher[] =>
      page.rules
        .filter(isMeant)
        .flatMap((rule) => rule.retired.map((retired) => ({ rule, retired, pattern: pattern(retired) })));
    this.#inNames = matchers(({ reach }) => reach !== "sentences", namePattern);
    this.#inSentences = matchers(({ reach }) => reach !== "names", sentencePattern);
    this.#anySentence = new RegExp(this.#inSentences.map(({ pattern }) => pattern.source).join("|"), "i");
  }

  /** The retired words of a file, in the order of their lines. */
  find(file: SourceFile): Finding[] {
    const { path } = file;
    const text = this.#searchedPart(file);
    const { names, sentences } = readFile({ path, text });
    const own = { name: basename(path).replace(/(\.[a-z]+)+$/, ""), start: 0, count: 1 };
    return [
      ...[own, ...names].flatMap((name) => this.#findInName(path, text, name)),
      ...sentences.flatMap((sentence) => this.#findInSentence(path, text, sentence)),
    ].toSorted((one, other) => one.line - other.line);
  }

  /** The retired words of a text that is no file: of a rendered page, a mail or a reply. */
  findInText(text: string): string[] {
    return this.#findInSentence("", text, { text, start: 0 }).map(
      ({ word, around }) => `${word} [${around}]`,
    );
  }

  /** The exceptions for names and paths that no file has needed so far. Phrases are ordinary English and may be absent. */
  unusedExceptions(): Exception[] {
    return this.#page.rules
      .flatMap(({ exceptions }) => exceptions)
      .filter((entry) => !this.#used.has(entry) && (entry.path !== undefined || !entry.text?.includes(" ")));
  }

  #searchedPart({ path, text }: SourceFile): string {
    const entries = this.#page.unsearched.filter((entry) => isBelow(path, entry.path));
    if (entries.some(({ from }) => from === undefined)) return "";
    const ends = entries
      .map(({ from }) => text.search(new RegExp(`^${escapeText(from ?? "")}`, "m")))
      .filter((end) => end >= 0);
    return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
  }

  #isTolerated(rule: Rule, path: string, isCovered: (exception: Exception) => boolean): boolean {
    const found = rule.exceptions.find(
      (exception) => (exception.path === undefined || isBelow(path, exception.path)) && isCovered(exception),
    );
    if (found) this.#used.add(found);
    return found !== undefined;
  }

  #findInName(path: string, text: string, { name, start, count }: Name): Finding[] {
    const matching =
      this.#byName.get(name) ?? this.#inNames.filter(({ pattern }) => pattern.test(wordsOf(name)));
    this.#byName.set(name, matching);
    return matching
      .filter(({ rule }) => !this.#isTolerated(rule, path, (exception) => isNameTolerated(exception, name)))
      .map(({ rule, retired }) => ({
        path,
        line: lineOf(text, start),
        word: retired,
        around: count > 1 ? `${name}, ${count} times` : name,
        write: rule.write,
      }));
  }

  #findInSentence(path: string, text: string, sentence: Sentence): Finding[] {
    if (!this.#anySentence.test(sentence.text)) return [];
    return this.#inSentences.flatMap(({ rule, pattern }) =>
      [...sentence.text.matchAll(pattern)]
        .map((match) => ({ start: match.index, end: match.index + match[0].length, word: match[0] }))
        .filter(
          ({ start, end }) =>
            !this.#isTolerated(rule, path, (exception) =>
              isMatchTolerated(exception, sentence.text, start, end),
            ),
        )
        .map(({ start, end, word }) => ({
          path,
          line: lineOf(text, sentence.start + start),
          word: plain(word),
          around: plain(sentence.text.slice(Math.max(0, start - 40), end + 40)),
          write: rule.write,
        })),
    );
  }
}
