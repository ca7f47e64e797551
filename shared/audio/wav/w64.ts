import { type ChunkShape, findChunks } from "../blocks/chunks.ts";
import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import { asBuffer, uint64LittleEndian } from "../reading/bytes.ts";
import { chosenReader } from "../reading/container.ts";
import { waveReader } from "./wav-reader.ts";
import { maxFormatChunkBytes, parseWavFormat, type WavLayout } from "./wav-structure.ts";

/** Sony's Wave64: WAV whose chunks have names of 16 bytes, of which the first four say what they are, and long sizes. */
const riff = Buffer.from("riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0", "latin1");
const guidEnd = Buffer.from("\xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a", "latin1");
const guidBytes = 16;
const chunkHeadBytes = 24;
const fileHeadBytes = 40;

export const isW64 = (head: Uint8Array): boolean => asBuffer(head).subarray(0, guidBytes).equals(riff);

const chunkShape: ChunkShape = {
  headBytes: chunkHeadBytes,
  alignment: 8,
  parse: (head) => ({
    id: asBuffer(head).toString("latin1", 0, 4),
    // A size counts the head.
    length: uint64LittleEndian(head, guidBytes) - chunkHeadBytes,
  }),
};

const readLayout = async (window: SourceWindow): Promise<WavLayout> => {
  const chunks = await findChunks(window, fileHeadBytes, chunkShape, ["fmt ", "data"]);
  const [description, data] = [chunks.get("fmt "), chunks.get("data")];
  if (!description || !data)
    throw new UnreadableAudioError("The Wave64 file is damaged or cut off: it contains no audio.");
  const length = Math.max(0, Math.min(description.length, maxFormatChunkBytes));
  return {
    format: parseWavFormat(await window.read(description.start, length)),
    dataStart: data.start,
    dataBytes: data.length > 0 ? data.length : undefined,
  };
};

const chunkOf = (id: string, content: Uint8Array, length = content.length): Buffer => {
  const head = Buffer.alloc(chunkHeadBytes);
  head.write(id, "latin1");
  guidEnd.copy(head, 4);
  head.writeBigUInt64LE(BigInt(chunkHeadBytes + length), guidBytes);
  return Buffer.concat([head, content, Buffer.alloc(-content.length & 7)]);
};

/** Longer than any file, for a length that is unknown. */
const unknownBytes = 2 ** 48;

const writeHead = ({ format }: WavLayout, dataBytes = unknownBytes): Uint8Array => {
  const chunks = [chunkOf("fmt ", format.chunk), chunkOf("data", new Uint8Array(0), dataBytes)];
  const content = Buffer.concat(chunks);
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(fileHeadBytes + content.length + dataBytes));
  return Buffer.concat([riff, size, Buffer.from("wave"), guidEnd, content]);
};

export const w64Reader = chosenReader(async ({ window }) => waveReader(await readLayout(window), writeHead));
