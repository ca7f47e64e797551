import { normalise } from "../../../../../shared/models/language-id/normalise.ts";
import type { ClassProbabilities } from "../../../../../shared/models/source-language/detector.ts";
import {
  foreignClass,
  minProbability,
  modelledLanguages,
} from "../../../../../shared/models/source-language/languages.ts";
import { lengthBuckets } from "../training/length-buckets.ts";
import type { Tally } from "./measurements.ts";
import type { SourceText } from "./source-texts.ts";

/** What the model says about a held-out text. */
export interface Judged {
  readonly language: string;
  readonly bucket: string;
  /** The most likely language of the model. */
  readonly likeliest: string | undefined;
  /** The language that is probable enough for a result, detectable or not. */
  readonly certain: string | undefined;
}

/** Asks the model about each text. */
export const judge = (probabilitiesOf: ClassProbabilities, texts: readonly SourceText[]): readonly Judged[] =>
  texts.map(({ text, language, bucket }) => {
    const probabilities = probabilitiesOf(normalise(text));
    const known = probabilities.subarray(0, foreignClass);
    const likeliest = known.indexOf(known.reduce((highest, each) => Math.max(highest, each), 0));
    return {
      language,
      bucket,
      likeliest: modelledLanguages[likeliest],
      certain: (known[likeliest] ?? 0) >= minProbability ? modelledLanguages[likeliest] : undefined,
    };
  });

/** How often the most likely language is right, by length. */
export interface AccuracyOfLanguage {
  readonly language: string;
  readonly byBucket: ReadonlyMap<string, Tally>;
}

/** Fewer texts of a length do not count in a mean. */
const minTexts = 10;

/** Measures the accuracy of each language, without thresholds. */
export const measureSourceAccuracy = (
  judged: readonly Judged[],
  languages: readonly string[],
): readonly AccuracyOfLanguage[] =>
  languages.map((language) => {
    const own = judged.filter((each) => each.language === language);
    const byBucket = lengthBuckets.map(({ name }): [string, Tally] => {
      const texts = own.filter(({ bucket }) => bucket === name);
      const right = texts.filter(({ likeliest }) => likeliest === language).length;
      return [name, { right, total: texts.length }];
    });
    return { language, byBucket: new Map(byBucket) };
  });

/** The mean over the languages with at least ten texts of that length, 0 to 1. */
export const macroAccuracy = (rows: readonly AccuracyOfLanguage[], bucket: string): number => {
  const shares = rows
    .flatMap(({ byBucket }) => byBucket.get(bucket) ?? [])
    .filter(({ total }) => total >= minTexts)
    .map(({ right, total }) => right / total);
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
};

/** How reliable the results are that name a language. */
export interface Reliability {
  readonly language: string;
  /** Results for this language, and the right ones of them, on all held-out texts of all languages. */
  readonly results: Tally;
  /** Its precision if all languages of translation were equally frequent, 0 to 1. */
  readonly evenPrecision: number;
  /** The share of its own texts with a right result, by length. */
  readonly found: ReadonlyMap<string, number>;
  /** The language most often mistaken for it, and how often. */
  readonly mistaken: readonly [string, number] | undefined;
}

const share = (part: number, whole: number): number => part / whole;

/** The share of each language's texts for which the model is sure of `result`. */
const ratesOf = (
  judged: readonly Judged[],
  result: string,
  languages: readonly string[],
): readonly number[] =>
  languages.map((language) => {
    const own = judged.filter((each) => each.language === language);
    return own.length === 0 ? 0 : share(own.filter(({ certain }) => certain === result).length, own.length);
  });

/** @param languages those of translation that have held-out texts */
export const measureReliability = (
  judged: readonly Judged[],
  language: string,
  languages: readonly string[],
): Reliability => {
  const results = judged.filter(({ certain }) => certain === language);
  const wrong = results.filter((each) => each.language !== language);
  const rates = ratesOf(judged, language, languages);
  const found = lengthBuckets.map(({ name }): [string, number] => {
    const own = judged.filter((each) => each.language === language && each.bucket === name);
    return [name, share(own.filter(({ certain }) => certain === language).length, own.length)];
  });
  const [mistaken] = [...Map.groupBy(wrong, (each) => each.language)]
    .map(([other, texts]): [string, number] => [other, texts.length])
    .sort(([, one], [, another]) => another - one);
  return {
    language,
    results: { right: results.length - wrong.length, total: results.length },
    evenPrecision: share(
      rates[languages.indexOf(language)] ?? 0,
      rates.reduce((sum, rate) => sum + rate, 0),
    ),
    found: new Map(found),
    mistaken,
  };
};

/** The share of texts without a result, by length. @param isResult whether a language may be a result */
export const measureWithheld = (
  judged: readonly Judged[],
  isResult: (language: string) => boolean,
): ReadonlyMap<string, Tally> =>
  new Map(
    lengthBuckets.map(({ name }) => {
      const texts = judged.filter(({ bucket }) => bucket === name);
      const withheld = texts.filter(({ certain }) => certain === undefined || !isResult(certain)).length;
      return [name, { right: withheld, total: texts.length }];
    }),
  );
