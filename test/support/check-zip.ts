import { execFile } from "node:child_process";
import { open } from "node:fs/promises";
import { promisify } from "node:util";
import { crc32, inflateRawSync } from "node:zlib";

const run = promisify(execFile);

/** Programs by others that read every file of an archive and compare its checksum. */
const programs = [
  { command: "unzip", args: ["-tqq"] },
  { command: "python3", args: ["-m", "zipfile", "-t"] },
] as const;

/** A file of an archive, as the directory at its end describes it. */
interface ZipFile {
  readonly name: string;
  readonly size: number;
  /** Reads the content. @throws Error when the checksum is another one. */
  read(): Promise<Buffer>;
}

/** An archive, read without the library that wrote it. */
export interface OpenedZip {
  readonly files: readonly ZipFile[];
  close(): Promise<void>;
}

const endBytes = 22;

/** Opens an archive without a comment. @throws Error when its directory is broken. */
export const openZip = async (path: string): Promise<OpenedZip> => {
  const file = await open(path);
  const { size } = await file.stat();
  const read = async (start: number, length: number): Promise<Buffer> =>
    (await file.read(Buffer.alloc(length), 0, length, start)).buffer;
  const end = await read(size - endBytes, endBytes);
  if (end.readUInt32LE(0) !== 0x06_05_4b_50) throw new Error("The archive has no end.");
  const directory = await read(end.readUInt32LE(16), end.readUInt32LE(12));
  const files: ZipFile[] = [];
  for (let at = 0; at < directory.length; ) {
    if (directory.readUInt32LE(at) !== 0x02_01_4b_50) throw new Error("The directory is broken.");
    const [method, sum] = [directory.readUInt16LE(at + 10), directory.readUInt32LE(at + 16)];
    const [packed, whole] = [directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 24)];
    const [named, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
    const start = directory.readUInt32LE(at + 42);
    const name = directory.toString("utf8", at + 46, at + 46 + (named ?? 0));
    files.push({
      name,
      size: whole,
      read: async () => {
        const header = await read(start, 30);
        const content = start + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
        const bytes = await read(content, packed);
        const unpacked = method === 0 ? bytes : inflateRawSync(bytes);
        if (unpacked.length === whole && crc32(unpacked) === sum) return unpacked;
        throw new Error(`The content of ${name} is broken.`);
      },
    });
    at += 46 + (named ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  if (files.length !== end.readUInt16LE(10)) throw new Error("The directory is not complete.");
  return { files, close: () => file.close() };
};

/**
 * Reads every file of an archive and compares its checksum: with the first program that this machine has, otherwise with Node's
 * own decompression.
 *
 * @throws Error when one is broken.
 */
export const checkZip = async (path: string, { files }: OpenedZip): Promise<void> => {
  for (const { command, args } of programs) {
    try {
      const { stdout } = await run(command, [...args, path]);
      if (/corrupt/i.test(stdout)) throw new Error(stdout);
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  for (const file of files) await file.read();
};
