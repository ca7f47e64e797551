import type { ForeignFile } from "./reading/audio-errors.ts";
import { hasText, textAt } from "./reading/bytes.ts";

/** Bytes at an offset, written as text of one character a byte. */
interface Signature extends ForeignFile {
  readonly magic: string;
  readonly offset?: number;
}

/** Files that people often send by mistake, by their first bytes. The first match counts. */
const signatures: readonly Signature[] = [
  { magic: "\x89PNG\r\n\x1a\n", mediaType: "image/png", name: "a PNG image" },
  { magic: "\xff\xd8\xff", mediaType: "image/jpeg", name: "a JPEG image" },
  { magic: "GIF8", mediaType: "image/gif", name: "a GIF image" },
  { magic: "WEBP", offset: 8, mediaType: "image/webp", name: "a WebP image" },
  { magic: "II*\0", mediaType: "image/tiff", name: "a TIFF image" },
  { magic: "MM\0*", mediaType: "image/tiff", name: "a TIFF image" },
  { magic: "ftypheic", offset: 4, mediaType: "image/heic", name: "a HEIC image" },
  { magic: "ftypheix", offset: 4, mediaType: "image/heic", name: "a HEIC image" },
  { magic: "ftypmif1", offset: 4, mediaType: "image/heif", name: "a HEIF image" },
  { magic: "ftypmsf1", offset: 4, mediaType: "image/heif", name: "a HEIF image" },
  { magic: "ftypavif", offset: 4, mediaType: "image/avif", name: "an AVIF image" },
  { magic: "%PDF-", mediaType: "application/pdf", name: "a PDF document" },
  { magic: "PK\x03\x04", mediaType: "application/zip", name: "a ZIP archive or an office document" },
  { magic: "PK\x05\x06", mediaType: "application/zip", name: "an empty ZIP archive" },
  { magic: "\x1f\x8b", mediaType: "application/gzip", name: "a gzip archive" },
  { magic: "7z\xbc\xaf\x27\x1c", mediaType: "application/x-7z-compressed", name: "a 7-Zip archive" },
  { magic: "Rar!\x1a\x07", mediaType: "application/vnd.rar", name: "a RAR archive" },
  { magic: "\xfd7zXZ\0", mediaType: "application/x-xz", name: "an XZ archive" },
  { magic: "BZh", mediaType: "application/x-bzip2", name: "a bzip2 archive" },
  { magic: "(\xb5/\xfd", mediaType: "application/zstd", name: "a Zstandard archive" },
  { magic: "\x7fELF", mediaType: "application/x-executable", name: "a program" },
  { magic: "MZ", mediaType: "application/vnd.microsoft.portable-executable", name: "a Windows program" },
  { magic: "SQLite format 3\0", mediaType: "application/vnd.sqlite3", name: "a SQLite database" },
  {
    magic: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    mediaType: "application/x-cfb",
    name: "an old office document",
  },
  { magic: "\0asm", mediaType: "application/wasm", name: "a WebAssembly program" },
  { magic: "wOFF", mediaType: "font/woff", name: "a font" },
  { magic: "wOF2", mediaType: "font/woff2", name: "a font" },
  { magic: "AVI ", offset: 8, mediaType: "video/x-msvideo", name: "an AVI video" },
  { magic: "FLV\x01", mediaType: "video/x-flv", name: "a Flash video" },
  { magic: "\0\0\x01\xba", mediaType: "video/mpeg", name: "an MPEG video" },
  { magic: "\0\0\x01\xb3", mediaType: "video/mpeg", name: "an MPEG video" },
  { magic: "0&\xb2u\x8ef\xcf\x11", mediaType: "audio/x-ms-wma", name: "a Windows Media file" },
  { magic: "#!AMR", mediaType: "audio/amr", name: "an AMR file of several channels" },
  { magic: "#EXTM3U", mediaType: "application/mpegurl", name: "a playlist" },
  { magic: "MThd", mediaType: "application/x-midi", name: "a MIDI file" },
  { magic: "RIFX", mediaType: "audio/x-rifx", name: "a big-endian WAV file" },
  { magic: "NIST_1A", mediaType: "audio/x-nist", name: "a NIST Sphere file" },
  { magic: "\x02dss", mediaType: "audio/x-dss", name: "a DSS dictation" },
  { magic: "\x03dss", mediaType: "audio/x-dss", name: "a DSS dictation" },
  { magic: "\x03ds2", mediaType: "audio/x-dss", name: "a DS2 dictation" },
  { magic: "Speex   ", offset: 28, mediaType: "audio/x-speex", name: "a Speex file" },
  { magic: "MAC ", mediaType: "audio/x-ape", name: "a Monkey's Audio file" },
  { magic: "wvpk", mediaType: "audio/x-wavpack", name: "a WavPack file" },
  { magic: ".RMF", mediaType: "audio/x-pn-realaudio", name: "a RealMedia file" },
  { magic: ".ra\xfd", mediaType: "audio/x-pn-realaudio", name: "a RealAudio file" },
];

const transportPacketBytes = 188;
const syncByte = 0x47;

const isTransportStream = (head: Uint8Array): boolean =>
  [0, 1, 2, 3].every((packet) => head[packet * transportPacketBytes] === syncByte);

/** The kind of file that starts with these bytes, if it is one that is often sent by mistake. */
export const recogniseForeignFile = (head: Uint8Array): ForeignFile | undefined =>
  head.length === 0
    ? { mediaType: "application/x-empty", name: "empty" }
    : isTransportStream(head)
      ? { mediaType: "audio/mp2t", name: "an MPEG transport stream" }
      : signatures.find(({ magic, offset = 0 }) => hasText(head, offset, magic));

/** The kind of text that starts with these bytes, if it is text. Checked last, because text has no signature. */
export const recogniseText = (head: Uint8Array): ForeignFile | undefined => {
  if (!isText(head)) return undefined;
  const start = textAt(head, 0, 256)
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()
    .toLowerCase();
  if (/^<(!doctype html|html|head|body)/.test(start)) return { mediaType: "text/html", name: "a web page" };
  if (start.startsWith("<svg")) return { mediaType: "image/svg+xml", name: "an SVG image" };
  if (start.startsWith("<?xml")) return { mediaType: "application/xml", name: "an XML document" };
  if (/^[{[]/.test(start)) return { mediaType: "application/json", name: "a JSON document" };
  return { mediaType: "text/plain", name: "text" };
};

/** UTF-8 without control characters; the last character may be cut off. */
const isText = (head: Uint8Array): boolean => {
  if (head.some((byte) => byte < 0x20 && !(byte >= 0x07 && byte <= 0x0d) && byte !== 0x1b)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
};
