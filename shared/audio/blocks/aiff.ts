import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import { hasText, textAt, uint16BigEndian, uint32BigEndian } from "../reading/bytes.ts";
import { chosenReader } from "../reading/container.ts";
import { type BlockFile, blockReader, blocksOf, checkBlocks } from "./block-reader.ts";
import { type ChunkShape, findChunks } from "./chunks.ts";

/** AIFF and AIFF-C, whose numbers have their highest byte first. */
export const isAiff = (head: Uint8Array): boolean =>
  hasText(head, 0, "FORM") && (hasText(head, 8, "AIFF") || hasText(head, 8, "AIFC"));

const chunkShape: ChunkShape = {
  headBytes: 8,
  alignment: 2,
  parse: (head) => ({ id: textAt(head, 0, 4), length: uint32BigEndian(head, 4) }),
};

const fileHeadBytes = 12;
const minCommonBytes = 18;
const maxCommonBytes = 512;
/** An offset and a size of blocks, which no writer uses. */
const dataHeadBytes = 8;

const readAiff = async (window: SourceWindow): Promise<BlockFile> => {
  const type = textAt(await window.read(0, fileHeadBytes), 8, 4);
  const chunks = await findChunks(window, fileHeadBytes, chunkShape, ["COMM", "SSND"]);
  const [description, data] = [chunks.get("COMM"), chunks.get("SSND")];
  const common = description
    ? await window.read(description.start, Math.min(description.length, maxCommonBytes))
    : new Uint8Array(0);
  if (!data || common.length < minCommonBytes)
    throw new UnreadableAudioError("The AIFF file is damaged or cut off: it contains no audio.");
  const channels = uint16BigEndian(common, 0);
  const encoding = type === "AIFC" ? textAt(common, minCommonBytes, 4) : "NONE";
  const skipped = dataHeadBytes + uint32BigEndian(await window.read(data.start, dataHeadBytes), 0);
  const file: BlockFile = {
    ...blocksOf(encoding, { channels, bitsPerSample: uint16BigEndian(common, 6), kind: "AIFF" }),
    sampleRate: Math.round(extendedValue(common, 8)),
    channels,
    dataStart: data.start + skipped,
    // Writers that cannot go back leave it at zero.
    dataBytes: data.length > skipped ? data.length - skipped : undefined,
    writeHead: (dataBytes, blocks) => writeHead(type, common, dataBytes, blocks),
  };
  return checkBlocks(file, "AIFF");
};

/** A number of 80 bits: sign and exponent, then 64 bits with the one before the point. */
const extendedValue = (bytes: Uint8Array, offset: number): number =>
  uint32BigEndian(bytes, offset + 2) * 2 ** ((uint16BigEndian(bytes, offset) & 0x7fff) - 16_383 - 31);

/** The date of the format, which AIFF-C requires. */
const version = Buffer.from("FVER\0\0\0\x04\xa2\x80\x51\x40", "latin1");

const writeHead = (type: string, common: Uint8Array, dataBytes: number, blocks: number): Uint8Array => {
  const description = Buffer.from(common);
  description.writeUInt32BE(blocks, 2);
  const parts = [
    Buffer.from(type, "latin1"),
    ...(type === "AIFC" ? [version] : []),
    chunkHead("COMM", description.length),
    description,
    Buffer.alloc(description.length % 2),
    chunkHead("SSND", dataHeadBytes + dataBytes),
    Buffer.alloc(dataHeadBytes),
  ];
  const content = Buffer.concat(parts);
  return Buffer.concat([chunkHead("FORM", content.length + dataBytes + (dataBytes % 2)), content]);
};

const chunkHead = (id: string, length: number): Buffer => {
  const head = Buffer.alloc(8);
  head.write(id, "latin1");
  head.writeUInt32BE(length, 4);
  return head;
};

export const aiffReader = chosenReader(async ({ window }) => blockReader(await readAiff(window)));
