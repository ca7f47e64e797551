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

const index = new Map(
  phrasebookLanguages.map((language) => [
    language,
    new Map(
      phrases.flatMap((phrase) =>
        (phrase[language] ?? []).map((wording) => [fold(wording), phrase] as const),
      ),
    ),
  ]),
);

/**
 * The phrase that these words are in a language; undefined when the phrasebook does not have them. Case,
 * punctuation, extra white space and the shape of apostrophes do not matter.
 */
export const findPhrase = (words: string, language: PhrasebookLanguage): Phrase | undefined =>
  index.get(language)?.get(fold(words));
