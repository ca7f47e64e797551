import type { DocumentSegment, SegmentPiece } from "./segment.ts";
import type { PassageReader } from "./syntax.ts";

const isBlank = (piece: SegmentPiece): boolean => piece.kind === "text" && piece.text.trim() === "";

/** A text that is written elsewhere. */
interface WholeSegment {
  readonly segment: DocumentSegment | undefined;
  /** The branches of messages in it. */
  readonly inner: readonly DocumentSegment[];
  /** Its parts that cannot be written there. */
  readonly staying: readonly DocumentSegment[];
}

/** Returns the pieces as one passage, even a long one. */
export const wholeSegment = (words: PassageReader, pieces: readonly SegmentPiece[]): WholeSegment => {
  const found = words.segmentsOf(pieces);
  const [segment, ...others] = found.filter(({ staying, isWithin }) => !staying && !isWithin);
  const staying = found.filter((each) => each.staying);
  const inner = found.filter((each) => each.isWithin && !each.staying);
  if (others.length === 0) return { segment, inner, staying };
  const end = pieces.findLastIndex((piece) => !isBlank(piece)) + 1;
  const [first, ...rest] = pieces.slice(
    pieces.findIndex((piece) => !isBlank(piece)),
    end,
  );
  return { segment: segment && first && { ...segment, pieces: [first, ...rest] }, inner, staying };
};
