import { splitSentences } from "../phrasebook/sentences.ts";
import type { BaseVoice } from "./voices.ts";

/** Letters of African alphabets that are no Latin letter with a mark, and the nearest that eSpeak NG can read. */
const plainLetters: Readonly<Record<string, string>> = {
  ɔ: "o",
  ɛ: "e",
  ŋ: "n",
  ɓ: "b",
  ɗ: "d",
  ɖ: "d",
  ƙ: "k",
  ƴ: "y",
  ƒ: "f",
  ʋ: "v",
  ɣ: "gh",
  ɩ: "i",
  ɨ: "i",
  ʊ: "u",
  ʉ: "u",
  ə: "e",
  ǝ: "e",
};

const specialLetter = new RegExp(`[${Object.keys(plainLetters).join("")}]`, "giu");
const apostrophes = /[\u2018\u2019\u02B9\u02BB\u02BC\u0060\u00B4]/gu;
const marks = /[\u0300-\u036F]/gu;

/** Without a shape of their own (soft hyphens, joiners, the variants of emoji); they must not part a word. */
const invisible = /\p{Cf}|\uFE0F|\u20E3/gu;

/**
 * What the synthesiser would take as markup, not as text: SSML tags and entities, phonemes in double brackets, and
 * control characters, of which NUL would end the text. Emoji go with them: it reads them out as numbered letters.
 */
const notForReading = /[<>&[\]\p{Cc}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu;

/** At the start of a word, where the Swahili voice spells the apostrophe out instead of reading one phoneme. */
const initialVelarNasal = /(?<![\p{L}'])(ng)'/giu;

/**
 * Rewrites a text so that eSpeak NG can read it aloud: it spells unknown letters one by one, and would obey markup (a
 * `break` tag may request an hour of silence).
 *
 * The marks of Afrikaans stay, its voice knows them; those of other languages are tones and vowel qualities that no
 * voice here can produce.
 */
export const foldSpelling = (text: string, base: BaseVoice): string => {
  const readable = text
    .replace(invisible, "")
    .replace(notForReading, (character) => (character === "\n" ? "\n" : " "))
    .replace(apostrophes, "'");
  if (base === "af") return readable.normalize("NFC");
  const plain = readable
    .normalize("NFD")
    .replace(marks, "")
    .replace(specialLetter, plainLetter)
    .normalize("NFC");
  return base === "sw" ? plain.replace(initialVelarNasal, "$1") : plain;
};

const plainLetter = (letter: string): string => {
  const plain = plainLetters[letter.toLowerCase()] ?? letter;
  const isSmall = letter === letter.toLowerCase();
  return isSmall ? plain : plain.charAt(0).toUpperCase() + plain.slice(1);
};

/** A piece of a text that is spoken in one go. */
export type TextPiece = {
  readonly text: string;
  /** Whether a speaker would pause after it. */
  readonly endsSentence: boolean;
};

/** Long enough for nearly every sentence, and spoken in well under a second of computing. */
const maxPieceLength = 240;

const pieceOfSentence = new RegExp(`.{1,${maxPieceLength}}(?:\\s+|$)|.{${maxPieceLength}}`, "gsu");

/** Splits a text at the ends of its sentences, and sentences that are too long between words. */
export const splitText = (text: string): TextPiece[] =>
  splitSentences(text)
    .filter(({ words }) => words !== "")
    .flatMap(({ words, closing }) => {
      const pieces = (words + closing).match(pieceOfSentence) ?? [];
      return pieces.map((piece, index) => ({ text: piece, endsSentence: index === pieces.length - 1 }));
    });
