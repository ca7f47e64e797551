/**
 * Why this check exists: some bodies make the parser throw where nothing can catch the error, which ends the process (a part
 * cut off before its closing boundary; a part without a field name; a field `a`, then a list `a[]`), or never finish (a part
 * whose blank line runs into the next boundary). So a body is first checked by the framing rules of RFC 2046 section 5.1.1
 * and RFC 7578. Headers must match the grammar as a whole, because any difference from the parser could be used to bypass
 * the check.
 */

import { charsetOf, decodeText } from "./decode-text.ts";

export class FramingError extends Error {
  override readonly name = "FramingError";
}

export const maxParts = 32;
const maxHeaderBytes = 4_096;
const maxHeaderLines = 16;

const token = String.raw`[!#$%&'*+.^_\x60|~0-9A-Za-z-]+`;
const quoted = String.raw`"(?:[^"\\\x00-\x1f\x7f]|\\[\x20-\x7e])*"`;
/** Extended parameters (RFC 8187) would be second names for the same thing; only that of a file is one in use. */
const parameterName = String.raw`(?:filename\*|[!#$%&'+.^_\x60|~0-9A-Za-z-]+)`;
/** More than a token: JavaMail writes `boundary=----=_Part_1`. */
const plainValue = String.raw`[!#$%&'()*+./:=?@^_\x60|~0-9A-Za-z-]+`;
const parameter = String.raw`[ \t]*;[ \t]*(${parameterName})=(${quoted}|${plainValue})`;
const everyParameter = new RegExp(parameter, "g");
const withParameters = (value: string): RegExp => new RegExp(`^${value}(?:${parameter})*[ \\t]*;?$`, "i");
const formDataType = withParameters("multipart/form-data");
const formDataDisposition = withParameters("form-data");
/** RFC 9110, section 5: a name, a colon and a value without control characters; folded lines are none. */
const headerLine = new RegExp(String.raw`^(${token}):([\t\x20-\x7e\x80-\xff]*)$`);
/** RFC 2046, section 5.1.1: the characters of a boundary. */
const boundaryText = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;
/** ASCII, with square brackets at the end only: `a` is one value, `a[]` one of a list. */
const fieldNameText = /^([\x20-\x5a\x5e-\x7e]+)(\[[\x20-\x5a\x5e-\x7e]*\])?$/;

/** The values of one parameter of a well-formed header. */
const valuesOf = (header: string, wanted: string): string[] =>
  [...header.matchAll(everyParameter)]
    .filter(([, name]) => name?.toLowerCase() === wanted)
    .map(([, , value = ""]) => (value.startsWith('"') ? value.slice(1, -1) : value));

const boundaryOf = (contentType: string | undefined): string => {
  const header = contentType?.trim() ?? "";
  if (!/^multipart\/form-data\s*(;|$)/i.test(header)) {
    throw new FramingError("The body must be multipart/form-data.");
  }
  if (!formDataType.test(header)) throw new FramingError("The content type is not well formed.");
  const boundaries = valuesOf(header, "boundary");
  if (boundaries.length === 0) throw new FramingError("The content type names no boundary.");
  const [boundary = ""] = boundaries;
  if (boundaries.length > 1 || !boundaryText.test(boundary)) {
    throw new FramingError("The content type names no usable boundary.");
  }
  return boundary;
};

interface FieldName {
  readonly base: string;
  readonly isList: boolean;
}

/** Every part must name a field, once (RFC 7578, section 4.2). */
const fieldNameOf = (headers: string): FieldName => {
  const lines = headers === "" ? [] : headers.split("\r\n");
  if (lines.length > maxHeaderLines) throw new FramingError("A part has too many headers.");
  const dispositions: string[] = [];
  for (const line of lines) {
    const [, name, value] = headerLine.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new FramingError("A part has a malformed header.");
    if (name.toLowerCase() === "content-disposition") dispositions.push(value.trim());
  }
  const [disposition = ""] = dispositions;
  if (dispositions.length > 1 || !formDataDisposition.test(disposition)) {
    throw new FramingError("A part has no well-formed Content-Disposition: form-data header.");
  }
  const names = valuesOf(disposition, "name");
  const [, base, brackets] = fieldNameText.exec(names[0] ?? "") ?? [];
  if (names.length !== 1 || base === undefined || base.length > 100) {
    throw new FramingError("A part has no usable field name.");
  }
  return { base, isList: brackets !== undefined };
};

/** Whether the parser reads a part as a text; the others are files. */
const isText = (headers: string): boolean =>
  !/;[ \t]*filename\*?=/i.test(headers) && !/^content-type:[ \t]*application\/octet-stream/im.test(headers);

/** The charsets that the parser knows. */
const knownCharset = /^(?:utf-?8|us-ascii|ascii|latin1|iso-8859-1|windows-1252)$/i;

const charsetOfPart = (headers: string): string | undefined => {
  const charset = charsetOf(/^content-type:.*$/im.exec(headers)?.[0]);
  if (charset === undefined || knownCharset.test(charset)) return charset;
  throw new FramingError("A text is in a charset that is not known; send UTF-8.");
};

/**
 * Accepts complete multipart bodies and refuses all others.
 *
 * @returns the texts of fields that are one value by their names, in the order of the body.
 * @throws FramingError with a message for the caller; AppError `bad_request` when a text is not UTF-8, or not what its part says.
 */
export const checkMultipartFraming = (
  contentType: string | undefined,
  body: Buffer,
): ReadonlyMap<string, readonly string[]> => {
  const delimiter = Buffer.from(`--${boundaryOf(contentType)}`, "latin1");
  const separator = Buffer.concat([Buffer.from("\r\n"), delimiter]);
  const plain = new Set<string>();
  const lists = new Set<string>();
  const texts = new Map<string, string[]>();

  if (!body.subarray(0, delimiter.length).equals(delimiter)) {
    throw new FramingError("The body does not start with its boundary.");
  }
  let position = delimiter.length;
  for (let parts = 0; ; parts += 1) {
    const next = body.toString("latin1", position, position + 2);
    if (next === "--") break;
    if (next !== "\r\n") throw new FramingError("A boundary is not followed by a line break.");
    if (parts === maxParts) throw new FramingError(`The body has more than ${maxParts} parts.`);

    const end = body.indexOf(separator, position);
    const headersEnd = body.indexOf("\r\n\r\n", position);
    if (end < 0) throw new FramingError("The body ends before its closing boundary; was the upload cut off?");
    if (headersEnd < 0 || headersEnd + 4 > end || headersEnd - position > maxHeaderBytes) {
      throw new FramingError("A part has no complete headers.");
    }
    const headers = body.toString("latin1", position + 2, headersEnd);
    const { base, isList } = fieldNameOf(headers);
    // The parser replaces what is wrong in a text without a word.
    const text = isText(headers)
      ? decodeText(body.subarray(headersEnd + 4, end), charsetOfPart(headers))
      : undefined;
    if (text !== undefined && !isList) texts.set(base, [...(texts.get(base) ?? []), text]);
    (isList ? lists : plain).add(base);
    position = end + separator.length;
  }
  for (const name of lists) {
    if (plain.has(name)) throw new FramingError("A field is sent both as one value and as a list.");
  }
  return texts;
};
