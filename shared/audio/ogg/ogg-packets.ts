import type { PacketClock } from "../packets/aac-clock.ts";
import { packetClock } from "../packets/packet-clock.ts";
import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import { hasText } from "../reading/bytes.ts";
import type { FileSection, PacketTally } from "../reading/packet-tally.ts";
import { readOggHead } from "./ogg-head.ts";
import { startsLink } from "./ogg-links.ts";
import { isIntact, type LocatedPage, packetParts, pagesOf } from "./ogg-pages.ts";
import { AnotherRecording, type OggStream, severalRecordings } from "./ogg-stream.ts";

const isHeader = (packet: Uint8Array): boolean =>
  hasText(packet, 0, "OpusHead") || hasText(packet, 0, "OpusTags");

/** Counts the packets of a page. */
const countPage = (page: LocatedPage, stream: OggStream, clock: PacketClock, tally: PacketTally): void => {
  for (const { bytes, isStart } of packetParts(page)) {
    const mayStartFrame = isStart || stream.codec === "flac";
    if (mayStartFrame && !isHeader(bytes)) tally.add(clock.secondsOf(bytes.length, bytes));
  }
  if (page.granule > 0) tally.reach(page.granule / stream.sampleRate);
};

/**
 * Adds up the packets of a stream in some parts of a file.
 * @throws AnotherRecording when one starts: players continue with it
 * @throws UnreadableAudioError when there is another one at the same time
 */
export const countOggPackets = async (
  window: SourceWindow,
  stream: OggStream,
  tally: PacketTally,
  parts: readonly FileSection[],
): Promise<void> => {
  const packets = stream.codec === "vorbis" ? (await readOggHead(window, stream)).packets : [];
  const clock = packetClock({ ...stream, configuration: packets[0], setup: packets[2] });
  for (const { start, end } of parts) {
    tally.skip();
    tally.bytes += end - start;
    for await (const pages of pagesOf(window, undefined, start, end)) {
      for (const page of pages) {
        if (page.offset >= end) break;
        if (startsLink(page, stream)) throw new AnotherRecording();
        if (!stream.serials.has(page.serial) && isIntact(page))
          throw new UnreadableAudioError(severalRecordings);
        if (page.serial === stream.serial) countPage(page, stream, clock, tally);
      }
    }
  }
};
