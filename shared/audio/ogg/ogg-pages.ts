import { type SourceWindow, scanBytes } from "../reading/audio-source.ts";
import { asBuffer, byteAt, hasText, uint32LittleEndian } from "../reading/bytes.ts";

/** A page of an Ogg file (RFC 3533). */
export interface OggPage {
  /** The page itself, from its header to its last byte. */
  readonly bytes: Uint8Array;
  readonly headerLength: number;
  readonly isFirst: boolean;
  /** Whether its first packet starts on the previous page. */
  readonly isContinued: boolean;
  /** Position of the audio at the page's end, in samples of a rate the codec defines; -1 when no packet ends here. */
  readonly granule: number;
  /** The stream that the page belongs to. */
  readonly serial: number;
}

const fixedHeaderLength = 27;
const continuedFlag = 1;
const firstPageFlag = 2;
const lastPageFlag = 4;

/** No page is longer: 255 segments of at most 255 bytes. */
export const maxPageBytes = fixedHeaderLength + 255 + 255 * 255;

/** The whole page at this offset, or undefined. */
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
    isContinued: (byteAt(bytes, offset + 5) & continuedFlag) !== 0,
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

/** The parts of packets on the page, and whether they are the start of one. */
export function* packetParts(
  page: OggPage,
): Generator<{ readonly bytes: Uint8Array; readonly isStart: boolean }> {
  let start = page.headerLength;
  let end = start;
  let isStart = !page.isContinued;
  for (const length of segmentLengths(page)) {
    end += length;
    if (length === 255) continue;
    yield { bytes: page.bytes.subarray(start, end), isStart };
    start = end;
    isStart = true;
  }
  if (end > start) yield { bytes: page.bytes.subarray(start, end), isStart };
}

const checksumOffset = 22;

/** Whether the page's checksum is correct. */
export const isIntact = (page: OggPage): boolean =>
  uint32LittleEndian(page.bytes, checksumOffset) === checksum(page.bytes);

interface PageChange {
  /** Without the segments before this one, and from this one on. */
  readonly segments?: readonly [start: number, end: number];
  readonly granule: number;
  /** Its number among the stream's pages; left out, it stays. */
  readonly sequence?: number;
  readonly isLast?: boolean;
}

/** The page with other content and a correct checksum. */
export const changePage = (page: OggPage, { segments, granule, sequence, isLast }: PageChange): Buffer => {
  const lengths = segmentLengths(page);
  const [start, end] = segments ?? [0, lengths.length];
  const bytesOf = (some: Uint8Array): number => some.reduce((sum, length) => sum + length, 0);
  const bodyStart = page.headerLength + bytesOf(lengths.subarray(0, start));
  const remaining = lengths.subarray(start, end);
  const body = page.bytes.subarray(bodyStart, bodyStart + bytesOf(remaining));
  const result = Buffer.concat([page.bytes.subarray(0, fixedHeaderLength), remaining, body]);
  const flags = byteAt(result, 5) & ~(start > 0 ? continuedFlag : 0);
  result.writeUInt8(flags | (isLast ? lastPageFlag : 0), 5);
  result.writeBigInt64LE(BigInt(granule), 6);
  if (sequence !== undefined) result.writeUInt32LE(sequence, sequenceOffset);
  result.writeUInt8(remaining.length, 26);
  result.writeUInt32LE(checksum(result), checksumOffset);
  return result;
};

const sequenceOffset = 18;

/** The page as the last one of its stream, with its first `packets` packets. */
export const lastPage = (page: OggPage, packets: number, change: PageChange): Buffer => {
  const lengths = segmentLengths(page);
  let segments = 0;
  for (let ended = 0; segments < lengths.length && ended < packets; segments += 1) {
    if (byteAt(lengths, segments) < 255) ended += 1;
  }
  return changePage(page, { ...change, segments: [0, segments], isLast: true });
};

/** The segments of what starts on a page after all but its last `packets` whole packets. */
export const segmentsAfter = (page: OggPage, packets: number): readonly [start: number, end: number] => {
  const lengths = segmentLengths(page);
  let start = lengths.length;
  for (let ended = -1; start > 0; start -= 1) {
    if (byteAt(lengths, start - 1) < 255) ended += 1;
    if (ended === packets) break;
  }
  return [start, lengths.length];
};

interface NewPage {
  readonly serial: number;
  /** Its number among the stream's pages, from 0. */
  readonly sequence: number;
  readonly granule: number;
  readonly isFirst?: boolean;
  readonly isLast?: boolean;
  readonly isContinued?: boolean;
  /** The length of each segment; at most 255 segments. */
  readonly segments: readonly number[];
  readonly packets: readonly Uint8Array[];
}

