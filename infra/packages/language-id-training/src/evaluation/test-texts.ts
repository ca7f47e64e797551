import {
  type IdentifiableLanguage,
  identifiableLanguages,
  normalise,
} from "../../../../../shared/language-id/index.ts";
import type { CorpusLine } from "../training/corpus.ts";
import { textsByLength } from "../training/length-buckets.ts";
import { languageOf } from "../training/partition.ts";

/** Whether a text comes from the corpus that most training text comes from, or from elsewhere. */
export type Domain = "in-domain" | "out-of-domain";

export const domains: readonly Domain[] = ["in-domain", "out-of-domain"];

/** A text of one of the six languages, with the name of its length bucket. */
export interface TestText {
  readonly text: string;
  readonly language: IdentifiableLanguage;
  readonly domain: Domain;
  readonly bucket: string;
}

const domainOf = (line: CorpusLine): Domain =>
  line.source.startsWith("salt") ? "in-domain" : "out-of-domain";

/** The one in-domain source may give more texts than each of the several others, to the same end: some 1,000. */
const mostTexts: Readonly<Record<Domain, number>> = { "in-domain": 1000, "out-of-domain": 400 };

/**
 * Makes the texts on which accuracy is measured: per language and source, up to 400 of each length (1,000 in-domain).
 *
 * @param lines lines of any language; those of other languages than the six are passed over
 * @param learned normalised texts the model has learned from; no test text may be one of them
 */
export const testTextsFrom = (
  lines: readonly CorpusLine[],
  learned: ReadonlySet<string>,
): readonly TestText[] =>
  identifiableLanguages.flatMap((language) => {
    const ofLanguage = lines.filter((line) => languageOf(line) === language);
    return [...Map.groupBy(ofLanguage, (line) => line.source).values()].flatMap((sameSource) => {
      const [first] = sameSource;
      const domain = first === undefined ? "in-domain" : domainOf(first);
      const byLength = textsByLength(
        sameSource.map((line) => line.text),
        mostTexts[domain],
      );
      return [...byLength].flatMap(([bucket, texts]) =>
        texts
          .filter((text) => !learned.has(normalise(text)))
          .map((text) => ({ text, language, domain, bucket })),
      );
    });
  });

const frequentFrom = 3;
const englishShare = 0.6;

type Frequencies = ReadonlyMap<string, number>;

const countWords = (lines: readonly CorpusLine[]): Frequencies => {
  const counts = new Map<string, number>();
  for (const line of lines) {
    for (const word of normalise(line.text).split(" ")) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
};

/**
 * Finds English strings that stand in a source of another language, such as menu names nobody translated: at
 * least 60 % of the words are frequent in English lines and not in lines of the language. The label of such a
 * text is wrong, and no identifier is consulted to say so.
 *
 * @param lines every line there is, of any split
 */
export const createEnglishStringFinder = (lines: readonly CorpusLine[]) => {
  const english = countWords(lines.filter((line) => languageOf(line) === "eng"));
  const own = new Map<IdentifiableLanguage, Frequencies>();
  const open = lines.filter((line) => !line.split.startsWith("test"));
  const ownWords = (language: IdentifiableLanguage): Frequencies => {
    const known = own.get(language) ?? countWords(open.filter((line) => languageOf(line) === language));
    own.set(language, known);
    return known;
  };
  return ({ text, language }: TestText): boolean => {
    if (language === "eng") return false;
    const words = normalise(text).split(" ");
    const foreign = words.filter(
      (word) =>
        (english.get(word) ?? 0) >= frequentFrom && (ownWords(language).get(word) ?? 0) < frequentFrom,
    );
    return foreign.length / words.length >= englishShare;
  };
};
