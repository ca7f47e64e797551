/**
 * A run of letters of any script other than Latin, all equally foreign to the six languages. One symbol for all lets
 * the model refuse scripts that no training text contains.
 */
export const foreignLetters = "□";

/** Typed as the apostrophe, which is a letter in Lugbara and marks elision in Luganda and Runyankole. */
const apostropheLike = /[`´ʹʻʼʽʾʿˈ‘’‛′ꞌꞋ]/g;

/** Lugbara is written with and without the barred and open vowels of its official spelling. */
const foldedLetters: ReadonlyMap<string, string> = new Map([
  ["ɨ", "i"],
  ["ɩ", "i"],
  ["ı", "i"],
  ["ʉ", "u"],
  ["ᵾ", "u"],
  ["ᴜ", "u"],
  ["ɔ", "o"],
  ["ɛ", "e"],
  ["ə", "e"],
  ["ɓ", "'b"],
  ["ɗ", "'d"],
  ["ß", "ss"],
]);

/**
 * Goes through upper case, where the several lower-case forms of one letter meet. Removes marks with the space
 * before them: text extracted from PDF files has its tone marks loose.
 */
const toPlainLetters = (text: string): string =>
  text
    .normalize("NFD")
    .toUpperCase()
    .toLowerCase()
    .replace(apostropheLike, "'")
    .normalize("NFKD")
    .toLowerCase()
    .replace(/ ?\p{M}+/gu, "")
    .replace(/[ɨɩıʉᵾᴜɔɛəɓɗß]/g, (letter) => foldedLetters.get(letter) ?? letter);

const isAddress = (token: string): boolean =>
  token.includes("@") || token.includes("://") || token.includes("www.") || token.startsWith("#");

/**
 * Removes addresses and tags, which are in no language. Token by token: one expression with `\S+@` over the whole
 * text takes quadratic time on a long text without spaces.
 */
const withoutAddresses = (text: string): string =>
  /[@#:]|www/.test(text)
    ? text
        .split(/\s+/)
        .filter((token) => !isAddress(token))
        .join(" ")
    : text;

/**
 * The form of a text from which features are taken: lower case without marks, one kind of apostrophe, single spaces.
 * Takes linear time. @returns an empty string when the text has no letters
 */
export const normalise = (text: string): string => {
  const plain = /[\u0080-\uffff]/.test(text) ? toPlainLetters(text) : text.toLowerCase().replaceAll("`", "'");
  return withoutAddresses(plain)
    .replace(/[^\p{L}']+/gu, " ")
    .replace(/[[\p{L}--\p{Script=Latin}]--\p{Script=Common}]+/gv, foreignLetters)
    .replace(/(^| )'+(?= |$)/g, "$1")
    .replace(/ {2,}/g, " ")
    .trim();
};

const codePointsRead = 1000;

/** The form of a text's first 1,000 code points: they show its language, and a longer text takes no longer. */
export const normaliseStart = (text: string): string => {
  const trimmed = text.trim();
  if (trimmed.length <= codePointsRead) return normalise(trimmed);
  const start = Array.from(trimmed.slice(0, 2 * codePointsRead)).slice(0, codePointsRead);
  return normalise(start.join(""));
};
