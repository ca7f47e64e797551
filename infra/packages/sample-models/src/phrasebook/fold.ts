const apostrophes = /[\u2018\u2019\u02BC\u02BB\u0060\u00B4]/gu;
const apostropheOutsideWord = /(?<!\p{L})'|'(?!\p{L})/gu;
const notPartOfWord = /[^\p{L}\p{M}\p{N}']+/gu;

/**
 * The form in which sentences are compared: lower case, without punctuation, single spaces between the words.
 *
 * An apostrophe inside a word belongs to the spelling (`gw'ensiri`, `don't`) and stays; phones type it curly, so
 * all its shapes become one. The same letter can be one code point or two, hence the normalisation.
 */
export function fold(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replace(apostrophes, "'")
    .replace(apostropheOutsideWord, " ")
    .replace(notPartOfWord, " ")
    .trim();
}
