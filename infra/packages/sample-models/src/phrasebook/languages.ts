const apostrophes = /[\u2018\u2019\u02BC\u02BB\u0060\u00B4]/gu;
const apostropheOutsideWord = /(?<!\p{L})'|'(?!\p{L})/gu;
const notPartOfWord = /[^\p{L}\p{M}\p{N}']+/gu;

/**
 * The form in which sentences are compared: lower case, without punctuation, single spaces between the words.
 *
 * An apostrophe inside a word belongs to the spelling (`gw'ensiri`, `don't`) and stays; phones type it curly, so
 * all its shapes become one. The same letter can be one code point or two, hence the normalisation.
 */
export const fold = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replace(apostrophes, "'")
    .replace(apostropheOutsideWord, " ")
    .replace(notPartOfWord, " ")
    .trim();

/** The languages of the phrasebook, as ISO 639-3 codes. Where a sentence exists in several, the first is meant. */
export const phrasebookLanguages = ["eng", "lug", "swa", "kin", "nyn", "ach"] as const;

/** ISO 639-3 code of a language of the phrasebook. */
export type PhrasebookLanguage = (typeof phrasebookLanguages)[number];

const names: Record<PhrasebookLanguage, readonly string[]> = {
  eng: ["English"],
  lug: ["Luganda", "Ganda", "Oluganda"],
  swa: ["Swahili", "Kiswahili"],
  kin: ["Kinyarwanda", "Ikinyarwanda"],
  nyn: ["Runyankole", "Runyankore", "Orunyankore"],
  ach: ["Acholi", "Acoli"],
};

const languageByFoldedName = new Map(
  phrasebookLanguages.flatMap((language) =>
    [language, ...names[language]].map((name) => [fold(name), language] as const),
  ),
);

/** The language with this name or code, in any case; undefined for a language that the phrasebook does not have. */
export const findLanguage = (nameOrCode: string): PhrasebookLanguage | undefined =>
  languageByFoldedName.get(fold(nameOrCode));
