const ellipsis = "…";

/** The end of a sentence: its mark, and the quotes or brackets that close after it. Ethiopic and Arabic marks included. */
const sentenceEnd = /[.!?…።؟][)\]"'”’»*_]*(?=\s|$)/g;

const lastSentenceEnd = (text: string): number => {
  let end = 0;
  for (const match of text.matchAll(sentenceEnd)) end = match.index + match[0].length;
  return end;
};

/** Where to cut: at the last sentence or paragraph that leaves at least half, else between words, else anywhere. */
const cutPosition = (text: string): number => {
  const half = text.length / 2;
  const sentence = Math.max(lastSentenceEnd(text), text.lastIndexOf("\n"));
  if (sentence > half) return sentence;
  const word = text.search(/\s\S*$/);
  return word > half ? word : text.length;
};

/** The beginning of a text, never half a character. */
const head = (text: string, length: number): string => {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
};

/**
 * A text of at most so many UTF-16 units. One that is cut ends with a whole sentence where that keeps at least half of
 * it, and with an ellipsis.
 */
export const cutText = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text;
  const room = head(text, maxLength - 2);
  const shortened = room.slice(0, cutPosition(room)).trimEnd();
  return `${shortened}${/[.!?።؟]["')\]”’»]*$/.test(shortened) ? " " : ""}${ellipsis}`;
};

/** The beginning of a text up to the last whole sentence, without an ellipsis: for texts that are read out. */
export const firstSentences = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text;
  const room = head(text, maxLength);
  return room.slice(0, cutPosition(room)).trimEnd();
};

/** A text in pieces of at most so many UTF-16 units, cut between sentences; nothing is lost but white space. */
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
