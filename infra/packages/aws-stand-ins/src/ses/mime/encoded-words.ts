import { decodeCharset, decodeHexEscapes } from "./transfer-encoding.ts";

const WORD = /=\?([^?\s]+)\?([BQ])\?([^?\s]*)\?=/gi;
const RUN_OF_WORDS = /=\?[^?\s]+\?[BQ]\?[^?\s]*\?=(?:\s+=\?[^?\s]+\?[BQ]\?[^?\s]*\?=)*/gi;

const wordBytes = (encoding: string, text: string): Buffer =>
  encoding.toUpperCase() === "B" ? Buffer.from(text, "base64") : decodeHexEscapes(text.replaceAll("_", " "));

// RFC 2231 lets a language follow the charset: "utf-8*lug".
const charsetOf = (label: string): string => (label.split("*")[0] ?? label).toLowerCase();

// Neighbours of one charset are joined before they are decoded: senders do split a character between two words.
const decodeRun = (run: string): string => {
  let decoded = "";
  let charset = "utf-8";
  let bytes: Buffer[] = [];
  for (const [, label = "", encoding = "", text = ""] of run.matchAll(WORD)) {
    if (charsetOf(label) !== charset) {
      decoded += decodeCharset(Buffer.concat(bytes), charset);
      charset = charsetOf(label);
      bytes = [];
    }
    bytes.push(wordBytes(encoding, text));
  }
  return decoded + decodeCharset(Buffer.concat(bytes), charset);
};

/** Decodes the encoded words of a header value (RFC 2047); white space between two of them is not part of the text. */
export const decodeEncodedWords = (value: string): string => value.replace(RUN_OF_WORDS, decodeRun);
