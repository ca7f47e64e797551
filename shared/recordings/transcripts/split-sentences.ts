const lengthOf = (text: string): number => [...text].length;

/** Adds a piece to the last part when it fits, else as a part of its own. */
const append = (parts: string[], piece: string, maxCharacters: number): void => {
  const last = parts.at(-1);
  const joined = last === undefined ? piece : `${last} ${piece}`;
  if (last === undefined || lengthOf(joined) > maxCharacters) parts.push(piece);
  else parts[parts.length - 1] = joined;
};

const cutWord = (word: string, maxCharacters: number): string[] => {
  const letters = [...word];
  return Array.from({ length: Math.ceil(letters.length / maxCharacters) }, (_, index) =>
    letters.slice(index * maxCharacters, (index + 1) * maxCharacters).join(""),
  );
};

/**
 * Splits a text into parts that a model can work on: between sentences where possible, else between words, else anywhere.
 *
 * @returns the parts without space around them; together they have all words of the text.
 */
export const splitSentences = (text: string, maxCharacters: number): string[] => {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  const whole = words.join(" ");
  if (lengthOf(whole) <= maxCharacters) return whole === "" ? [] : [whole];
  const parts: string[] = [];
  for (const sentence of whole.split(/(?<=[.!?…。؟።])\s/u)) {
    if (lengthOf(sentence) <= maxCharacters) {
      append(parts, sentence, maxCharacters);
      continue;
    }
    const ownParts: string[] = [];
    for (const word of sentence.split(" ").flatMap((each) => cutWord(each, maxCharacters))) {
      append(ownParts, word, maxCharacters);
    }
    for (const part of ownParts) parts.push(part);
  }
  return parts;
};

/** Whether a text has anything to translate or to say, which neither a row of dots nor a note symbol has. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
