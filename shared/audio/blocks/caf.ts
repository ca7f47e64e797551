import { decoderConfigurationIn } from "../mp4/sample-description.ts";
import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import { asBuffer, hasText, textAt, uint32BigEndian } from "../reading/bytes.ts";
import { chosenReader } from "../reading/container.ts";
import { type BlockFile, blockReader, blocksOf, checkBlocks, checkNumbers } from "./block-reader.ts";
import { type CafPackets, packetReader } from "./caf-packets.ts";
import { type Chunk, type ChunkShape, findChunks } from "./chunks.ts";

/** Apple's Core Audio Format. */
export const isCaf = (head: Uint8Array): boolean => hasText(head, 0, "caff");

const chunkShape: ChunkShape = {
  headBytes: 12,
  alignment: 1,
  parse(head) {
    const length = asBuffer(head).readBigInt64BE(4);
    return { id: textAt(head, 0, 4), length: length < 0n ? Number.POSITIVE_INFINITY : Number(length) };
  },
};

const fileHead = Buffer.from("caff\0\x01\0\0", "latin1");
const descriptionBytes = 32;
/** A count of edits precedes the audio. */
const editBytes = 4;
const floatFlag = 1;

const maxCookieBytes = 1 << 16;
const tableHeadBytes = 24;

/** Encodings whose packets may differ in size, by their names here. */
const packetCodecs: ReadonlyMap<string, string> = new Map([
  ["aac ", "aac"],
  ["aach", "aac"],
  ["aacp", "aac"],
  ["alac", "alac"],
  ["opus", "opus"],
  ["samr", "amr"],
  [".mp3", "mp3"],
]);

const chunkHead = (id: string, length: number): Buffer => {
  const head = Buffer.alloc(chunkShape.headBytes);
  head.write(id, "latin1");
  head.writeBigInt64BE(BigInt(length), 4);
  return head;
};

/** What precedes the audio. @param others chunks before it */
const writeHead = (description: Buffer, dataBytes: number, ...others: readonly Buffer[]): Buffer =>
  Buffer.concat([
    fileHead,
    chunkHead("desc", descriptionBytes),
    description,
    ...others,
    chunkHead("data", editBytes + dataBytes),
    Buffer.alloc(editBytes),
  ]);

/** The start of a file. */
interface CafHead {
  /** The content of its first chunk. */
  readonly description: Buffer;
  readonly sampleRate: number;
  readonly channels: number;
  readonly data: Chunk;
}

const blockFile = ({ description, sampleRate, channels, data }: CafHead): BlockFile => {
  const encoding = textAt(description, 8, 4);
  const blocks = blocksOf(encoding, {
    channels,
    bitsPerSample: uint32BigEndian(description, 28),
    kind: "CAF",
  });
  const isFloat = encoding === "lpcm" && (uint32BigEndian(description, 12) & floatFlag) !== 0;
  return {
    ...blocks,
    codec: isFloat ? "float" : blocks.codec,
    // Samples of 24 bits may take four bytes.
    blockBytes: uint32BigEndian(description, 16) || blocks.blockBytes,
    sampleRate,
    channels,
    dataStart: data.start,
    dataBytes: Number.isFinite(data.length) ? data.length : undefined,
    writeHead: (dataBytes) => writeHead(description, dataBytes),
  };
};

/** What a decoder is configured with, in the form of its codec. */
const configurationIn = (codec: string, cookie: Uint8Array): Uint8Array => {
  if (codec === "aac") return decoderConfigurationIn(cookie)?.specific ?? new Uint8Array(0);
  // Older writers put it into a box, behind one with the name of the format.
  return textAt(cookie, 4, 4) === "frma" ? cookie.subarray(24) : cookie;
};

const packetFile = async (
  window: SourceWindow,
  { description, sampleRate, channels, data }: CafHead,
  codec: string,
): Promise<CafPackets> => {
  const chunks = await findChunks(window, fileHead.length, chunkShape, ["pakt", "kuki"]);
  const [table, kuki] = [chunks.get("pakt"), chunks.get("kuki")];
  if (!table) throw new UnreadableAudioError("The CAF file is damaged: nothing lists its packets.");
  const head = asBuffer(await window.read(table.start, tableHeadBytes));
  const cookie = kuki
    ? await window.read(kuki.start, Math.min(kuki.length, maxCookieBytes))
    : Buffer.alloc(0);
  const cookieChunk = kuki ? [chunkHead("kuki", cookie.length), Buffer.from(cookie)] : [];
  return {
    codec,
    sampleRate,
    channels,
    configuration: configurationIn(codec, cookie),
    bytesPerPacket: uint32BigEndian(description, 16),
    samplesPerPacket: uint32BigEndian(description, 20),
    priming: Math.min(uint32BigEndian(head, 16), sampleRate),
    validSamples: uint32BigEndian(head, 8) === 0 ? uint32BigEndian(head, 12) : 0,
    table: { start: table.start + tableHeadBytes, length: table.length - tableHeadBytes },
    data,
    writeHead({ numbers, packets, samples, priming }, dataBytes) {
      const written = Buffer.alloc(tableHeadBytes);
      written.writeBigInt64BE(BigInt(packets), 0);
      written.writeBigInt64BE(BigInt(Math.max(0, samples)), 8);
      written.writeInt32BE(priming, 16);
      const content = Buffer.concat([written, numbers]);
      return writeHead(description, dataBytes, ...cookieChunk, chunkHead("pakt", content.length), content);
    },
  };
};

export const cafReader = chosenReader(async ({ window }) => {
  const chunks = await findChunks(window, fileHead.length, chunkShape, ["desc", "data"]);
  const [found, data] = [chunks.get("desc"), chunks.get("data")];
  const description = Buffer.from(found ? await window.read(found.start, descriptionBytes) : []);
  if (!data || description.length < descriptionBytes)
    throw new UnreadableAudioError("The CAF file is damaged or cut off: it contains no audio.");
  const head: CafHead = {
    description,
    sampleRate: Math.round(description.readDoubleBE(0)),
    channels: uint32BigEndian(description, 24),
    data: { start: data.start + editBytes, length: data.length - editBytes },
  };
  const codec = packetCodecs.get(textAt(description, 8, 4));
  if (!codec) return blockReader(checkBlocks(blockFile(head), "CAF"));
  checkNumbers(head, "CAF");
  return packetReader(await packetFile(window, head, codec));
});
