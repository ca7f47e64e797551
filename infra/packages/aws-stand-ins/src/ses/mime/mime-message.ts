import { decodeEncodedWords } from "./encoded-words.ts";
import { type Headers, parseParameterisedValue, splitHeaders } from "./headers.ts";
import { decodeCharset, decodeTransferEncoding } from "./transfer-encoding.ts";

/** What a reader of the message would see, without its attachments. */
export interface MimeMessage {
  readonly headers: Headers;
  /** Decoded; empty when there is none. */
  readonly subject: string;
  /** The first plain-text part, empty when there is none. Line breaks are `\n`. */
  readonly text: string;
  /** The first HTML part, empty when there is none. Line breaks are `\n`. */
  readonly html: string;
}

interface Bodies {
  text?: string;
  html?: string;
}

const LEAF_FIELDS: ReadonlyMap<string, keyof Bodies> = new Map([
  ["text/plain", "text"],
  ["text/html", "html"],
]);

/** Parses a message as MIME defines it (RFC 2045 to 2047), as far as {@link MimeMessage} needs. */
export const parseMimeMessage = (message: Uint8Array): MimeMessage => {
  const source = Buffer.from(message).toString("latin1");
  const { headers } = splitHeaders(source);
  const bodies: Bodies = {};
  collectBodies(source, bodies);
  return {
    headers,
    subject: decodeEncodedWords(headers.get("subject") ?? ""),
    text: bodies.text ?? "",
    html: bodies.html ?? "",
  };
};

const collectBodies = (source: string, bodies: Bodies): void => {
  const { headers, body } = splitHeaders(source);
  const { value: type, parameters } = parseParameterisedValue(headers.get("content-type") ?? "text/plain");
  const boundary = parameters.get("boundary");
  if (type.startsWith("multipart/") && boundary !== undefined) {
    for (const part of splitParts(body, boundary)) collectBodies(part, bodies);
    return;
  }
  const field = LEAF_FIELDS.get(type);
  const disposition = parseParameterisedValue(headers.get("content-disposition") ?? "inline").value;
  if (field === undefined || disposition === "attachment") return;
  const bytes = decodeTransferEncoding(body, headers.get("content-transfer-encoding") ?? "7bit");
  bodies[field] ??= decodeCharset(bytes, parameters.get("charset") ?? "utf-8");
};

// What precedes the first delimiter and follows the last is for readers without MIME. The line break before a delimiter
// belongs to the delimiter. A message that ends without its last delimiter still gives the parts it has.
const splitParts = (body: string, boundary: string): string[] => {
  const delimiter = `--${boundary}`;
  const parts: string[][] = [];
  let current: string[] | undefined;
  for (const line of body.split("\n")) {
    const content = line.trimEnd();
    if (content === `${delimiter}--`) break;
    if (content === delimiter) {
      current = [];
      parts.push(current);
    } else {
      current?.push(line);
    }
  }
  return parts.map((lines) => lines.join("\n").replace(/\r$/, ""));
};
