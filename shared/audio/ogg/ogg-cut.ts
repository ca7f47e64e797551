import { UnreadableAudioError, UntrimmableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import type { ContainerFile } from "../reading/container.ts";
import type { Cut, CutPoint, CutPoints } from "../reading/piece.ts";
import {
  changePage,
  lastPage,
  maxPageBytes,
  type OggPage,
  packetsEnding,
  pagesOf,
  segmentsAfter,
  writePages,
} from "./ogg-pages.ts";
import { findOggStream, type OggStream } from "./ogg-stream.ts";

/** @throws UntrimmableAudioError for FLAC, whose first packet counts the samples of the whole */
const openStream = async (window: SourceWindow): Promise<OggStream> => {
  const stream = await findOggStream(window);
  if (stream.codec === "flac") throw new UntrimmableAudioError("FLAC", "Ogg");
  return stream;
};

/**
 * What a decoder drops at the start of a piece, in granules: the samples until Opus is exactly in step (RFC 7845,
 * section 4.2, requires at least a quarter). Vorbis returns nothing for its first packet, so one extra packet is
 * enough.
 */
const leadIn = ({ codec }: OggStream): number => (codec === "opus" ? 14_400 : 0);
const packetsBefore = ({ codec }: OggStream): number => (codec === "opus" ? 0 : 1);

/** Cut points are between pages: a piece starts with the end of the page before it. */
export const oggPoints = async ({ window }: ContainerFile): Promise<CutPoints> => {
  const stream = await openStream(window);
  const head = await readOggHead(window, stream);
  const headBytes = maxPageBytes + writeHead(stream, head).reduce((sum, { length }) => sum + length, 0);
  return { headBytes, points: pointsOf(window, stream, head.end) };
};

async function* pointsOf(
  window: SourceWindow,
  stream: OggStream,
  headEnd: number,
): AsyncGenerator<CutPoint[], void> {
  const origin = (await firstGranule(window, stream)) + stream.preSkip;
  let bytes = 0;
  let granule = 0;
  const pointAt = (offset: number): CutPoint => ({
    position: { offset, ticks: granule },
    startsAt: Math.max(0, granule + leadIn(stream) - origin) / stream.sampleRate,
    endsAt: Math.max(0, granule - origin) / stream.sampleRate,
    bytes,
  });
  yield [{ ...pointAt(0), startsAt: 0 }];
  for await (const pages of pagesOf(window, stream.serial)) {
    const points: CutPoint[] = [];
    for (const page of pages) {
      bytes += page.bytes.length;
      if (page.offset < headEnd || page.granule <= granule) continue;
      granule = page.granule;
      // Its last whole packet must start on it.
      if (packetsEnding(page) > (page.isContinued ? 1 : 0)) points.push(pointAt(page.offset));
    }
    yield points;
  }
  yield [pointAt(window.size)];
}

/** The range between two positions. */
export async function* cutOgg(
  { window }: ContainerFile,
  { from, until }: Cut,
): AsyncGenerator<Uint8Array, void> {
  const stream = await openStream(window);
  const head = from ? writeHead(stream, await readOggHead(window, stream)) : [];
  yield* head;
  const base = from?.ticks ?? 0;
  let sequence = head.length;
  let granule = base;
  let isBefore = from !== undefined;
  for await (const pages of pagesOf(window, stream.serial, from?.offset)) {
    const written: Uint8Array[] = [];
    for (const page of pages) {
      const change = {
        granule: page.granule < 0 ? -1 : page.granule - base,
        ...(from && { sequence }),
      };
      if (isBefore) {
        isBefore = false;
        const segments = segmentsAfter(page, packetsBefore(stream));
        if (segments[0] === segments[1]) continue;
        written.push(changePage(page, { ...change, segments, granule: packetsBefore(stream) > 0 ? 0 : -1 }));
        sequence += 1;
        continue;
      }
      if (page.granule >= until) {
        const packets = packetsUntil(page, granule, until);
        yield Buffer.concat([...written, lastPage(page, packets, { ...change, granule: until - base })]);
        return;
      }
      granule = Math.max(granule, page.granule);
      written.push(from ? changePage(page, change) : page.bytes);
      sequence += 1;
    }
    yield Buffer.concat(written);
  }
}

/**
 * How many of a page's packets to include to reach the target. Their lengths are assumed equal, with one in reserve;
 * decoders drop what exceeds the page's position.
 */
const packetsUntil = (page: OggPage, start: number, target: number): number => {
  const packets = packetsEnding(page);
  return Math.min(packets, Math.ceil((packets * (target - start)) / Math.max(1, page.granule - start)) + 1);
};

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

interface OggHead {
  readonly packets: readonly Uint8Array[];
  /** Offset of the first page of audio. */
  readonly end: number;
}

/** Honest ones take some kilobytes, except for pictures in the comments, which are dropped. */
const maxHeadBytes = 1 << 18;

const commentPacket = 1;

export const readOggHead = async (window: SourceWindow, stream: OggStream): Promise<OggHead> => {
  const count = stream.codec === "opus" ? 2 : 3;
  const packets: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  let remaining = 0;
  for await (const pages of pagesOf(window, stream.serial)) {
    for (const page of pages) {
      let offset = page.headerLength;
      for (const length of page.bytes.subarray(27, page.headerLength)) {
        const isStored = packets.length !== commentPacket;
        if (isStored) parts.push(page.bytes.subarray(offset, offset + length));
        if (isStored) remaining += length;
        offset += length;
        if (length === 255) continue;
        packets.push(isStored ? Buffer.concat(parts) : commentsOf(stream));
        parts = [];
      }
      if (packets.length >= count)
        return { packets: packets.slice(0, count), end: page.offset + page.bytes.length };
      if (remaining > maxHeadBytes)
        throw new UnreadableAudioError("The Ogg file is damaged: its header is implausible.");
    }
  }
  throw new UnreadableAudioError("The Ogg file is cut off: it contains no audio.");
};

/** Comments that say nothing but who wrote them: a length, no name; a count, no comments. Vorbis ends them with a bit. */
const commentsOf = ({ codec }: OggStream): Uint8Array =>
  codec === "opus"
    ? Buffer.from("OpusTags\0\0\0\0\0\0\0\0", "latin1")
    : Buffer.from("\x03vorbis\0\0\0\0\0\0\0\0\x01", "latin1");

const preSkipOffset = 10;

const writeHead = (stream: OggStream, { packets }: OggHead): Buffer[] => {
  const pages: Buffer[] = [];
  for (const [index, packet] of packets.entries()) {
    const written = Buffer.from(packet);
    if (index === 0 && stream.codec === "opus") written.writeUInt16LE(leadIn(stream), preSkipOffset);
    const next = { serial: stream.serial, sequence: pages.length, isFirst: index === 0 };
    for (const page of writePages(written, next)) pages.push(page);
  }
  return pages;
};
