import { isUtf8 } from "node:buffer";
import { AppError } from "../platform/errors/app-error.ts";

const replacement = "\ufffd";
const byteOrderMark = /^\ufeff/;

/** The error for bytes that are not UTF-8. @param position of the first wrong byte */
export const notUtf8 = (position: number, byte?: number): AppError => {
  const value = byte === undefined ? "" : ` (0x${byte.toString(16).toUpperCase()})`;
  return new AppError("bad_request", {
    message:
      `The text is not UTF-8: the byte at position ${position}${value} is wrong. Send UTF-8, or name the charset in ` +
      "Content-Type.",
  });
};

/** The position of the first byte of a text that is not UTF-8. */
export const firstWrongByte = (bytes: Uint8Array): number => {
  const text = Buffer.from(bytes).toString();
  let position = 0;
  let start = 0;
  for (let found = text.indexOf(replacement); found >= 0; found = text.indexOf(replacement, start)) {
    position += Buffer.byteLength(text.slice(start, found));
    start = found + 1;
    const isSent = bytes[position] === 0xef && bytes[position + 1] === 0xbf && bytes[position + 2] === 0xbd;
    if (!isSent) return position;
    position += 3;
  }
  return bytes.length;
};

/** The charset that a content type names. */
export const charsetOf = (contentType: string | undefined): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? "")?.[1];

const decoderOf = (charset: string) => {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    throw new AppError("bad_request", { message: "The charset in Content-Type is not known. Send UTF-8." });
  }
};

/**
 * The text of some bytes, without a byte order mark.
 * @param charset as the sender names it; UTF-8 by default
 * @throws AppError `bad_request` with the first wrong byte
 */
export const decodeText = (bytes: Uint8Array, charset = "utf-8"): string => {
  if (!/^utf-?8$/i.test(charset)) {
    try {
      return decoderOf(charset).decode(bytes);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError("bad_request", {
        message: `The text is not ${charset}, as its Content-Type says. Send UTF-8.`,
      });
    }
  }
  if (isUtf8(bytes))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .toString()
      .replace(byteOrderMark, "");
  const position = firstWrongByte(bytes);
  throw notUtf8(position, bytes[position]);
};

/**
 * Checks a text that the entry point has decoded. What was not UTF-8 has become U+FFFD there, which has another length. Where
 * the length that was sent is not known, as behind API Gateway, U+FFFD says the same: no one writes it.
 * @param sentBytes by the header Content-Length
 * @throws AppError `bad_request`
 */
export const checkDecoded = (text: string, sentBytes: number | undefined): void => {
  const found = text.indexOf(replacement);
  if (found >= 0 && Buffer.byteLength(text) !== sentBytes) {
    throw notUtf8(Buffer.byteLength(text.slice(0, found)));
  }
};
