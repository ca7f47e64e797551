import {
  classify,
  type IdentifiableLanguage,
  identifiableLanguages,
} from "../../../../../shared/models/language-id/identification.ts";
import type { LanguageModel } from "../../../../../shared/models/language-id/model.ts";
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

const minTexts = 10;

const macroOf = (tallies: Iterable<Tally>): number | undefined => {
  const shares = [...tallies]
    .filter(({ total }) => total >= minTexts)
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

/** Counts the results for each true language: the rows are the truth, the columns the results. */
export const confusionMatrix = (
  identify: Identifier,
  texts: readonly TestText[],
): ReadonlyMap<IdentifiableLanguage, ReadonlyMap<string | undefined, number>> =>
  new Map(
    identifiableLanguages.map((language) => {
      const predictions = texts
        .filter((text) => text.language === language)
        .map(({ text }) => identify(text));
      const counts = Map.groupBy(predictions, (prediction) => prediction);
      return [language, new Map([...counts].map(([prediction, same]) => [prediction, same.length]))];
    }),
  );

/** What `classify` does with texts of the six languages of one length. */
export interface DecisionRow {
  readonly bucket: string;
  /** Share of the texts with a result. */
  readonly decided: number;
  /** Share of the results that are right. */
  readonly right: number;
}

/** Measures how often texts in the six languages get a result, and how often a right one. */
export const measureDecisions = (model: LanguageModel, texts: readonly TestText[]): readonly DecisionRow[] =>
  lengthBuckets.map(({ name }) => {
    const judged = texts
      .filter((text) => text.bucket === name)
      .map(({ text, language }) => ({ language, prediction: classify(model.identify(text)) }));
    const decided = judged.filter(({ prediction }) => prediction !== undefined);
    const right = decided.filter(({ prediction, language }) => prediction === language);
    return { bucket: name, decided: decided.length / judged.length, right: right.length / decided.length };
  });

const binCount = 10;

/** Expected calibration error over ten bins, 0 to 1: how far confidence is from the share of right results. */
export const calibrationError = (model: LanguageModel, texts: readonly TestText[]): number => {
  const judged = texts.map(({ text, language }) => {
    const { language: prediction, confidence } = model.identify(text);
    return { confidence, right: prediction === language ? 1 : 0 };
  });
  const bins = Map.groupBy(judged, ({ confidence }) =>
    Math.min(binCount - 1, Math.floor(confidence * binCount)),
  );
  const gaps = [...bins.values()].map((members) =>
    Math.abs(members.reduce((gap, { confidence, right }) => gap + confidence - right, 0)),
  );
  return gaps.reduce((sum, gap) => sum + gap, 0) / judged.length;
};

const warmUpRounds = 2;
const measuredRounds = 9;

/** Microseconds a text takes once warm, by length: the fastest of several rounds, since other work only adds. */
export const measureSpeed = (identify: Identifier, texts: readonly TestText[]): ReadonlyMap<string, number> =>
  new Map(
    lengthBuckets.map(({ name }) => {
      const inBucket = texts.filter((text) => text.bucket === name).map(({ text }) => text);
      const rounds = Array.from({ length: warmUpRounds + measuredRounds }, () => {
        const started = performance.now();
        for (const text of inBucket) identify(text);
        return ((performance.now() - started) * 1000) / inBucket.length;
      });
      return [name, rounds.slice(warmUpRounds).reduce((fastest, round) => Math.min(fastest, round))];
    }),
  );
