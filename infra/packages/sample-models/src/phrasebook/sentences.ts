/**
 * A sentence of a text, or a piece without words (a list number, a dash). The four parts of all sentences, one
 * after the other, are the text again, character by character.
 */
export type Sentence = {
  /** White space, opening quotes and bullets before the first letter. */
  readonly opening: string;
  /** From the first letter or digit to the last; empty in a piece without words. */
  readonly words: string;
  /** Punctuation after the last letter, for example `?!` or `."`. */
  readonly closing: string;
  /** White space up to the next sentence. */
  readonly gap: string;
};

/**
 * Before the first character after a line break, or after closing punctuation (perhaps in quotes) and white space.
 *
 * `Intl.Segmenter` is not used: it does not end a sentence at `…`, nor at a full stop before a small letter, and
 * people write messages in small letters.
 */
const sentenceStart = /(?=\S)(?<=[.!?…]["'”’»)\]]{0,3}\s+|\n\s*)/u;
const partOfWord = /[\p{L}\p{M}\p{N}]/u;

/** Splits a text into its sentences. A line break ends a sentence as a full stop does. */
export const splitSentences = (text: string): Sentence[] => text.split(sentenceStart).map(takeApart);

const takeApart = (segment: string): Sentence => {
  const withoutGap = segment.trimEnd();
  // Positions are found by walking, not with a pattern: patterns for "the last run of punctuation" take quadratic
  // time on a long line of dots.
  const characters = Array.from(withoutGap);
  const first = characters.findIndex((character) => partOfWord.test(character));
  const end = characters.findLastIndex((character) => partOfWord.test(character)) + 1;
  const start = first === -1 ? 0 : first;
  return {
    opening: characters.slice(0, start).join(""),
    words: characters.slice(start, end).join(""),
    closing: characters.slice(end).join(""),
    gap: segment.slice(withoutGap.length),
  };
};

/** A clause of a sentence with the separator that follows it (empty after the last). */
export type Clause = { readonly words: string; readonly separator: string };

/** Splits the words of a sentence at commas, semicolons and colons that are followed by white space. */
export const splitClauses = (words: string): Clause[] => {
  const pieces = words.split(/([,;:]\s+)/u);
  return pieces.flatMap((piece, index) =>
    index % 2 === 0 ? [{ words: piece, separator: pieces[index + 1] ?? "" }] : [],
  );
};

const firstLetter = /\p{L}/u;

/** The wording with a capital at its first letter: `oli otya?` becomes `Oli otya?`. */
const capitalise = (wording: string): string =>
  wording.replace(firstLetter, (letter) => letter.toUpperCase());

/** Whether the first letter of a text is a capital. */
const startsWithCapital = (text: string): boolean => {
  const letter = firstLetter.exec(text)?.[0];
  return letter !== undefined && letter !== letter.toLowerCase();
};

/**
 * Replaces a sentence by a wording of the phrasebook: with the closing punctuation of that sentence, and with a
 * capital if that one had it.
 *
 * Only the question mark follows the wording, because a greeting may be a question in one language and none in
 * another: the reply to `Oraire ota?` is `Good morning.`, and `how are you` without its mark is still a question.
 */
export const arrangeWording = (wording: string, sentence: { words: string; closing: string }): string => {
  const isQuestion = wording.endsWith("?");
  const bare = isQuestion ? wording.slice(0, -1) : wording;
  const placed = startsWithCapital(sentence.words) ? capitalise(bare) : bare;
  return placed + closingFor(isQuestion, sentence.closing);
};

const closingFor = (isQuestion: boolean, closing: string): string => {
  if (!isQuestion) return closing.replaceAll("?", ".");
  if (closing.includes("?") || closing.includes("!")) return closing;
  return closing.includes(".") ? closing.replace(/\.+/u, "?") : `?${closing}`;
};
