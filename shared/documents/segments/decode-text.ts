import { UnreadableDocument } from "./unreadable-document.ts";

/** The text of a file, and how it is written again. */
export interface DecodedText {
  /** Without a byte order mark. */
  readonly text: string;
  /** Returns a changed text in the encoding of the file; in UTF-8, with that name in its declaration, where it does not fit. */
  readonly encode: (text: string) => Uint8Array;
}

/** Where files name their encoding: in XML, HTML and gettext. The first group is before the name, the second one is the name. */
const declarations: readonly RegExp[] = [
  /^(\s*<\?xml\b[^>]*?\bencoding\s*=\s*["'])([\w.:-]+)/i,
  /(<meta\b[^>]*?\bcharset\s*=\s*["']?)([\w.:-]+)/i,
  /(^(?:msgstr[ \t]*)?"(?:[^"\n]*\\n)?Content-Type:[^"\n]*?\bcharset=)([\w.:-]+)/im,
];

/** A declaration is near the start of a file. */
const declaredLength = 4_096;

const findDeclaration = (text: string): RegExp | undefined =>
  declarations.find((declaration) => declaration.test(text.slice(0, declaredLength)));

const marks: readonly (readonly [string, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** Returns the name of an encoding as decoders know it; `undefined` for one that they do not. */
const knownEncoding = (label: string | undefined): string | undefined => {
  try {
    return label === undefined ? undefined : new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
};

/** Half of the bytes of a Latin text in UTF-16 are zero. */
const unmarkedEncoding = (bytes: Uint8Array): string | undefined => {
  const beginning = bytes.subarray(0, declaredLength);
  const zeros = [0, 0];
  for (const [index, byte] of beginning.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (Math.max(even, odd) < beginning.length / 5) return undefined;
  return even > odd ? "utf-16be" : "utf-16le";
};

/** What no decoder reads: its first characters have three bytes that are zero, or such a mark. */
const isUtf32 = (bytes: Uint8Array): boolean => {
  const beginning = Array.from(bytes.subarray(0, 8), (byte) => (byte === 0 ? "0" : "x")).join("");
  return /^(?:x000x000|000x000x|00xx000x|xx00x000)/.test(beginning);
};

/** What begins Japanese characters in ISO-2022-JP, all of whose bytes are also ASCII. */
const japanese = ["\u001B$B", "\u001B$@"];

/** What templates of gettext have for the name of an encoding. */
const emptyName = "CHARSET";

/** An encoding as decoders know it, and as a file calls it. */
interface FoundEncoding {
  readonly name: string;
  readonly isDeclared: boolean;
  readonly label?: string | undefined;
}

const encodingOf = (bytes: Uint8Array): FoundEncoding => {
  const marked = marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
  if (marked) return { name: marked, isDeclared: true };
  const unmarked = unmarkedEncoding(bytes);
  if (unmarked) return { name: unmarked, isDeclared: false };
  const beginning = Buffer.from(bytes.subarray(0, declaredLength)).toString("latin1");
  const label = findDeclaration(beginning)?.exec(beginning)?.[2];
  const known = knownEncoding(label);
  if (label === undefined && japanese.some((begin) => beginning.includes(begin)))
    return { name: "iso-2022-jp", isDeclared: true };
  // What names UTF-16 and was read up to here has one byte for a character.
  return known && !known.startsWith("utf-16")
    ? { name: known, isDeclared: true, label }
    : { name: "utf-8", isDeclared: label !== undefined && !known && label !== emptyName };
};

const decode = (bytes: Uint8Array, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** Above this share of letters with accents, a text is not in Windows-1252. Those of French are 4%. */
const maxAccents = 0.15;

/** Returns a text in Windows-1252 that no declaration names: when all of it are words of a language with Latin letters. */
const decodeWindows = (bytes: Uint8Array): string | undefined => {
  const text = decode(bytes, "windows-1252");
  if (text === undefined || /(?![\t\n\f\r])\p{Cc}/u.test(text)) return undefined;
  const accents = text.match(/[\u00C0-\u00FF\u0152-\u017E\u0192]/g)?.length ?? 0;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return accents <= maxAccents * letters ? text : undefined;
};

/** The names of encodings that browsers, and no others, take for Windows-1252, with the last character that they have. */
const narrowNames: readonly (readonly [RegExp, string])[] = [
  [/^(?:us-)?ascii$|^ansi_x3/i, "\u007F"],
  [/8859-?1$|^latin-?1$|^l1$/i, "\u00FF"],
];

/** Encodings with two bytes for some characters, without states. */
const twoByteNames = new Set(["shift_jis", "gbk", "gb18030", "big5", "euc-kr", "euc-jp"]);

/** Returns the bytes of each character of an encoding, of those with one byte or two. */
const charactersOf = (encoding: string): ReadonlyMap<string, readonly number[]> => {
  const decoder = new TextDecoder(encoding);
  const characters = new Map<string, readonly number[]>();
  const add = (...bytes: readonly number[]): void => {
    const character = decoder.decode(Uint8Array.from(bytes));
    if (!character.includes("\uFFFD") && !characters.has(character)) characters.set(character, bytes);
  };
  for (let byte = 0; byte < 256; byte += 1) add(byte);
  if (!twoByteNames.has(encoding)) return characters;
  for (let lead = 0x81; lead < 0xff; lead += 1) {
    for (let trail = 0x40; trail < 0xff; trail += 1) add(lead, trail);
  }
  return characters;
};

/** Returns the bytes of a text in an encoding; `undefined` when the text does not fit. */
const encodeBytes = (text: string, encoding: string): Uint8Array | undefined => {
  if (encoding === "iso-2022-jp") return undefined;
  const characters = charactersOf(encoding);
  const encoded: number[] = [];
  for (const character of text) {
    const bytes = characters.get(character);
    if (bytes === undefined) return undefined;
    for (const byte of bytes) encoded.push(byte);
  }
  return Uint8Array.from(encoded);
};

const encodeText = (text: string, { name, label = "" }: FoundEncoding, source: string): Uint8Array => {
  if (name === "utf-8") return new TextEncoder().encode(text);
  if (name === "utf-16le") return Buffer.from(text, "utf16le");
  if (name === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  const last = narrowNames.find(([names]) => names.test(label))?.[1];
  const known = new Set(last === undefined ? [] : source);
  const fits = last === undefined || Array.from(text).every((each) => each <= last || known.has(each));
  const encoded = fits ? encodeBytes(text, name) : undefined;
  if (encoded) return encoded;
  const declaration = findDeclaration(text);
  return new TextEncoder().encode(declaration ? text.replace(declaration, "$1UTF-8") : text);
};

/** Decodes the text of a file. @throws UnreadableDocument for one that is not in the encoding that it declares, by default UTF-8. */
export const decodeDocument = (bytes: Uint8Array): DecodedText => {
  if (isUtf32(bytes)) {
    throw new UnreadableDocument(
      "The document is encoded in UTF-32, which is not supported. Save it in UTF-8.",
    );
  }
  const found = encodingOf(bytes);
  const { name, isDeclared } = found;
  const declared = decode(bytes, name);
  const decoded = declared ?? (isDeclared ? undefined : decodeWindows(bytes));
  if (decoded === undefined) {
    throw new UnreadableDocument(
      name.startsWith("utf-")
        ? "The document is not encoded in UTF-8."
        : `The document is not encoded in ${name}, as it says. Save it in UTF-8.`,
    );
  }
  const encoding = declared === undefined ? { ...found, name: "windows-1252" } : found;
  const mark = decoded.startsWith("\uFEFF") ? "\uFEFF" : "";
  return { text: decoded.slice(mark.length), encode: (text) => encodeText(mark + text, encoding, decoded) };
};
