import { findLanguage, type PhrasebookLanguage, phrasebookLanguages } from "./languages.ts";
import { findPhrase } from "./phrasebook.ts";
import { arrangeWording, type Sentence, splitClauses, splitSentences } from "./sentences.ts";

/** What to translate. Languages are names or codes; one that the phrasebook does not have finds no translation. */
export type TranslationTask = {
  readonly text: string;
  /** Omitted when the source should be inferred, sentence by sentence, from where the sentence is found. */
  readonly source?: string;
  readonly target: string;
};

/** A run of the text: with its translation, or with undefined where the phrasebook has none. */
export type TranslatedRun = {
  readonly original: string;
  readonly translation: string | undefined;
  /** White space between this run and the next. */
  readonly gap: string;
};

/**
 * Translates a text with the phrasebook, sentence by sentence. Neighbouring sentences on one line without a
 * translation are one run, so that a long unknown text is reported once.
 */
export const translateRuns = (task: TranslationTask): TranslatedRun[] => {
  const target = findLanguage(task.target);
  const sources = sourceLanguages(task.source);
  const runs: TranslatedRun[] = [];
  for (const sentence of splitSentences(task.text)) {
    const translation = target && translateSentence(sentence, sources, target);
    const { opening, words, closing, gap } = sentence;
    const original = opening + words + closing;
    const previous = runs.at(-1);
    if (previous && joinable(previous, translation)) {
      runs[runs.length - 1] = { original: previous.original + previous.gap + original, translation, gap };
    } else {
      runs.push({ original, translation, gap });
    }
  }
  return runs;
};

const joinable = (previous: TranslatedRun, translation: string | undefined): boolean =>
  previous.translation === undefined && translation === undefined && !previous.gap.includes("\n");

/**
 * The languages to look a sentence up in. Without a source it is any: a wording that two languages share means the
 * same in both, which the tests of the table hold it to.
 */
const sourceLanguages = (source: string | undefined): readonly PhrasebookLanguage[] => {
  if (source === undefined) return phrasebookLanguages;
  const language = findLanguage(source);
  return language === undefined ? [] : [language];
};

const translateSentence = (
  sentence: Sentence,
  sources: readonly PhrasebookLanguage[],
  target: PhrasebookLanguage,
): string | undefined => {
  const { opening, words, closing } = sentence;
  // Numbers, rules and emoji are the same in every language.
  if (!/\p{L}/u.test(words)) return opening + words + closing;
  const whole = wordingFor(words, sources, target);
  if (whole !== undefined) return opening + arrangeWording(whole, sentence);
  const clauses = translateClauses(sentence, sources, target);
  return clauses === undefined ? undefined : opening + clauses;
};

/** `Good morning, how are you?` is not in the phrasebook, but each of its clauses is. All must be, or none counts. */
const translateClauses = (
  sentence: Sentence,
  sources: readonly PhrasebookLanguage[],
  target: PhrasebookLanguage,
): string | undefined => {
  const clauses = splitClauses(sentence.words);
  const placed: string[] = [];
  for (const [position, { words, separator }] of clauses.entries()) {
    const wording = wordingFor(words, sources, target);
    if (wording === undefined) return undefined;
    const isLast = position === clauses.length - 1;
    // A comma does not become a question mark; only what ends the sentence can.
    const adapted = isLast ? wording : wording.replace("?", "");
    const part = { words: position === 0 ? words : "", closing: isLast ? sentence.closing : separator };
    placed.push(arrangeWording(adapted, part));
  }
  return placed.join("");
};

const wordingFor = (
  words: string,
  sources: readonly PhrasebookLanguage[],
  target: PhrasebookLanguage,
): string | undefined => {
  for (const source of sources) {
    const wording = findPhrase(words, source)?.[target]?.[0];
    if (wording !== undefined) return wording;
  }
  return undefined;
};
