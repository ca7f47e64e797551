import OpusScript from "opusscript";
import type { OpusFrameEncoder, OpusRate } from "./opus-speech-encoder.ts";

/** As phones record voice notes; 45 seconds take about 130 kB. */
const bitsPerSecond = 24_000;

const bytesPerSample = 2;

/** libopus, compiled to WebAssembly: about a second of CPU for 45 seconds of speech. */
export const createLibopusEncoder = (sampleRate: OpusRate): OpusFrameEncoder => {
  const opus = new OpusScript(sampleRate, 1, OpusScript.Application.VOIP);
  opus.setBitrate(bitsPerSecond);
  return {
    encode: (frame) => opus.encode(frame, frame.length / bytesPerSample),
    close: () => opus.delete(),
  };
};
