import {
  type IdentifiableLanguage,
  identifiableLanguages,
} from "../../../../../shared/models/language-id/identification.ts";
import { normalise } from "../../../../../shared/models/language-id/normalise.ts";
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
const maxTexts: Readonly<Record<Domain, number>> = { "in-domain": 1000, "out-of-domain": 400 };

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
        maxTexts[domain],
      );
      return [...byLength].flatMap(([bucket, texts]) =>
        texts
          .filter((text) => !learned.has(normalise(text)))
          .map((text) => ({ text, language, domain, bucket })),
      );
    });
  });

/** Where a text has to stand to count as seen in training. */
export type SeenWhere = "in its language" | "anywhere";

/** Enough of a text to find its position in a line; longer texts are compared from there. */
const maxKeyLength = 12;

/**
 * Finds the texts that training has not seen, which say more about new texts than the others: a few words of a
 * held-out line often occur in a training line.
 *
 *
 * @param learned every line that training learns from or makes its choices with
 * @param where "in its language": as whole words of a line in the text's own language. "anywhere": within any line of
 * any language, parts of words included, which counts words that two languages share as seen.
 */
export const unseenTexts = (
  texts: readonly TestText[],
  learned: readonly CorpusLine[],
  where: SeenWhere,
): readonly TestText[] => {
  const edge = where === "in its language" ? " " : "";
  const scopeOf = (language: string) => (where === "in its language" ? language : "any");
  const keyed = texts.map((text) => {
    const form = `${edge}${normalise(text.text)}${edge}`;
    return { text, form, scope: scopeOf(text.language), key: form.slice(0, maxKeyLength) };
  });
  const byScope = new Map(
    [...Map.groupBy(keyed, ({ scope }) => scope)].map(([scope, members]) => {
      const byKey = Map.groupBy(members, ({ key }) => key);
      return [scope, { byKey, widths: new Set([...byKey.keys()].map((key) => key.length)) }] as const;
    }),
  );
  const seen = new Set<TestText>();
  for (const line of learned) {
    const { byKey, widths } = byScope.get(scopeOf(languageOf(line))) ?? {};
    const form = `${edge}${normalise(line.text)}${edge}`;
    for (const width of widths ?? []) {
      for (let start = 0; start + width <= form.length; start++) {
        for (const candidate of byKey?.get(form.slice(start, start + width)) ?? []) {
          if (form.startsWith(candidate.form, start)) seen.add(candidate.text);
        }
      }
    }
  }
  return texts.filter((text) => !seen.has(text));
};
