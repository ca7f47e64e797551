import { randomBytes } from "node:crypto";
import { maxSegments, packetSegments, writePage, writePages } from "../ogg/ogg-pages.ts";

/** Opus in Ogg counts samples at this rate, for any rate of the input (RFC 7845, section 4). */
const clockRate = 48_000;

/** Samples that a decoder drops at the start, at 48,000 a second: what libopus needs to warm up. */
const preSkip = 312;

/** The same in seconds: this much silence must follow the audio, or the decoder would drop its end. */
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

/** How long the first page of audio plays, so that playback starts early; longer later ones save bytes. */
const firstPageSeconds = 0.2;
const pageSeconds = 1;

/** Writes an Ogg file of Opus packets as a stream, as phones record voice notes: mono (RFC 7845). */
export class OggOpusWriter {
  readonly #packetSeconds: number;
  readonly #sampleRate: number;
  readonly #serial = randomBytes(4).readUInt32LE();
  #sequence = 2;
  /** At {@link clockRate}. */
  #playedTicks = 0;
  /** Those of the next page. */
  #packets: Uint8Array[] = [];
  #segments: number[] = [];
  #maxPackets: number;

  /** @param packetSeconds how long each packet plays. @param sampleRate in hertz, of what is encoded. */
  constructor({ packetSeconds, sampleRate }: { packetSeconds: number; sampleRate: number }) {
    this.#packetSeconds = packetSeconds;
    this.#sampleRate = sampleRate;
    this.#maxPackets = Math.round(firstPageSeconds / packetSeconds);
  }

  /** The two pages before the audio. */
  begin(): Buffer {
    const serial = this.#serial;
    return Buffer.concat([
      ...writePages(identification(this.#sampleRate), { serial, sequence: 0, isFirst: true }),
      ...writePages(comments(), { serial, sequence: 1 }),
    ]);
  }

  /** Adds any packet but the last. @returns a page as soon as one is full, else nothing. */
  add(packet: Uint8Array): Buffer {
    const page = this.#take(packet);
    return this.#packets.length < this.#maxPackets ? page : Buffer.concat([page, this.#writePage(false)]);
  }

  /** Adds the last packet, which silence may fill up. @param samples how many were encoded. @returns the last page. */
  end(packet: Uint8Array, samples: number): Buffer {
    const page = this.#take(packet);
    // The last page ends with the audio, so that a player drops the silence that fills the last packet.
    const end = preSkip + Math.round((samples * clockRate) / this.#sampleRate);
    return Buffer.concat([page, this.#writePage(true, end)]);
  }

  /** A packet that does not fit into the page starts the next. */
  #take(packet: Uint8Array): Buffer {
    const added = packetSegments(packet);
    const isFull = this.#segments.length + added.length > maxSegments;
    const page = isFull ? this.#writePage(false) : Buffer.alloc(0);
    this.#packets.push(packet);
    for (const segment of added) this.#segments.push(segment);
    return page;
  }

  #writePage(isLast: boolean, end = Number.POSITIVE_INFINITY): Buffer {
    this.#playedTicks += this.#packets.length * Math.round(this.#packetSeconds * clockRate);
    const page = writePage({
      serial: this.#serial,
      sequence: this.#sequence,
      granule: Math.min(this.#playedTicks, end),
      isLast,
      segments: this.#segments,
      packets: this.#packets,
    });
    this.#sequence += 1;
    this.#packets = [];
    this.#segments = [];
    this.#maxPackets = Math.round(pageSeconds / this.#packetSeconds);
    return page;
  }
}
