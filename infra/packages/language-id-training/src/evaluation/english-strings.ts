import type { IdentifiableLanguage } from "../../../../../shared/language-id/languages.ts";
import { normalise } from "../../../../../shared/language-id/normalise.ts";
import type { CorpusLine } from "../training/corpus.ts";
import { languageOf } from "../training/partition.ts";
import type { TestText } from "./test-texts.ts";

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
