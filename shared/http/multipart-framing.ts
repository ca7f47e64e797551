/**
 * What this check is for: the multipart middleware reads a body with a stream parser, and some bodies make that
 * parser throw where nothing can catch it, which ends the process (a part that is cut off before its closing
 * boundary; a plain field followed by a list field of the same name, `a`, then `a[]`), or never come to an end (a
 * part whose blank line runs into the next boundary). A body is therefore looked at as a whole first, by the framing rules of RFC 2046 section 5.1.1 and RFC 7578, and only a complete and
 * consistent one goes on.
 */

/** A body that must not reach the parser, with the sentence for the caller. */
export class FramingError extends Error {
  override readonly name = "FramingError";
}

const maximumParts = 32;
const maximumHeaderBytes = 4_096;

const boundaryParameter = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i;
const nameParameter = /;\s*name=(?:"((?:[^"\\\r\n]|\\.)*)"|([^\s;"]+))/i;

const boundaryOf = (contentType: string | undefined): string => {
  if (!contentType || !/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new FramingError("The body must be multipart/form-data.");
  }
  const match = boundaryParameter.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (!boundary) throw new FramingError("The content type names no boundary.");
  return boundary;
};

/** The name of the field a part carries; every part must have one (RFC 7578, section 4.2). */
const fieldName = (headers: string): string => {
  const disposition = headers.split("\r\n").find((line) => /^content-disposition:\s*form-data\b/i.test(line));
  const match = disposition && nameParameter.exec(disposition);
  const name = match ? (match[1] ?? match[2]) : undefined;
  if (!name || name.length > 100) throw new FramingError("A part has no usable field name.");
  return name;
};

const baseName = (name: string): string => name.replace(/\[[^[\]]*\]$/, "");

/**
 * Lets a complete multipart body pass and refuses every other one.
 *
 * @throws FramingError with a sentence for the caller.
 */
export const checkMultipartFraming = (contentType: string | undefined, body: Buffer): void => {
  const delimiter = Buffer.from(`--${boundaryOf(contentType)}`, "latin1");
  const separator = Buffer.concat([Buffer.from("\r\n"), delimiter]);
  const plain = new Set<string>();
  const lists = new Set<string>();

  if (!body.subarray(0, delimiter.length).equals(delimiter)) {
    throw new FramingError("The body does not start with its boundary.");
  }
  let position = delimiter.length;
  for (let parts = 0; ; parts += 1) {
    const next = body.toString("latin1", position, position + 2);
    if (next === "--") break;
    if (next !== "\r\n") throw new FramingError("A boundary is not followed by a line break.");
    if (parts === maximumParts) throw new FramingError(`The body has more than ${maximumParts} parts.`);

    const end = body.indexOf(separator, position);
    const headersEnd = body.indexOf("\r\n\r\n", position);
    if (end < 0) throw new FramingError("The body ends before its closing boundary; was the upload cut off?");
    if (headersEnd < 0 || headersEnd + 4 > end || headersEnd - position > maximumHeaderBytes) {
      throw new FramingError("A part has no complete headers.");
    }
    const name = fieldName(body.toString("latin1", position + 2, headersEnd));
    (name.endsWith("]") ? lists : plain).add(baseName(name));
    position = end + separator.length;
  }
  for (const name of lists) {
    if (plain.has(name)) throw new FramingError("A field is sent both as one value and as a list.");
  }
};
