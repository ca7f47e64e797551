import { randomBytes } from "node:crypto";

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
const mostSegments = 255;

/** A packet's length is written as so many 255s, and the rest. */
const segmentsOf = (packet: Uint8Array): number[] => [
  ...Array<number>(Math.floor(packet.length / 255)).fill(255),
  packet.length % 255,
];

/** How many lengths a packet takes in a page. */
const segmentCount = (packet: Uint8Array): number => Math.floor(packet.length / 255) + 1;

/** A page to be written: whole packets only. */
interface NewOggPage {
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
const writeOggPage = ({ serial, sequence, position, isFirst, isLast, packets }: NewOggPage): Buffer => {
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

/** Opus in Ogg counts samples at this rate, whatever the rate of what was encoded (RFC 7845, section 4). */
const clockRate = 48_000;

/** Samples that a decoder throws away at the start: what libopus needs to get going, at 48,000 a second. */
const preSkip = 312;

/** The same as a time: so much silence must follow the sound, or its end would not come out of the decoder. */
export const preSkipSeconds = preSkip / clockRate;

const identification = (sampleRate: number): Buffer => {
  const header = Buffer.alloc(19);
  header.write("OpusHead", "latin1");
  header.writeUInt8(1, 8);
  header.writeUInt8(1, 9);
  header.writeUInt16LE(preSkip, 10);
  header.writeUInt32LE(sampleRate, 12);
  return header;
};

const vendor = "Language AI Service";

const comments = (): Buffer => {
  const header = Buffer.alloc(8 + 4 + vendor.length + 4);
  header.write("OpusTags", "latin1");
  header.writeUInt32LE(vendor.length, 8);
  header.write(vendor, 12, "latin1");
  return header;
};

/** Mono sound as Opus packets of one length each. */
export interface OpusSound {
  readonly packets: readonly Uint8Array[];
  /** How long each packet plays. */
  readonly packetSeconds: number;
  /** In hertz, of what was encoded. */
  readonly sampleRate: number;
  /** How many samples were encoded, at that rate; the last packet may be filled up with silence. */
  readonly samples: number;
}

/** Packets in groups that fit into a page and play about a second. */
const groupPackets = (packets: readonly Uint8Array[], packetsInSecond: number): Uint8Array[][] => {
  const groups: Uint8Array[][] = [];
  let segments = 0;
  for (const packet of packets) {
    const group = groups.at(-1);
    const needed = segmentCount(packet);
    if (!group || group.length >= packetsInSecond || segments + needed > mostSegments) {
      groups.push([packet]);
      segments = needed;
    } else {
      group.push(packet);
      segments += needed;
    }
  }
  return groups;
};

/** An Ogg file of Opus packets, as phones record voice notes (RFC 7845). */
export const writeOggOpus = ({ packets, packetSeconds, sampleRate, samples }: OpusSound): Buffer => {
  const serial = randomBytes(4).readUInt32LE();
  const ticks = Math.round(packetSeconds * clockRate);
  const groups = groupPackets(packets, Math.floor(1 / packetSeconds));
  // The last page ends where the sound does, so that a player leaves out the silence that fills the last packet.
  const end = preSkip + Math.round((samples * clockRate) / sampleRate);
  let played = 0;
  const pages = groups.map((group, index) => {
    played += group.length * ticks;
    const isLast = index === groups.length - 1;
    const position = isLast ? Math.min(played, end) : played;
    return writeOggPage({ serial, sequence: index + 2, position, isFirst: false, isLast, packets: group });
  });
  const head = { serial, position: 0, isLast: false };
  return Buffer.concat([
    writeOggPage({ ...head, sequence: 0, isFirst: true, packets: [identification(sampleRate)] }),
    writeOggPage({ ...head, sequence: 1, isFirst: false, packets: [comments()] }),
    ...pages,
  ]);
};
