import { asBuffer, byteAt, uint16BigEndian } from "../reading/bytes.ts";

/** What a FLAC frame's header says (RFC 9639, section 9.1). */
export interface FlacFrame {
  /** Position of its first sample in the stream. */
  readonly firstSample: number;
  /** Of each channel. */
  readonly samples: number;
  /** In hertz; undefined where it is that of the stream. */
  readonly sampleRate: number | undefined;
}

/** What all frames of a file have in common. It distinguishes headers from bytes that look like one by chance. */
export interface FlacFrameShape {
  /** The second byte of every frame: the blocking strategy. */
  readonly secondByte: number;
  /** The samples in each frame but the last, if that number is fixed. */
  readonly fixedSamples: number | undefined;
  readonly sampleRateBits: number;
  readonly sizeBits: number;
}

const syncByte = 0xff;
const fixedBlocks = 0xf8;
const variableBlocks = 0xf9;

/** One to eight channels, or two in one of three combined forms. */
const maxChannelAssignments = 10;

/** The longest header: 4 bytes, a number of 7, a block size and a sample rate of 2 each, and the checksum. */
export const maxFlacHeaderBytes = 16;

/** The shape of the frame at this offset, which must be the file's first. */
export const flacFrameShape = (bytes: Uint8Array, offset: number): FlacFrameShape | undefined => {
  const shape = {
    secondByte: byteAt(bytes, offset + 1),
    fixedSamples: undefined,
    sampleRateBits: byteAt(bytes, offset + 2) & 15,
    sizeBits: byteAt(bytes, offset + 3) & 14,
  };
  const first = parseFlacFrame(bytes, offset, shape);
  if (!first || (shape.secondByte !== fixedBlocks && shape.secondByte !== variableBlocks)) return undefined;
  return shape.secondByte === fixedBlocks ? { ...shape, fixedSamples: first.samples } : shape;
};

/** The header at this offset, if it has this shape and a correct checksum. */
export const parseFlacFrame = (
  bytes: Uint8Array,
  offset: number,
  shape: FlacFrameShape,
): FlacFrame | undefined => {
  const sampleRateBits = byteAt(bytes, offset + 2) & 15;
  const isOfShape = bytes[offset + 1] === shape.secondByte && sampleRateBits === shape.sampleRateBits;
  const isOfSize = (byteAt(bytes, offset + 3) & 15) === shape.sizeBits;
  return isOfShape && isOfSize ? parseAnyFrame(bytes, offset, shape) : undefined;
};

/** The header at this offset, of any blocking strategy and sample rate: decoders accept another in each frame. */
const parseAnyFrame = (bytes: Uint8Array, offset: number, shape: FlacFrameShape): FlacFrame | undefined => {
  const second = byteAt(bytes, offset + 1);
  if (bytes[offset] !== syncByte || (second !== fixedBlocks && second !== variableBlocks)) return undefined;
  const [blockSizeBits, sampleRateBits] = [byteAt(bytes, offset + 2) >> 4, byteAt(bytes, offset + 2) & 15];
  const fourth = byteAt(bytes, offset + 3);
  const sizeBits = fourth & 15;
  const isOfSize = sizeBits === shape.sizeBits || sizeBits === 0;
  if (!isOfSize || fourth >> 4 > maxChannelAssignments || sampleRateBits === 15) return undefined;

  const number = parseCodedNumber(bytes, offset + numberOffset);
  if (!number) return undefined;
  const samples = blockSize(blockSizeBits, bytes, number.end);
  if (samples === 0) return undefined;
  const end = headerEndOf(bytes, offset, number.end);
  if (end >= bytes.length || crc8(bytes, offset, end) !== bytes[end]) return undefined;
  const isNumbered = second === fixedBlocks;
  const firstSample = number.value * (isNumbered ? (shape.fixedSamples ?? 1) : 1);
  return { firstSample, samples, sampleRate: sampleRateOf(bytes, offset, end) };
};

const sampleRates = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
];

const sampleRateOf = (bytes: Uint8Array, offset: number, end: number): number | undefined => {
  const bits = byteAt(bytes, offset + 2) & 15;
  if (bits === 12) return byteAt(bytes, end - 1) * 1_000 || undefined;
  if (bits > 12) return uint16BigEndian(bytes, end - 2) * (bits === 13 ? 1 : 10) || undefined;
  return sampleRates[bits] || undefined;
};

/** A frame, and where it is in some bytes. */
export interface LocatedFlacFrame extends FlacFrame {
  readonly offset: number;
  /** How long it plays: with some decoders at the rate of the stream, with others at its own. */
  readonly seconds: number;
}

