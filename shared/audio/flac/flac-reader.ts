import type { ContainerReader } from "../reading/container.ts";
import { compareWithPackets } from "../reading/packet-tally.ts";
import { cutFlac, flacPoints } from "./flac-cut.ts";
import { countFlacFrames } from "./flac-frames.ts";
import { countFlacSamples, openFlac } from "./flac-stream.ts";

/** FLAC. Each frame has its position, so the last one states the duration; all are counted, because they may repeat it. */
export const flacReader: ContainerReader = {
  async measure({ window, start }) {
    const stream = await openFlac(window, start);
    const { sampleRate, channels } = stream;
    const stated = Math.max(0, await countFlacSamples(window, stream)) / sampleRate;
    // Without a whole frame there is nothing to count.
    const length =
      stated === 0
        ? { durationSeconds: 0 }
        : await compareWithPackets(window, { stated }, (tally, parts) =>
            countFlacFrames(window, stream, tally, parts),
          );
    return { codec: "flac", ...length, sampleRate, channels };
  },

  async ticksAt({ window, start }, seconds) {
    const { sampleRate, firstFrame } = await openFlac(window, start);
    return firstFrame.firstSample + Math.ceil(seconds * sampleRate);
  },

  cutPoints: flacPoints,
  cut: cutFlac,
};
