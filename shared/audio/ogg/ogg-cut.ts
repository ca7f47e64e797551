import type { SourceWindow } from "../reading/audio-source.ts";
import type { ContainerFile } from "../reading/container.ts";
import type { Cut, CutPoint, CutPoints } from "../reading/piece.ts";
import { firstGranule, type OggHead, readOggHead, writeOggHead } from "./ogg-head.ts";
import { startsLink } from "./ogg-links.ts";
import {
  changePage,
  lastPage,
  maxPageBytes,
  type OggPage,
  packetsEnding,
  pagesOf,
  segmentsAfter,
} from "./ogg-pages.ts";
import { findOggStream, type OggStream } from "./ogg-stream.ts";

/**
 * What a decoder drops at the start of a piece, in granules: the samples until Opus is exactly in step (RFC 7845,
 * section 4.2, requires at least a quarter). Vorbis returns nothing for its first packet, so one extra packet is
 * enough. Frames of FLAC do not depend on each other.
 */
const leadIn = ({ codec }: OggStream): number => (codec === "opus" ? 14_400 : 0);
const packetsBefore = ({ codec }: OggStream): number => (codec === "vorbis" ? 1 : 0);

/** Cut points are between pages: a piece starts with the end of the page before it. */
export const oggPoints = async ({ window }: ContainerFile): Promise<CutPoints> => {
  const stream = await findOggStream(window);
  const head = writeOggHead(stream, await readOggHead(window, stream), leadIn(stream));
  // Where several recordings follow each other, the head of another one may be longer.
  const headBytes = 2 * maxPageBytes + head.reduce((sum, { length }) => sum + length, 0);
  return { headBytes, points: pointsOf(window) };
};

/** A recording that is walked, and what precedes it in the file. */
interface WalkedLink {
  readonly start: number;
  readonly stream: OggStream;
  /** Of the first page of audio, and the granule of the first sample that is played. */
  readonly audioStart: number;
  readonly origin: number;
  /** Granules, seconds and bytes of those before it. */
  readonly base: number;
  readonly seconds: number;
  readonly bytes: number;
}

const openLink = async (
  window: SourceWindow,
  before: Pick<WalkedLink, "start" | "base" | "seconds" | "bytes">,
): Promise<WalkedLink> => {
  const { start } = before;
  // Not all that follows: its start is enough.
  const part =
    start > 0 ? window.sibling().part(start, Math.min(window.size, start + maxStartBytes)) : window;
  const { startsEnd, ...stream } = await findOggStream(part);
  const { end } = await readOggHead(part, { ...stream, startsEnd });
  const origin = (await firstGranule(part, { ...stream, startsEnd })) + stream.preSkip;
  return { ...before, stream: { ...stream, startsEnd: start + startsEnd }, audioStart: start + end, origin };
};

/** Enough for pictures in the comments. */
const maxStartBytes = 1 << 20;

const pointIn = (link: WalkedLink, granule: number, offset: number, bytes: number): CutPoint => {
  const { start, stream, origin, base, seconds } = link;
  const secondsAt = (granules: number): number => Math.max(0, granules - origin) / stream.sampleRate;
  return {
    position: { offset, ticks: base + granule, ...(start > 0 && { link: start, countedFrom: base }) },
    startsAt: seconds + (granule === 0 ? 0 : secondsAt(granule + leadIn(stream))),
    endsAt: seconds + secondsAt(granule),
    bytes: link.bytes + bytes,
  };
};

/** The points of all recordings, each counted from where the one before it ends. */
async function* pointsOf(window: SourceWindow): AsyncGenerator<CutPoint[], void> {
  let link = await openLink(window, { start: 0, base: 0, seconds: 0, bytes: 0 });
  let [granule, bytes] = [0, 0];
  yield [pointIn(link, 0, 0, 0)];
  // The last page of a recording is no start: the next recording is.
  let waiting: CutPoint | undefined;
  for await (const pages of pagesOf(window)) {
    const points: CutPoint[] = [];
    for (const page of pages) {
      if (startsLink(page, link.stream)) {
        const { endsAt, position, bytes: passed } = pointIn(link, granule, page.offset, bytes);
        const before = { start: page.offset, base: position.ticks, seconds: endsAt, bytes: passed };
        link = await openLink(window, before);
        [granule, bytes, waiting] = [0, 0, pointIn(link, 0, page.offset, 0)];
      }
      if (page.serial !== link.stream.serial) continue;
      bytes += page.bytes.length;
      if (page.offset < link.audioStart || page.granule <= granule) continue;
      granule = page.granule;
      if (waiting) points.push(waiting);
      // Its last whole packet must start on it.
      const isPoint = packetsEnding(page) > (page.isContinued ? 1 : 0);
      waiting = isPoint ? pointIn(link, granule, page.offset, bytes) : undefined;
    }
    yield points;
  }
  yield [...(waiting ? [waiting] : []), pointIn(link, granule, window.size, bytes)];
}

