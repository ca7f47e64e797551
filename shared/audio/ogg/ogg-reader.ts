import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { ContainerReader } from "../reading/container.ts";
import { cutOgg, firstGranule, oggPoints } from "./ogg-cut.ts";
import { findLastPage } from "./ogg-pages.ts";
import { findOggStream } from "./ogg-stream.ts";

/** Ogg with Opus, Vorbis or FLAC. Pages carry positions, so the first and the last ones give the duration. */
export const oggReader: ContainerReader = {
  async measure({ window }) {
    const stream = await findOggStream(window);
    const { codec, sampleRate, channels } = stream;
    const last = await findLastPage(window, stream.serial);
    if (!last) throw new UnreadableAudioError("The Ogg file is damaged: it has no intact page at its end.");
    const granules = last.granule - (await firstGranule(window, stream)) - stream.preSkip;
    return { codec, durationSeconds: Math.max(0, granules) / stream.sampleRate, sampleRate, channels };
  },

  async ticksAt({ window }, seconds) {
    const stream = await findOggStream(window);
    const length = Math.round(seconds * stream.sampleRate) + stream.preSkip;
    return (await firstGranule(window, stream)) + length;
  },

  cutPoints: oggPoints,
  cut: cutOgg,
};
