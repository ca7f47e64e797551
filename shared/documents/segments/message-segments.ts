import { argumentsIn, hasBranches, readMessage } from "./icu-messages.ts";
import type { DocumentEdit, DocumentSegment, MaskPiece, Range, SegmentPiece } from "./segment.ts";
import type { PassageReader, Syntax } from "./syntax.ts";

/** In a branch for numbers, the sign stands for the number. */
const branchSyntax = (syntax: Syntax, isPlural: boolean): Syntax =>
  isPlural
    ? {
        ...syntax,
        escaped: new RegExp(`${syntax.escaped.source}|#`, syntax.escaped.flags),
        decode: (written) => (written === "#" ? "" : syntax.decode(written)),
      }
    : syntax;

/** Returns a range of the source with blanks for what is no part of its text. */
const writtenIn = (source: string, { start, end }: Range, { joint }: Syntax): string => {
  const written = source.slice(start, end);
  return joint ? written.replaceAll(joint, (found) => " ".repeat(found.length)) : written;
};

const segmentsOfMessage = (
  source: string,
  { start, end }: MaskPiece,
  syntax: Syntax,
  read: (source: string, syntax: Syntax) => PassageReader,
): DocumentSegment[] => {
  const written = writtenIn(source, { start, end }, syntax);
  const message = readMessage(written, syntax.target);
  const within = syntax.isWhole ? ({ isWithin: true } as const) : {};
  if (!message) {
    const piece: SegmentPiece = { kind: "mask", role: "placeholder", start, end };
    return /\p{L}{2}/u.test(written.slice(0, Math.max(0, written.lastIndexOf("{"))))
      ? [unreadable(piece)]
      : [];
  }
  const segments = message.branches.flatMap((branch) => {
    const words = read(source, branchSyntax(syntax, branch.isPlural));
    const found = words.segmentsOf(words.read({ start: start + branch.start, end: start + branch.end }));
    return found.map((segment): DocumentSegment => {
      const [first] = segment.pieces;
      const whole = source.slice(first.start, (segment.pieces.at(-1) ?? first).end);
      const expected = argumentsIn(whole);
      return {
        ...segment,
        ...within,
        hasStructure: (text) =>
          (segment.hasStructure?.(text) ?? true) &&
          (expected === undefined || argumentsIn(text) === expected),
      };
    });
  });
  const of: DocumentSegment[] = [];
  const edits = message.removed.map(
    (range): DocumentEdit => ({
      ...{ start: start + range.start, end: start + range.end, text: "", ...within },
      ...(segments.length > 0 ? { of, needsAll: true } : {}),
    }),
  );
  const [first, ...others] = segments;
  if (first) of.push({ ...first, edits: [...(first.edits ?? []), ...edits] });
  for (const other of others) of.push(other);
  return of;
};

/** Words for numbers or persons, as MediaWiki writes them. */
const wikiBranches = /^\{\{\s*(?:PLURAL|GENDER|GRAMMAR)\s*:[^|{}]*\|/i;

const unreadable = (piece: SegmentPiece): DocumentSegment => ({
  pieces: [piece],
  encode: (words) => words,
  staying: "unreadable_message",
});

/** Returns the passages in the branches of messages that are among pieces. */
export const segmentsInMessages = (
  source: string,
  pieces: readonly SegmentPiece[],
  syntax: Syntax,
  read: (source: string, syntax: Syntax) => PassageReader,
): DocumentSegment[] =>
  pieces.flatMap((piece): DocumentSegment[] => {
    if (piece.kind !== "mask" || piece.role !== "placeholder") return [];
    const written = writtenIn(source, piece, syntax);
    if (hasBranches(written)) return segmentsOfMessage(source, piece, syntax, read);
    return wikiBranches.test(written) ? [unreadable(piece)] : [];
  });
