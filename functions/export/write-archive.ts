import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import type { ObjectWriter } from "../../shared/platform/storage/object-store.ts";

/** A file of an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Audio is compressed already. */
  readonly isCompressed: boolean;
}

/**
 * Writes a ZIP archive, entry by entry, in flat memory.
 *
 * @returns its size in bytes.
 * @throws what an entry or the writer throws; then nothing is stored.
 */
export const writeArchive = async (
  entries: AsyncIterable<ArchiveEntry>,
  writer: ObjectWriter,
): Promise<number> => {
  const failures: Error[] = [];
  let written: Uint8Array[] = [];
  let size = 0;
  const zip = new Zip((error, bytes) => {
    if (error) failures.push(error);
    else written.push(bytes);
  });
  const flush = async (): Promise<void> => {
    const [failure] = failures;
    if (failure) throw failure;
    const pieces = written;
    written = [];
    for (const piece of pieces) {
      size += piece.length;
      await writer.write(piece);
    }
  };
  try {
    for await (const { name, content, isCompressed } of entries) {
      const file = isCompressed ? new ZipPassThrough(name) : new ZipDeflate(name, { level: 6 });
      zip.add(file);
      for await (const bytes of content) {
        file.push(bytes);
        await flush();
      }
      file.push(new Uint8Array(), true);
      await flush();
    }
    zip.end();
    await flush();
    await writer.complete();
  } catch (error) {
    await writer.abort();
    throw error;
  }
  return size;
};
