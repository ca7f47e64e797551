/** CRC-32 as Ogg has it: polynomial 0x04C11DB7, most significant bit first, no reflection (RFC 3533, section 6). */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = remainder & 0x80_00_00_00 ? (remainder << 1) ^ 0x04_c1_1d_b7 : remainder << 1;
  }
  return remainder >>> 0;
});

const checksum = (page: Buffer): number => {
  let crc = 0;
  for (const byte of page) crc = ((crc << 8) ^ (crcTable[((crc >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0;
  return crc;
};

const headerBytes = 27;
const checksumOffset = 22;

/** The most lengths that fit into a page. */
export const mostSegments = 255;

/** A packet's length is written as so many 255s, and the rest. */
const segmentsOf = (packet: Uint8Array): number[] => [
  ...Array<number>(Math.floor(packet.length / 255)).fill(255),
  packet.length % 255,
];

/** How many lengths a packet takes in a page. */
export const segmentCount = (packet: Uint8Array): number => Math.floor(packet.length / 255) + 1;

/** A page of an Ogg stream: whole packets only. */
export interface OggPage {
  readonly serial: number;
  /** From 0. */
  readonly sequence: number;
  /** Samples up to the end of the page, at 48,000 a second for Opus. */
  readonly position: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly packets: readonly Uint8Array[];
}

/** The bytes of a page (RFC 3533, section 6). */
export const writeOggPage = ({ serial, sequence, position, isFirst, isLast, packets }: OggPage): Buffer => {
  const segments = packets.flatMap(segmentsOf);
  if (segments.length > mostSegments) throw new RangeError("The packets do not fit into one page.");
  const header = Buffer.alloc(headerBytes + segments.length);
  header.write("OggS", "latin1");
  header.writeUInt8((isFirst ? 2 : 0) | (isLast ? 4 : 0), 5);
  header.writeBigInt64LE(BigInt(position), 6);
  header.writeUInt32LE(serial, 14);
  header.writeUInt32LE(sequence, 18);
  header.writeUInt8(segments.length, 26);
  header.set(segments, headerBytes);
  const page = Buffer.concat([header, ...packets]);
  page.writeUInt32LE(checksum(page), checksumOffset);
  return page;
};