/** The bytes of a page (RFC 3533, section 6). */
export const writePage = ({ serial, sequence, granule, segments, packets, ...page }: NewPage): Buffer => {
  const bytes = Buffer.concat([Buffer.alloc(fixedHeaderLength), Uint8Array.from(segments), ...packets]);
  const flags = (page.isContinued ? continuedFlag : 0) | (page.isFirst ? firstPageFlag : 0);
  bytes.write("OggS", "latin1");
  bytes.writeUInt8(flags | (page.isLast ? lastPageFlag : 0), 5);
  bytes.writeBigInt64LE(BigInt(granule), 6);
  bytes.writeUInt32LE(serial, 14);
  bytes.writeUInt32LE(sequence, sequenceOffset);
  bytes.writeUInt8(segments.length, 26);
  bytes.writeUInt32LE(checksum(bytes), checksumOffset);
  return bytes;
};

/** The lengths of a packet's segments: a number of 255s, and the rest. */
export const packetSegments = (packet: Uint8Array): number[] => [
  ...Array<number>(Math.floor(packet.length / 255)).fill(255),
  packet.length % 255,
];

/** The pages of one packet; all but the last one are full. */
export const writePages = (
  packet: Uint8Array,
  { serial, sequence, isFirst }: Pick<NewPage, "serial" | "sequence" | "isFirst">,
): Buffer[] => {
  const pages: Buffer[] = [];
  const segments = packetSegments(packet);
  for (let start = 0; start < segments.length; start += maxSegments) {
    const end = start + maxSegments;
    const page = {
      serial,
      sequence: sequence + pages.length,
      granule: end >= segments.length ? 0 : -1,
      isFirst: isFirst === true,
      isContinued: start > 0,
      segments: segments.slice(start, end),
      packets: [packet.subarray(start * 255, end * 255)],
    };
    pages.push(writePage(page));
  }
  return pages;
};

/** The most segments that fit into a page. */
export const maxSegments = 255;

const checksumTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let remainder = index << 24;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = remainder & 0x80000000 ? (remainder << 1) ^ 0x04c11db7 : remainder << 1;
  }
  return remainder;
});

/** Ogg's CRC-32, not reflected; the checksum itself counts as zero (RFC 3533, section 6). */
const checksum = (page: Uint8Array): number => {
  let crc = 0;
  for (let index = 0; index < page.length; index += 1) {
    const isChecksum = index >= checksumOffset && index < checksumOffset + 4;
    const byte = isChecksum ? 0 : byteAt(page, index);
    crc = (crc << 8) ^ (checksumTable[(crc >>> 24) ^ byte] ?? 0);
  }
  return crc >>> 0;
};

export interface LocatedPage extends OggPage {
  /** Where it is in the file. */
  readonly offset: number;
}

/** The pages of one stream from an offset on, in order; damage is skipped. @param serial of all streams without it */
export async function* pagesOf(
  window: SourceWindow,
  serial?: number,
  start = 0,
  until = window.size,
): AsyncGenerator<LocatedPage[], void> {
  for (let position = start; position < until; ) {
    const bytes = await window.read(position, scanBytes);
    // A page that starts before this place is whole, unless the file ends.
    const end = position + bytes.length >= window.size ? bytes.length : bytes.length - maxPageBytes;
    const pages: LocatedPage[] = [];
    let offset = 0;
    while (offset < end) {
      const page = parseOggPage(bytes, offset);
      if (page && (serial ?? page.serial) === page.serial) pages.push({ ...page, offset: position + offset });
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

/** Checksums are expensive; this many false pages are no accident. */
const maxFalsePages = 64;

/** The last intact page of a stream on which a packet ends, searched backwards from the end of the file. */
export const findLastPage = async (window: SourceWindow, serial: number): Promise<OggPage | undefined> => {
  const start = Math.max(0, window.size - scanBytes);
  const tail = asBuffer(await window.read(start, scanBytes));
  let falsePages = 0;
  let offset = tail.lastIndexOf("OggS", undefined, "latin1");
  while (offset >= 0 && falsePages < maxFalsePages) {
    const page = parseOggPage(tail, offset);
    if (page?.serial === serial && page.granule >= 0) {
      if (isIntact(page)) return page;
      falsePages += 1;
    }
    offset = offset === 0 ? -1 : tail.lastIndexOf("OggS", offset - 1, "latin1");
  }
  return undefined;
};
