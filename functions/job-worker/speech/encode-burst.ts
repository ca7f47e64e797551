import {
  burstRate,
  frameSamples,
  type OpusBurst,
  preSkipSamples,
} from "../../../shared/audio/encode/join-bursts.ts";
import { createLibopusEncoder, type OpusFrameEncoder } from "../../../shared/audio/encode/opus.ts";
import { toSixteenBits } from "../../../shared/audio/encode/samples.ts";

const encodeFrames = (samples: Float32Array, encoder: OpusFrameEncoder): Uint8Array[] => {
  const bytes = toSixteenBits(samples);
  const frameBytes = frameSamples * 2;
  return Array.from({ length: bytes.length / frameBytes }, (_, index) =>
    encoder.encode(bytes.subarray(index * frameBytes, (index + 1) * frameBytes)),
  );
};

/**
 * Encodes audio that starts at a time of a recording, to the sample. Packets are on the recording's grid of 20 ms, so bursts can
 * be joined without decoding them.
 *
 * @param samples at {@link burstRate}. The next burst must start at least 50 ms after them.
 * @param start in seconds.
 */
export const encodeBurst = (samples: Float32Array, start: number): OpusBurst => {
  const first = Math.round(start * burstRate);
  const frame = Math.floor(first / frameSamples);
  if (samples.length === 0) return { frame, packets: [] };
  const lead = first - frame * frameSamples;
  // The codec delays audio by what decoders skip at the start of a file.
  const frames = Math.ceil((lead + samples.length + preSkipSamples) / frameSamples);
  const padded = new Float32Array(frames * frameSamples);
  padded.set(samples, lead);
  const encoder = createLibopusEncoder(burstRate);
  try {
    return { frame, packets: encodeFrames(padded, encoder) };
  } finally {
    encoder.close();
  }
};
