import { maxPassageLength } from "./divide-text.ts";
import type { SegmentPiece } from "./segment.ts";

const isBlank = (piece: SegmentPiece | undefined): boolean =>
  piece?.kind === "text" && piece.text.trim() === "";

const isMarkup = (piece: SegmentPiece | undefined): boolean =>
  piece?.kind === "mask" && piece.role === "alone";

const depthAfter = (depth: number, piece: SegmentPiece): number => {
  if (piece.kind === "text" || piece.role === "alone" || piece.role === "placeholder") return depth;
  return piece.role === "open" ? depth + 1 : depth - 1;
};

/** Returns, for each piece that opens a pair, the index of the piece that closes it. */
const closingPieces = (pieces: readonly SegmentPiece[]): Map<number, number> => {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === "text") continue;
    if (piece.role === "open") open.push(index);
    const opener = piece.role === "close" ? open.pop() : undefined;
    if (opener !== undefined) closing.set(opener, index);
  }
  return closing;
};

/** Returns a passage without what surrounds its words: space, tags that stand alone, and pairs of tags around all of it. */
export const trimPassage = (pieces: readonly SegmentPiece[]): readonly SegmentPiece[] => {
  const closing = closingPieces(pieces);
  let start = 0;
  let end = pieces.length;
  while (start < end) {
    const [first, last] = [pieces[start], pieces[end - 1]];
    if (isBlank(first) || isMarkup(first)) start += 1;
    else if (isBlank(last) || isMarkup(last)) end -= 1;
    else if (closing.get(start) === end - 1) {
      start += 1;
      end -= 1;
    } else break;
  }
  return pieces.slice(start, end);
};

const lengthOf = (piece: SegmentPiece): number => (piece.kind === "text" ? piece.text.length : 4);

/** Divides pieces into passages that a model can translate, between pieces that no pair of tags holds together. */
export const splitPassage = (pieces: readonly SegmentPiece[]): SegmentPiece[][] => {
  const passages: SegmentPiece[][] = [[]];
  let length = 0;
  let depth = 0;
  for (const piece of pieces) {
    if (depth === 0 && length > 0 && length + lengthOf(piece) > maxPassageLength) {
      passages.push([]);
      length = 0;
    }
    passages.at(-1)?.push(piece);
    length += lengthOf(piece);
    depth = depthAfter(depth, piece);
  }
  return passages;
};

/** Whether any of them are. */
export const containWords = (pieces: readonly SegmentPiece[]): boolean =>
  pieces.some((piece) => piece.kind === "text" && /\p{L}/u.test(piece.text));