/** The frames whose headers start in the first bytes, numbered as they like. @param searched how many bytes */
export function* flacFramesIn(
  bytes: Uint8Array,
  searched: number,
  shape: FlacFrameShape,
  streamRate: number,
): Generator<LocatedFlacFrame, void> {
  const buffer = asBuffer(bytes);
  let offset = buffer.indexOf(syncByte);
  for (; offset >= 0 && offset < searched; offset = buffer.indexOf(syncByte, offset + 1)) {
    const frame = parseAnyFrame(bytes, offset, shape);
    if (!frame) continue;
    const seconds = frame.samples / Math.min(streamRate, frame.sampleRate ?? streamRate);
    yield { ...frame, offset, seconds };
  }
}

/** How long the frames in a packet play; the shape is that of the first. */
export const flacClock = (sampleRate: number): ((packet: Uint8Array) => number) => {
  let shape: FlacFrameShape | undefined;
  return (packet) => {
    shape ??= flacFrameShape(packet, 0);
    let seconds = 0;
    if (shape)
      for (const frame of flacFramesIn(packet, packet.length, shape, sampleRate)) seconds += frame.seconds;
    return seconds;
  };
};

/** The offset of a header's checksum: after the optional fields for block size and sample rate. */
const headerEndOf = (bytes: Uint8Array, offset: number, numberEnd: number): number => {
  const third = byteAt(bytes, offset + 2);
  const [blockSizeBits, sampleRateBits] = [third >> 4, third & 15];
  const blockSizeBytes = blockSizeBits === 6 || blockSizeBits === 7 ? blockSizeBits - 5 : 0;
  if (sampleRateBits === 12) return numberEnd + blockSizeBytes + 1;
  return numberEnd + blockSizeBytes + (sampleRateBits === 13 || sampleRateBits === 14 ? 2 : 0);
};

const blockSize = (bits: number, bytes: Uint8Array, offset: number): number => {
  if (bits === 0) return 0;
  if (bits === 1) return 192;
  if (bits <= 5) return 144 << bits;
  if (bits === 6) return byteAt(bytes, offset) + 1;
  if (bits === 7) return uint16BigEndian(bytes, offset) + 1;
  return 1 << bits;
};

/** A frame or sample number, coded like UTF-8 but up to 36 bits. */
const parseCodedNumber = (
  bytes: Uint8Array,
  offset: number,
): { readonly value: number; readonly end: number } | undefined => {
  const first = byteAt(bytes, offset);
  const length = Math.clz32(~(first << 24));
  if (length === 0) return { value: first, end: offset + 1 };
  if (length === 1 || length > 7) return undefined;
  let value = first & (0x7f >> length);
  for (let index = 1; index < length; index += 1) {
    const byte = byteAt(bytes, offset + index);
    if ((byte & 0xc0) !== 0x80) return undefined;
    value = value * 64 + (byte & 0x3f);
  }
  return { value, end: offset + length };
};

/**
 * A frame as it is in a stream that starts at another sample; a damaged one is unchanged.
 * @param start the stream's first sample
 */
export const renumberFlacFrame = (frame: Uint8Array, shape: FlacFrameShape, start: number): Uint8Array => {
  const number = parseCodedNumber(frame, numberOffset);
  const headerEnd = number && headerEndOf(frame, 0, number.end);
  if (!number || headerEnd === undefined || crc16(frame) !== 0) return frame;
  const value = number.value - start / (shape.fixedSamples ?? 1);
  const header = Buffer.concat([
    frame.subarray(0, numberOffset),
    writeCodedNumber(value),
    frame.subarray(number.end, headerEnd),
  ]);
  const content = Buffer.concat([
    header,
    Uint8Array.of(crc8(header, 0, header.length)),
    frame.subarray(headerEnd + 1, -2),
  ]);
  const checksum = crc16(content);
  return Buffer.concat([content, Uint8Array.of(checksum >> 8, checksum & 0xff)]);
};

const numberOffset = 4;

/** A number as in UTF-8; seven bytes hold 36 bits. */
const writeCodedNumber = (value: number): Uint8Array => {
  if (value < 0x80) return Uint8Array.of(value);
  const bytes: number[] = [];
  let rest = value;
  // Of the first byte, as many bits are left as its length does not take.
  for (let room = 0x20; bytes.length === 0 || (room > 0 && rest >= room * 2); room >>= 1) {
    bytes.unshift(0x80 | (rest % 64));
    rest = Math.floor(rest / 64);
  }
  const length = bytes.length + 1;
  return Uint8Array.from([((0xff << (8 - length)) & 0xff) | rest, ...bytes]);
};

/** CRC-16 with the polynomial 0x8005; over a whole frame, its checksum included, it is zero. */
export const crc16 = (bytes: Uint8Array): number => {
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ (crc16Table[(crc >> 8) ^ byte] ?? 0);
  return crc;
};

const crc16Table = Uint16Array.from({ length: 256 }, (_, index) => {
  let crc = index << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x8005) & 0xffff : crc << 1;
  return crc;
});

/** CRC-8 with the polynomial x^8 + x^2 + x + 1. */
const crc8 = (bytes: Uint8Array, start: number, end: number): number => {
  let crc = 0;
  for (let index = start; index < end; index += 1) {
    crc ^= byteAt(bytes, index);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
  }
  return crc;
};
