import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import { byteAt, uint16BigEndian } from "../reading/bytes.ts";
import { packetsEnding, pagesOf, writePages } from "./ogg-pages.ts";
import type { OggStream } from "./ogg-stream.ts";

/** The packets before the audio of a stream. */
export interface OggHead {
  /** Without those of which decoders need nothing: the comments, of FLAC all but the first. */
  readonly packets: readonly Uint8Array[];
  /** Offset of the first page of audio. */
  readonly end: number;
}

/** Honest ones take some kilobytes, except for pictures in the comments, which are dropped. */
const maxHeadBytes = 1 << 18;

const commentPacket = 1;

/** How many packets precede the audio. FLAC's first one says how many follow, if its writer knew. */
const headPackets = async (window: SourceWindow, { codec, serial }: OggStream): Promise<number> => {
  if (codec !== "flac") return codec === "opus" ? 2 : 3;
  for await (const [first] of pagesOf(window, serial)) {
    if (first) return 1 + Math.max(1, uint16BigEndian(first.bytes, first.headerLength + flacCountOffset));
  }
  return 1;
};

export const readOggHead = async (window: SourceWindow, stream: OggStream): Promise<OggHead> => {
  const count = await headPackets(window, stream);
  const isNeeded = (index: number): boolean =>
    index === 0 || (stream.codec !== "flac" && index !== commentPacket);
  const packets: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  let [read, remaining] = [0, 0];
  for await (const pages of pagesOf(window, stream.serial)) {
    for (const page of pages) {
      let offset = page.headerLength;
      for (const length of page.bytes.subarray(27, page.headerLength)) {
        if (isNeeded(read)) parts.push(page.bytes.subarray(offset, offset + length));
        if (isNeeded(read)) remaining += length;
        offset += length;
        if (length === 255) continue;
        if (isNeeded(read)) packets.push(Buffer.concat(parts));
        else if (read === commentPacket) packets.push(commentsOf(stream));
        parts = [];
        read += 1;
        if (read === count) break;
      }
      if (read >= count) return { packets, end: page.offset + page.bytes.length };
      if (remaining > maxHeadBytes)
        throw new UnreadableAudioError("The Ogg file is damaged: its header is implausible.");
    }
  }
  throw new UnreadableAudioError("The Ogg file is cut off: it contains no audio.");
};

/** Comments that say nothing but who wrote them: a length, no name; a count, no comments. Vorbis ends them with a bit. */
const commentsOf = ({ codec }: OggStream): Uint8Array => Buffer.from(emptyComments[codec], "latin1");

const emptyComments = {
  opus: "OpusTags\0\0\0\0\0\0\0\0",
  vorbis: "\x03vorbis\0\0\0\0\0\0\0\0\x01",
  flac: "\x84\0\0\x08\0\0\0\0\0\0\0\0",
} as const;

const preSkipOffset = 10;

/** In FLAC's first packet: the number of packets that follow, and the samples of the whole and their checksum. */
const flacCountOffset = 7;
const flacTotalOffset = 30;

/** The pages before the audio of a piece. @param preSkip what a decoder of Opus drops, in granules */
export const writeOggHead = (stream: OggStream, { packets }: OggHead, preSkip: number): Buffer[] => {
  const pages: Buffer[] = [];
  for (const [index, packet] of packets.entries()) {
    const written = Buffer.from(packet);
    if (index === 0 && stream.codec === "opus") written.writeUInt16LE(preSkip, preSkipOffset);
    if (index === 0 && stream.codec === "flac") makePartial(written);
    const next = { serial: stream.serial, sequence: pages.length, isFirst: index === 0 };
    for (const page of writePages(written, next)) pages.push(page);
  }
  return pages;
};

/** One packet follows, and the number of samples is unknown, as in a stream. */
const makePartial = (packet: Buffer): void => {
  packet.writeUInt16BE(1, flacCountOffset);
  packet.writeUInt8(byteAt(packet, flacTotalOffset) & 0xf0, flacTotalOffset);
  packet.fill(0, flacTotalOffset + 1, flacPacketBytes);
};

const flacPacketBytes = 51;

/**
 * The position at which the audio starts: zero, except in a piece of a longer broadcast, whose first page has a
 * position that its packets cannot explain.
 */
export const firstGranule = async (window: SourceWindow, stream: OggStream): Promise<number> => {
  for await (const pages of pagesOf(window, stream.serial)) {
    const page = pages.find(({ granule }) => granule > 0);
    if (page) return page.granule > packetsEnding(page) * stream.maxPacketGranules ? page.granule : 0;
  }
  return 0;
};
