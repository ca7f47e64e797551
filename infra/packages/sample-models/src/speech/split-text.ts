import { splitSentences } from "../phrasebook/sentences.ts";

/** A piece of a text that is spoken in one go. */
export type TextPiece = {
  readonly text: string;
  /** Whether a speaker would pause after it. */
  readonly endsSentence: boolean;
};

/** Long enough for nearly every sentence, and spoken in well under a second of computing. */
const longestPiece = 240;

const pieceOfSentence = new RegExp(`.{1,${longestPiece}}(?:\\s+|$)|.{${longestPiece}}`, "gsu");

/** Splits a text at the ends of its sentences, and sentences that are too long between words. */
export function splitText(text: string): TextPiece[] {
  return splitSentences(text)
    .filter(({ words }) => words !== "")
    .flatMap(({ words, closing }) => {
      const pieces = (words + closing).match(pieceOfSentence) ?? [];
      return pieces.map((piece, index) => ({ text: piece, endsSentence: index === pieces.length - 1 }));
    });
}
