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
const maxSegments = 255;

/** A packet's length is written as a number of 255s, and the rest. */
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
  if (segments.length > maxSegments) throw new RangeError("The packets do not fit into one page.");
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

/** Opus in Ogg counts samples at this rate, for any rate of the input (RFC 7845, section 4). */
const clockRate = 48_000;

/** Samples that a decoder throws away at the start: what libopus needs to get going, at 48,000 a second. */
const preSkip = 312;

/** The same as a time: this much silence must follow the audio, or the decoder would drop its end. */
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

/** Facts about mono audio before its first packet. */
interface OpusAudio {
  /** How long each packet plays. */
  readonly packetSeconds: number;
  /** In hertz, of what is encoded. */
  readonly sampleRate: number;
}

/** Writes an Ogg file of Opus packets as a stream, as phones record voice notes (RFC 7845). */
export interface OggOpusWriter {
  /** The two pages before the audio. */
  begin(): Buffer;
  /** @returns a page as soon as one is full, else nothing. The last packet of all comes to `end`. */
  add(packet: Uint8Array): Buffer;
  /** @param samples how many were encoded; silence may fill up the last packet behind them. @returns the last page. */
  end(packet: Uint8Array, samples: number): Buffer;
}

/** How long the first page of audio plays, so that playback starts early; longer later ones save bytes. */
const firstPageSeconds = 0.2;
const pageSeconds = 1;

export const createOggOpusWriter = ({ packetSeconds, sampleRate }: OpusAudio): OggOpusWriter => {
  const serial = randomBytes(4).readUInt32LE();
  const ticks = Math.round(packetSeconds * clockRate);
  let sequence = 2;
  let played = 0;
  let packets: Uint8Array[] = [];
  let segments = 0;
  let max = Math.round(firstPageSeconds / packetSeconds);

  const writePage = (isLast: boolean, end = Number.POSITIVE_INFINITY): Buffer => {
    played += packets.length * ticks;
    const position = Math.min(played, end);
    const page = writeOggPage({ serial, sequence, position, isFirst: false, isLast, packets });
    sequence += 1;
    packets = [];
    segments = 0;
    max = Math.round(pageSeconds / packetSeconds);
    return page;
  };

  /** Adds a packet; one that does not fit into the page starts the next. */
  const take = (packet: Uint8Array): Buffer => {
    const needed = segmentCount(packet);
    const page = segments + needed > maxSegments ? writePage(false) : Buffer.alloc(0);
    packets.push(packet);
    segments += needed;
    return page;
  };

  return {
    begin: () => {
      const head = { serial, position: 0, isLast: false };
      return Buffer.concat([
        writeOggPage({ ...head, sequence: 0, isFirst: true, packets: [identification(sampleRate)] }),
        writeOggPage({ ...head, sequence: 1, isFirst: false, packets: [comments()] }),
      ]);
    },
    add: (packet) => {
      const page = take(packet);
      return packets.length < max ? page : Buffer.concat([page, writePage(false)]);
    },
    end: (packet, samples) => {
      const page = take(packet);
      // The last page ends with the audio, so that a player drops the silence that fills the last packet.
      const end = preSkip + Math.round((samples * clockRate) / sampleRate);
      return Buffer.concat([page, writePage(true, end)]);
    },
  };
};
