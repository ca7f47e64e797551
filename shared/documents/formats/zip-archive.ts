import { strFromU8, strToU8, Unzip, UnzipInflate, zipSync } from "fflate";
import { UnreadableDocument } from "../segments/unreadable-document.ts";

/** Limits of what is unpacked: text is compressed to about a tenth, a bomb to a thousandth. */
const maxUnpackedBytes = 60 * 1_024 * 1_024;
const maxFiles = 2_000;

/** So much is unpacked at a time, so that a bomb is noticed before it fills the memory. */
const chunkBytes = 16 * 1_024;

/** A file in a ZIP file. */
export interface ZippedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Unpacks a ZIP file.
 *
 * @param damaged returns the error for a file that is damaged, or no ZIP file.
 * @throws UnreadableDocument, also when it unpacks to too much.
 */
export const unpack = (
  zipped: Uint8Array,
  damaged: (cause?: unknown) => UnreadableDocument,
): ZippedFile[] => {
  const files: { readonly name: string; readonly chunks: Uint8Array[]; isComplete: boolean }[] = [];
  let unpacked = 0;
  const unzip = new Unzip((file) => {
    const found: (typeof files)[number] = { name: file.name, chunks: [], isComplete: false };
    files.push(found);
    file.ondata = (error, chunk, isLast) => {
      if (error) throw error;
      found.chunks.push(chunk);
      found.isComplete ||= isLast;
      unpacked += chunk.length;
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  for (let start = 0; start < zipped.length; start += chunkBytes) {
    try {
      unzip.push(zipped.subarray(start, start + chunkBytes), start + chunkBytes >= zipped.length);
    } catch (error) {
      throw damaged(error);
    }
    if (unpacked > maxUnpackedBytes || files.length > maxFiles) {
      throw new UnreadableDocument("The document unpacks to more than 60 MB or 2,000 files.");
    }
  }
  if (files.some(({ isComplete }) => !isComplete)) throw damaged();
  return files.map(({ name, chunks }) => ({ name, bytes: Buffer.concat(chunks) }));
};

/** Returns a ZIP file with some of its texts replaced. All other files in it stay, in their order. */
export const repack = (files: readonly ZippedFile[], texts: ReadonlyMap<string, string>): Uint8Array => {
  const written = files.map(({ name, bytes }): [string, Uint8Array | [Uint8Array, { level: 0 }]] => {
    const text = texts.get(name);
    // Programs read the type of an OpenDocument file without unpacking it.
    if (name === "mimetype") return [name, [bytes, { level: 0 }]];
    return [name, text === undefined ? bytes : strToU8(text)];
  });
  // As Word writes them: without a time, so the same text makes the same file.
  return zipSync(Object.fromEntries(written), { mtime: new Date(1980, 0, 1) });
};

/** Returns the text of a file. */
export const zippedText = ({ bytes }: ZippedFile): string => strFromU8(bytes);