/** The range between two positions, which may be in two recordings; those between them are copied. */
export async function* cutOgg(
  { window }: ContainerFile,
  { from, until }: Cut,
): AsyncGenerator<Uint8Array, void> {
  const { link: first = 0, countedFrom = 0 } = from ?? {};
  let [start, base] = [first, countedFrom];
  let inside = from && { offset: from.offset - first, ticks: from.ticks - countedFrom };
  for (;;) {
    const part = start > 0 ? window.part(start) : window;
    const next = yield* cutLink(part, { from: inside?.offset ? inside : undefined, until: until - base });
    if (!next) return;
    [start, base, inside] = [start + next.offset, base + next.ticks, undefined];
  }
}

/** @returns where the next recording starts, if this one ends before the range does */
async function* cutLink(
  window: SourceWindow,
  { from, until }: Cut,
): AsyncGenerator<Uint8Array, { readonly offset: number; readonly ticks: number } | undefined> {
  const stream = await findOggStream(window);
  // The first packet of FLAC counts the samples of the whole.
  const head = from || stream.codec === "flac" ? await readOggHead(window, stream) : undefined;
  const written = new WrittenPages(stream, head, from?.ticks);
  yield* written.head;
  let isBefore = from !== undefined;
  for await (const pages of pagesOf(window, undefined, from?.offset ?? head?.end)) {
    for (const page of pages) {
      if (startsLink(page, stream)) {
        yield written.take();
        return { offset: page.offset, ticks: written.granule };
      }
      if (page.serial !== stream.serial) continue;
      if (page.granule >= until && !isBefore) {
        written.end(page, until);
        yield written.take();
        return undefined;
      }
      if (isBefore) written.addRest(page);
      else written.add(page);
      isBefore = false;
    }
    yield written.take();
  }
  return undefined;
}

/** The pages of a piece since the last ones were taken. */
class WrittenPages {
  readonly #stream: OggStream;
  readonly head: readonly Buffer[];
  readonly #base: number;
  /** Of the next page; undefined where pages are copied as they are. */
  #sequence: number | undefined;
  #pages: Uint8Array[] = [];
  /** The last position so far, in the recording. */
  granule: number;

  constructor(stream: OggStream, head: OggHead | undefined, base = 0) {
    this.#stream = stream;
    this.head = head ? writeOggHead(stream, head, base > 0 ? leadIn(stream) : stream.preSkip) : [];
    this.#sequence = head && this.head.length;
    this.#base = base;
    this.granule = base;
  }

  take(): Buffer {
    const pages = Buffer.concat(this.#pages);
    this.#pages = [];
    return pages;
  }

  /** Adds what starts on the page before the first. */
  addRest(page: OggPage): void {
    const segments = segmentsAfter(page, packetsBefore(this.#stream));
    if (segments[0] === segments[1]) return;
    this.#pages.push(
      changePage(page, { ...this.#next(), segments, granule: packetsBefore(this.#stream) > 0 ? 0 : -1 }),
    );
  }

  add(page: OggPage): void {
    this.granule = Math.max(this.granule, page.granule);
    const granule = page.granule < 0 ? -1 : page.granule - this.#base;
    this.#pages.push(
      this.#sequence === undefined ? page.bytes : changePage(page, { ...this.#next(), granule }),
    );
  }

  end(page: OggPage, until: number): void {
    const packets = packetsUntil(page, this.granule, until, this.#stream);
    this.#pages.push(lastPage(page, packets, { ...this.#next(), granule: until - this.#base }));
  }

  #next(): { readonly sequence?: number } {
    if (this.#sequence === undefined) return {};
    this.#sequence += 1;
    return { sequence: this.#sequence - 1 };
  }
}

/**
 * How many of a page's packets to include to reach the target. Their lengths are assumed equal; decoders drop what exceeds the
 * page's position, so one is in reserve, except of FLAC, of which they drop nothing.
 */
const packetsUntil = (page: OggPage, start: number, target: number, { codec }: OggStream): number => {
  const packets = packetsEnding(page);
  const needed = Math.ceil((packets * (target - start)) / Math.max(1, page.granule - start));
  return Math.min(packets, needed + (codec === "flac" ? 0 : 1));
};
