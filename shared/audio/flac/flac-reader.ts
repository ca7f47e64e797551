import type { ContainerReader } from "../reading/container.ts";
import { cutFlac, flacPoints } from "./flac-cut.ts";
import { countFlacSamples, openFlac } from "./flac-stream.ts";

/** FLAC. Each frame has its position, so the last one has the duration. */
export const flacReader: ContainerReader = {
  async measure({ window, start }) {
    const stream = await openFlac(window, start);
    const { sampleRate, channels } = stream;
    const samples = await countFlacSamples(window, stream);
    return { codec: "flac", durationSeconds: Math.max(0, samples) / sampleRate, sampleRate, channels };
  },

  async ticksAt({ window, start }, seconds) {
    const { sampleRate, firstFrame } = await openFlac(window, start);
    return firstFrame.firstSample + Math.ceil(seconds * sampleRate);
  },

  cutPoints: flacPoints,
  cut: cutFlac,
};
