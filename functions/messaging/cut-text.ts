const ellipsis = "…";

/** A sentence's closing mark and the quotes or brackets after it, including Ethiopic and Arabic marks. */
const sentenceEnd = /[.!?…።؟][)\]"'”’»*_]*(?=\s|$)/g;

const lastSentenceEnd = (text: string): number => {
  let end = 0;
  for (const match of text.matchAll(sentenceEnd)) end = match.index + match[0].length;
  return end;
};

/** Cuts after the last sentence or paragraph if that leaves at least half, else between words, else anywhere. */
const cutPosition = (text: string): number => {
  const half = text.length / 2;
  const sentence = Math.max(lastSentenceEnd(text), text.lastIndexOf("\n"));
  if (sentence > half) return sentence;
  const word = text.search(/\s\S*$/);
  return word > half ? word : text.length;
};

/** Returns the beginning of a text without half a character at the end. */
const head = (text: string, length: number): string => {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
};

/**
 * Cuts a text to this many UTF-16 units, with an ellipsis at the end, after a whole sentence if that keeps at least half of the
 * text.
 */
export const cutText = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text;
  const room = head(text, maxLength - 2);
  const shortened = room.slice(0, cutPosition(room)).trimEnd();
  return `${shortened}${/[.!?።؟]["')\]”’»]*$/.test(shortened) ? " " : ""}${ellipsis}`;
};

/** Cuts a text after the last whole sentence, without an ellipsis, for reading aloud. */
export const firstSentences = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text;
  const room = head(text, maxLength);
  return room.slice(0, cutPosition(room)).trimEnd();
};

/** Splits a text into pieces of at most this many UTF-16 units, between sentences. Loses only white space. */
export const splitText = (text: string, maxLength: number): string[] => {
  const pieces: string[] = [];
  let rest = text.trim();
  while (rest.length > maxLength) {
    const room = head(rest, maxLength);
    const position = cutPosition(room);
    pieces.push(room.slice(0, position).trimEnd());
    rest = rest.slice(position).trimStart();
  }
  return rest === "" ? pieces : [...pieces, rest];
};
