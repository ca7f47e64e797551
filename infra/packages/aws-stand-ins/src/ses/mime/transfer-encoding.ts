/**
 * Undoes a Content-Transfer-Encoding. Bodies are handled as latin1 text, in which one character is one byte, because
 * only the part's own headers say which charset its bytes are in.
 *
 * @param encoding the header's value; what it does not name, or names as `7bit`, `8bit` or `binary`, is taken as it is.
 */
export const decodeTransferEncoding = (body: string, encoding: string): Buffer => {
  switch (encoding.trim().toLowerCase()) {
    case "base64":
      return Buffer.from(body, "base64");
    case "quoted-printable":
      return decodeQuotedPrintable(body);
    default:
      return Buffer.from(body, "latin1");
  }
};

/** The bytes behind `=XX` escapes; text that is not an escape stays. */
export const decodeHexEscapes = (text: string): Buffer =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );

// RFC 2045, section 6.7: white space before a line break was added on the way, and "=" at the end of a line joins it
// to the next.
const decodeQuotedPrintable = (body: string): Buffer =>
  decodeHexEscapes(body.replace(/[ \t]+(?=\r?\n|$)/g, "").replace(/=\r?\n/g, ""));

/** Text in a charset named by its label; an unknown label is read as UTF-8. Line breaks become `\n`. */
export const decodeCharset = (bytes: Uint8Array, charset: string): string => {
  const text = decoderFor(charset).decode(bytes);
  return text.replaceAll("\r\n", "\n");
};

const decoderFor = (charset: string): InstanceType<typeof TextDecoder> => {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder("utf-8");
  }
};
