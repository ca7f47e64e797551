import { splitAtSpaces } from "../scores/words.ts";

/** What is compared: a word without case and the marks around it. */
const keyOf = (word: string): string =>
  word
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu, "");

/** The edits between the beginnings of two lists: a row for each length of the first one. */
const editTable = (one: readonly string[], other: readonly string[]): Uint32Array => {
  const width = other.length + 1;
  const edits = new Uint32Array((one.length + 1) * width);
  for (let column = 0; column < width; column += 1) edits[column] = column;
  for (const [index, word] of one.entries()) {
    const row = (index + 1) * width;
    edits[row] = index + 1;
    for (const [column, expected] of other.entries()) {
      const replaced = (edits[row - width + column] ?? 0) + Number(word !== expected);
      const removed = (edits[row - width + column + 1] ?? 0) + 1;
      edits[row + column + 1] = Math.min(replaced, removed, (edits[row + column] ?? 0) + 1);
    }
  }
  return edits;
};

/** Returns for each heard word whether its reference has it there: both are aligned with the fewest edits. */
export const findRightWords = (heard: readonly string[], reference: string): boolean[] => {
  const one = heard.map(keyOf);
  const other = splitAtSpaces(reference).map(keyOf);
  const width = other.length + 1;
  const edits = editTable(one, other);
  const right = heard.map(() => false);
  let [row, column] = [one.length, other.length];
  while (row > 0 && column > 0) {
    const here = edits[row * width + column] ?? 0;
    const isSame = one[row - 1] === other[column - 1];
    if (here === (edits[(row - 1) * width + column - 1] ?? 0) + Number(!isSame)) {
      right[row - 1] = isSame;
      row -= 1;
      column -= 1;
    } else if (here === (edits[(row - 1) * width + column] ?? 0) + 1) row -= 1;
    else column -= 1;
  }
  return right;
};
