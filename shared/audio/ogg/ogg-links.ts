import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import type { FileSection } from "../reading/packet-tally.ts";
import { firstGranule } from "./ogg-head.ts";
import { findLastPage, isIntact, type LocatedPage, pagesOf } from "./ogg-pages.ts";
import { findOggStream, type OggStream } from "./ogg-stream.ts";

/** Whether another recording starts with a page. */
export const startsLink = (page: LocatedPage, { startsEnd }: Pick<OggStream, "startsEnd">): boolean =>
  page.isFirst && page.offset >= startsEnd && isIntact(page);

/** A capture of a day has a few hundred songs. */
const maxLinks = 1_000;

/**
 * The recordings that follow each other in a file (RFC 3533, section 4), as captures of radio streams have them. Reads all of it.
 * @throws UnreadableAudioError when there are too many
 */
export const findLinks = async (window: SourceWindow): Promise<readonly FileSection[]> => {
  let stream = await findOggStream(window);
  const starts = [0];
  for await (const pages of pagesOf(window)) {
    for (const page of pages) {
      if (!startsLink(page, stream)) continue;
      starts.push(page.offset);
      if (starts.length > maxLinks)
        throw new UnreadableAudioError("The Ogg file is damaged: it contains too many recordings.");
      const { startsEnd } = await findOggStream(window.sibling().part(page.offset));
      stream = { ...stream, startsEnd: page.offset + startsEnd };
    }
  }
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? window.size }));
};

/** What a recording states about itself. */
export interface OggLink {
  readonly stream: OggStream;
  /** The granule of the first sample that is played. */
  readonly origin: number;
  /** The granule of its end. */
  readonly last: number;
  readonly seconds: number;
}

/** @param window on nothing but the recording. @returns nothing when no page at its end belongs to it */
export const describeLink = async (window: SourceWindow): Promise<OggLink | undefined> => {
  const stream = await findOggStream(window);
  const last = await findLastPage(window, stream.serial);
  if (!last) return undefined;
  const origin = (await firstGranule(window, stream)) + stream.preSkip;
  const seconds = Math.max(0, last.granule - origin) / stream.sampleRate;
  return { stream, origin, last: last.granule, seconds };
};
