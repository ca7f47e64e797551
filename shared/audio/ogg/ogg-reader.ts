import { UnreadableAudioError, UntrimmableAudioError } from "../audio-errors.ts";
import type { SourceWindow } from "../audio-source.ts";
import type { ContainerReader } from "../container.ts";
import { findLastPage, lastPage, type OggPage, packetsEnding, pagesOf } from "./ogg-pages.ts";
import { findOggStream, type OggStream } from "./ogg-stream.ts";

/**
 * Ogg with Opus, Vorbis or FLAC. Its pages carry positions, so the first and the last ones tell the duration.
 */
export const oggReader: ContainerReader = {
  async measure({ window }) {
    const stream = await findOggStream(window);
    const { codec, sampleRate, channels } = stream;
    const last = await findLastPage(window, stream.serial);
    if (!last) throw new UnreadableAudioError("The Ogg file is damaged: it has no intact page at its end.");
    const granules = last.granule - (await firstGranule(window, stream)) - stream.preSkip;
    return { codec, durationSeconds: Math.max(0, granules) / stream.granuleRate, sampleRate, channels };
  },

  async *trim({ window }, seconds) {
    const stream = await findOggStream(window);
    // Its first packet counts the samples of the whole, which would no longer be true.
    if (stream.codec === "flac") throw new UntrimmableAudioError("FLAC", "Ogg");
    const length = Math.round(seconds * stream.granuleRate) + stream.preSkip;
    const target = (await firstGranule(window, stream)) + length;
    let granule = 0;
    for await (const pages of pagesOf(window, stream.serial)) {
      const last = pages.findIndex((page) => page.granule >= target);
      const before = last < 0 ? pages : pages.slice(0, last);
      yield Buffer.concat(before.map(({ bytes }) => bytes));
      for (const page of before) granule = Math.max(granule, page.granule);
      const page = pages[last];
      if (page) {
        yield lastPage(page, packetsUntil(page, granule, target), target);
        return;
      }
    }
  },
};

/**
 * How many of a page's packets to keep so that the sound reaches the target. Their lengths are taken as
 * equal, and one more is kept for when they are not; decoders drop what goes beyond the page's position.
 */
const packetsUntil = (page: OggPage, start: number, target: number): number => {
  const packets = packetsEnding(page);
  return Math.min(packets, Math.ceil((packets * (target - start)) / Math.max(1, page.granule - start)) + 1);
};

/**
 * The position at which the sound starts: zero, except in a piece of a longer broadcast, whose first page
 * stands at a position that its packets cannot account for.
 */
const firstGranule = async (window: SourceWindow, stream: OggStream): Promise<number> => {
  for await (const pages of pagesOf(window, stream.serial)) {
    const page = pages.find(({ granule }) => granule > 0);
    if (page) return page.granule > packetsEnding(page) * stream.longestPacket ? page.granule : 0;
  }
  return 0;
};
