import type { PlaceholderGrammar } from "./placeholders.ts";
import type { DocumentSegment, Range, SegmentPiece } from "./segment.ts";

/** Matches the end of a line, also one with several carriage returns. A longer run of them is looked through once only. */
export const anyLineEnd = String.raw`(?:(?<!\r)\r*\n|\r)`;

/** Matches the blanks before the end of a line, which are looked through once only. */
export const blanksBefore = String.raw`(?:(?<![ \t])[ \t]+)?`;

/** How a format writes the characters of its words. */
export interface Syntax {
  /** Matches one escaped character. Global. */
  readonly escaped: RegExp;
  /** Returns what a reader sees for it. What is not one UTF-16 unit becomes a mask. */
  readonly decode: (escaped: string) => string;
  /** Characters that have a meaning in the format. New ones are escaped, unless the segment has them unescaped. */
  readonly special: string;
  /** Those of them whose unescaped form depends on what follows: it becomes a mask. */
  readonly neverPlain?: string;
  readonly escape: (character: string) => string;
  /** What words cannot contain, such as the end of a section: its last character is escaped. */
  readonly forbidden?: string;
  /** Matches space that readers see as one blank, such as the end of a line. Global. */
  readonly blank?: RegExp;
  /** Matches what separates lines for readers too: it becomes a mask. Global. */
  readonly lineBreak?: RegExp;
  /** Matches a mask that ends a line. Around words, it is no part of them. */
  readonly lineMark?: RegExp;
  /** What programs replace in the words; by default what any of them does. */
  readonly placeholders?: readonly PlaceholderGrammar[] | undefined;
  /** The language of the translation, whose plural categories messages have; by default those of the source stay. */
  readonly target?: string | undefined;
  /** Whether a text is written elsewhere, and with it the branches of a message in it. */
  readonly isWhole?: true;
  /** Matches what is no part of the text, such as the quotes between two strings of one text. Global. */
  readonly joint?: RegExp;
}

/** Collects the words and masks of passages that share a syntax. */
export interface PassageReader {
  /**
   * Returns the words in a range of the source, and what must stay in it, as pieces.
   *
   * @throws UnreadableDocument when the ranges since the last passage are too long for one.
   */
  readonly read: (range: Range) => SegmentPiece[];
  /** Returns the passages of some of the pieces; none when they have no words. */
  readonly segmentsOf: (
    pieces: readonly SegmentPiece[],
    more?: Omit<DocumentSegment, "pieces" | "encode">,
  ) => DocumentSegment[];
}
