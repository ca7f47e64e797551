import { type SourceWindow, scanBytes } from "../audio-source.ts";
import { asBuffer, byteAt, hasText, uint32LittleEndian } from "../bytes.ts";

/** A page of an Ogg file (RFC 3533). */
export interface OggPage {
  /** The page itself, from its header to its last byte. */
  readonly bytes: Uint8Array;
  readonly headerLength: number;
  readonly isFirst: boolean;
  /**
   * Position of the sound at the page's end, in samples of a rate the codec defines; -1 when no packet ends
   * here.
   */
  readonly granule: number;
  /** Which of the file's streams the page belongs to. */
  readonly serial: number;
}

const fixedHeaderLength = 27;
const firstPageFlag = 2;
const lastPageFlag = 4;

/** No page is longer: 255 segments of at most 255 bytes. */
export const longestPage = fixedHeaderLength + 255 + 255 * 255;

/** The whole page at this place, or undefined. */
export const parseOggPage = (bytes: Uint8Array, offset: number): OggPage | undefined => {
  if (!hasText(bytes, offset, "OggS\0")) return undefined;
  const segments = byteAt(bytes, offset + 26);
  const headerLength = fixedHeaderLength + segments;
  let length = headerLength;
  for (let index = 0; index < segments; index += 1)
    length += byteAt(bytes, offset + fixedHeaderLength + index);
  if (offset + length > bytes.length) return undefined;
  const high = uint32LittleEndian(bytes, offset + 10) | 0;
  const granule = high * 2 ** 32 + uint32LittleEndian(bytes, offset + 6);
  return {
    bytes: bytes.subarray(offset, offset + length),
    headerLength,
    isFirst: (byteAt(bytes, offset + 5) & firstPageFlag) !== 0,
    granule: Number.isSafeInteger(granule) ? granule : -1,
    serial: uint32LittleEndian(bytes, offset + 14),
  };
};

/** The length of each segment; a packet ends with the first one that is shorter than 255. */
const segmentLengths = (page: OggPage): Uint8Array =>
  page.bytes.subarray(fixedHeaderLength, page.headerLength);

/** How many packets end on the page. */
export const packetsEnding = (page: OggPage): number =>
  segmentLengths(page).reduce((count, length) => count + (length < 255 ? 1 : 0), 0);

const checksumOffset = 22;

/** Whether the page is as it was written. */
const isIntact = (page: OggPage): boolean =>
  uint32LittleEndian(page.bytes, checksumOffset) === checksum(page.bytes);

/**
 * The page as the last one of its stream: with its first `packets` packets, and the sound ending at
 * `granule`.
 */
export const lastPage = (page: OggPage, packets: number, granule: number): Uint8Array => {
  const lengths = segmentLengths(page);
  let segments = 0;
  for (let ended = 0; segments < lengths.length && ended < packets; segments += 1) {
    if (byteAt(lengths, segments) < 255) ended += 1;
  }
  const kept = lengths.subarray(0, segments);
  const body = page.bytes.subarray(
    page.headerLength,
    page.headerLength + kept.reduce((sum, length) => sum + length, 0),
  );
  const result = Buffer.concat([page.bytes.subarray(0, fixedHeaderLength), kept, body]);
  result.writeUInt8(byteAt(result, 5) | lastPageFlag, 5);
  result.writeBigInt64LE(BigInt(granule), 6);
  result.writeUInt8(segments, 26);
  result.writeUInt32LE(checksum(result), checksumOffset);
  return result;
};

const checksumTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let remainder = index << 24;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = remainder & 0x80000000 ? (remainder << 1) ^ 0x04c11db7 : remainder << 1;
  }
  return remainder;
});

/** Ogg's CRC-32, for which the checksum itself counts as zero. */
const checksum = (page: Uint8Array): number => {
  let crc = 0;
  for (let index = 0; index < page.length; index += 1) {
    const isChecksum = index >= checksumOffset && index < checksumOffset + 4;
    const byte = isChecksum ? 0 : byteAt(page, index);
    crc = (crc << 8) ^ (checksumTable[(crc >>> 24) ^ byte] ?? 0);
  }
  return crc >>> 0;
};

/** The pages of one stream, in order; damaged places are passed over. */
export async function* pagesOf(window: SourceWindow, serial: number): AsyncGenerator<OggPage[], void> {
  for (let position = 0; position < window.size; ) {
    const bytes = await window.read(position, scanBytes);
    // A page that starts before this place is whole, unless the file ends.
    const end = position + bytes.length >= window.size ? bytes.length : bytes.length - longestPage;
    const pages: OggPage[] = [];
    let offset = 0;
    while (offset < end) {
      const page = parseOggPage(bytes, offset);
      if (page?.serial === serial) pages.push(page);
      offset = page ? offset + page.bytes.length : nextPage(bytes, offset + 1);
    }
    if (pages.length > 0) yield pages;
    position += offset;
  }
}

const nextPage = (bytes: Uint8Array, offset: number): number => {
  const found = asBuffer(bytes).indexOf("OggS", offset, "latin1");
  return found < 0 ? bytes.length : found;
};

/** Checksums are long work; so many false pages are no accident. */
const mostFalsePages = 64;

/** The last intact page of a stream on which a packet ends, searched backwards from the end of the file. */
export const findLastPage = async (window: SourceWindow, serial: number): Promise<OggPage | undefined> => {
  const start = Math.max(0, window.size - scanBytes);
  const tail = asBuffer(await window.read(start, scanBytes));
  let falsePages = 0;
  let offset = tail.lastIndexOf("OggS", undefined, "latin1");
  while (offset >= 0 && falsePages < mostFalsePages) {
    const page = parseOggPage(tail, offset);
    if (page?.serial === serial && page.granule >= 0) {
      if (isIntact(page)) return page;
      falsePages += 1;
    }
    offset = offset === 0 ? -1 : tail.lastIndexOf("OggS", offset - 1, "latin1");
  }
  return undefined;
};
