import { classify, identifiableLanguages } from "../../../../../shared/models/language-id/identification.ts";
import type { LanguageModel } from "../../../../../shared/models/language-id/model.ts";
import type { CorpusLine } from "../training/corpus.ts";
import { textsByLength } from "../training/length-buckets.ts";
import { closeRelatives, languageOf } from "../training/partition.ts";

/** Which share of texts in other languages is withheld, by length. */
export interface RejectionRow {
  readonly name: string;
  readonly withheld: ReadonlyMap<string, { readonly share: number; readonly total: number }>;
}

const maxTextsPerBucket = 1000;
const minTexts = 20;

const measureRow = (model: LanguageModel, name: string, lines: readonly CorpusLine[]): RejectionRow => {
  const byLength = textsByLength(
    lines.map((line) => line.text),
    maxTextsPerBucket,
  );
  const shares = [...byLength]
    .filter(([, texts]) => texts.length >= minTexts)
    .map(([bucket, texts]) => {
      const withheld = texts.filter((text) => classify(model.identify(text)) === undefined).length;
      return [bucket, { share: withheld / texts.length, total: texts.length }] as const;
    });
  return { name, withheld: new Map(shares) };
};

/**
 * Measures how often `classify` withholds a result from texts in languages other than the six.
 *
 *
 * @param heldOut held-out lines
 * @param neverSeen lines of languages that training never saw
 */
export const measureRejection = (
  model: LanguageModel,
  heldOut: readonly CorpusLine[],
  neverSeen: readonly CorpusLine[],
): readonly RejectionRow[] => {
  const six: readonly string[] = identifiableLanguages;
  const foreign = heldOut.filter((line) => !six.includes(languageOf(line)));
  const named = (language: string) => foreign.filter((line) => languageOf(line) === language);
  const distant = foreign.filter((line) => !closeRelatives.has(languageOf(line)));
  return [
    measureRow(model, "Swahili", named("swa")),
    measureRow(model, "Kinyarwanda", named("kin")),
    measureRow(model, "Luo", named("luo")),
    measureRow(model, "all but close relatives", distant),
    measureRow(model, "languages never trained on", neverSeen),
  ];
};

/** What `classify` makes of a language that is close to one of the six. */
export interface RelativeRow {
  readonly language: string;
  readonly total: number;
  /** How many texts get each result; `undefined` is withheld. The most frequent comes first. */
  readonly predictions: readonly (readonly [string | undefined, number])[];
}

const relativeBuckets: ReadonlySet<string> = new Set(["11-20", "21-50"]);

/** Counts the results for texts of 11 to 50 characters in the close relatives of the six. */
export const measureRelatives = (
  model: LanguageModel,
  heldOut: readonly CorpusLine[],
): readonly RelativeRow[] =>
  [...Map.groupBy(heldOut, languageOf)]
    .filter(([language]) => closeRelatives.has(language))
    .map(([language, lines]) => {
      const byLength = textsByLength(
        lines.map((line) => line.text),
        maxTextsPerBucket,
      );
      const texts = [...byLength].flatMap(([bucket, ofLength]) =>
        relativeBuckets.has(bucket) ? ofLength : [],
      );
      const counts = Map.groupBy(texts, (text) => classify(model.identify(text)));
      const predictions = [...counts]
        .map(([prediction, same]) => [prediction, same.length] as const)
        .sort(([, one], [, another]) => another - one);
      return { language, total: texts.length, predictions };
    })
    .filter(({ total }) => total >= minTexts);
