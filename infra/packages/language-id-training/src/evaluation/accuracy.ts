import type { IdentifiableLanguage } from "../../../../../shared/language-id/languages.ts";
import { identifiableLanguages } from "../../../../../shared/language-id/languages.ts";
import { lengthBuckets } from "../training/length-buckets.ts";
import { type Domain, domains, type TestText } from "./test-texts.ts";

/** Says which language a text is in; `undefined` counts as wrong. */
export type Identifier = (text: string) => string | undefined;

/** Of how many texts how many were right. */
export interface Tally {
  readonly right: number;
  readonly total: number;
}

/** The tallies of one domain and length. */
export interface AccuracyRow {
  readonly domain: Domain;
  readonly bucket: string;
  readonly byLanguage: ReadonlyMap<IdentifiableLanguage, Tally>;
  /** Mean over the languages that have at least ten texts, 0 to 1; `undefined` when none has. */
  readonly macro: number | undefined;
}

const fewestTexts = 10;

const macroOf = (tallies: Iterable<Tally>): number | undefined => {
  const shares = [...tallies]
    .filter(({ total }) => total >= fewestTexts)
    .map(({ right, total }) => right / total);
  return shares.length === 0 ? undefined : shares.reduce((sum, share) => sum + share, 0) / shares.length;
};

/** Measures an identifier on the texts, for each domain and length. */
export const measureAccuracy = (identify: Identifier, texts: readonly TestText[]): readonly AccuracyRow[] =>
  domains.flatMap((domain) =>
    lengthBuckets.map(({ name }) => {
      const inRow = texts.filter((text) => text.domain === domain && text.bucket === name);
      const byLanguage = new Map(
        identifiableLanguages.map((language) => {
          const ofLanguage = inRow.filter((text) => text.language === language);
          const right = ofLanguage.filter(({ text }) => identify(text) === language).length;
          return [language, { right, total: ofLanguage.length }];
        }),
      );
      return { domain, bucket: name, byLanguage, macro: macroOf(byLanguage.values()) };
    }),
  );

/** Counts the answers for each true language: the rows are the truth, the columns the answers. */
export const confusionMatrix = (
  identify: Identifier,
  texts: readonly TestText[],
): ReadonlyMap<IdentifiableLanguage, ReadonlyMap<string | undefined, number>> =>
  new Map(
    identifiableLanguages.map((language) => {
      const answers = texts.filter((text) => text.language === language).map(({ text }) => identify(text));
      const counts = Map.groupBy(answers, (answer) => answer);
      return [language, new Map([...counts].map(([answer, same]) => [answer, same.length]))];
    }),
  );
