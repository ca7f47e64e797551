import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { ContainerReader } from "../reading/container.ts";
import { compareWithPackets } from "../reading/packet-tally.ts";
import { cutOgg, firstGranule, oggPoints } from "./ogg-cut.ts";
import { countOggPackets } from "./ogg-packets.ts";
import { findLastPage } from "./ogg-pages.ts";
import { findOggStream } from "./ogg-stream.ts";

/** Ogg with Opus, Vorbis or FLAC. Pages carry positions, so the first and the last ones state the duration. */
export const oggReader: ContainerReader = {
  async measure({ window }) {
    const stream = await findOggStream(window);
    const { codec, sampleRate, channels } = stream;
    const last = await findLastPage(window, stream.serial);
    if (!last) throw new UnreadableAudioError("The Ogg file is damaged: it has no intact page at its end.");
    const granules = last.granule - (await firstGranule(window, stream)) - stream.preSkip;
    const stated = Math.max(0, granules) / sampleRate;
    const unheard = stream.preSkip / sampleRate;
    const length = await compareWithPackets(window, { stated, unheard }, (tally, parts) =>
      countOggPackets(window, stream, tally, parts),
    );
    return { codec, ...length, sampleRate, channels };
  },

  async ticksAt({ window }, seconds) {
    const stream = await findOggStream(window);
    const length = Math.round(seconds * stream.sampleRate) + stream.preSkip;
    return (await firstGranule(window, stream)) + length;
  },

  cutPoints: oggPoints,
  cut: cutOgg,
};
