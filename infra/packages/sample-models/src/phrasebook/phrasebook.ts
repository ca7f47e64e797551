import { fold, type PhrasebookLanguage, phrasebookLanguages } from "./languages.ts";
import type { Phrase } from "./phrase.ts";
import { courtesy } from "./phrases/courtesy.ts";
import { days } from "./phrases/days.ts";
import { greetings } from "./phrases/greetings.ts";
import { health } from "./phrases/health.ts";
import { market } from "./phrases/market.ts";
import { numbers } from "./phrases/numbers.ts";

/** The whole phrasebook, one phrase per meaning. To extend it, add to a topic, or add a topic here. */
export const phrases: readonly Phrase[] = [
  ...greetings,
  ...courtesy,
  ...numbers,
  ...days,
  ...health,
  ...market,
];

type Index = Readonly<Record<PhrasebookLanguage, ReadonlyMap<string, Phrase>>>;

const indexLanguage = (language: PhrasebookLanguage): ReadonlyMap<string, Phrase> =>
  new Map(
    phrases.flatMap((phrase) => (phrase[language] ?? []).map((wording) => [fold(wording), phrase] as const)),
  );

const index: Index = {
  eng: indexLanguage("eng"),
  lug: indexLanguage("lug"),
  swa: indexLanguage("swa"),
  kin: indexLanguage("kin"),
  nyn: indexLanguage("nyn"),
  ach: indexLanguage("ach"),
};

const phraseById = new Map(phrases.map((phrase) => [phrase.id, phrase]));

/**
 * The phrase that these words are in a language; undefined when the phrasebook does not have them. Case,
 * punctuation, extra white space and the shape of apostrophes do not matter.
 */
export const findPhrase = (words: string, language: PhrasebookLanguage): Phrase | undefined =>
  index[language].get(fold(words));

/** The languages in which these words are a phrase, in the order of the phrasebook. */
export const languagesOf = (words: string): PhrasebookLanguage[] =>
  phrasebookLanguages.filter((language) => findPhrase(words, language) !== undefined);

/** The phrase with which one replies to this one, if there is one. */
export const replyTo = (phrase: Phrase): Phrase | undefined =>
  phrase.reply === undefined ? undefined : phraseById.get(phrase.reply);
