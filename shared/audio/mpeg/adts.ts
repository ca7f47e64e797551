import { byteAt } from "../reading/bytes.ts";
import { frameReader, noHead } from "./frame-reader.ts";
import type { FrameFormat } from "./frames.ts";

/** By the sampling frequency index of ISO 14496-3. */
export const aacSampleRates: readonly number[] = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];

export const aacFrameSamples = 1_024;

/**
 * A frame should have at most 6,144 bits a channel (ISO 14496-3, 4.5.1.1), 768 bytes. ffmpeg's encoder exceeds that at
 * rates of speech: 1,123 bytes have been seen. A packet of more than twice as many has several frames.
 */
const maxFrameBytes = 2 * 768;

/** How many frames are in this many bytes, at least. @param channels 0 when they are unknown */
export const minAacFrames = (bytes: number, channels: number): number =>
  Math.ceil(bytes / (maxFrameBytes * (channels || maxChannels)));

const maxChannels = 8;

/** AAC in ADTS frames. With SBR the true sample rate is twice the one announced here, and the duration the same. */
export const adtsFormat: FrameFormat = {
  maxFrameBytes: 8_191,

  parse(bytes, offset) {
    const second = byteAt(bytes, offset + 1);
    if (bytes[offset] !== 0xff || (second & 0xf6) !== 0xf0 || offset + 7 > bytes.length) return undefined;
    const third = byteAt(bytes, offset + 2);
    const fourth = byteAt(bytes, offset + 3);
    const sampleRate = aacSampleRates[(third >> 2) & 15];
    const headerLength = second & 1 ? 7 : 9;
    const length = ((fourth & 3) << 11) | (byteAt(bytes, offset + 4) << 3) | (byteAt(bytes, offset + 5) >> 5);
    // A length of zero would never advance.
    if (!sampleRate || length <= headerLength) return undefined;

    const channels = ((third & 1) << 2) | (fourth >> 6);
    return {
      length,
      samples:
        aacFrameSamples *
        Math.max((byteAt(bytes, offset + 6) & 3) + 1, minAacFrames(length - headerLength, channels)),
      sampleRate,
      // Configuration 7 is 7.1; 0 means that the stream itself says, which for speech is one channel.
      channels: channels === 7 ? 8 : channels || 1,
      signature: (third & 0xfd) | (channels << 8),
    };
  },
};

/** AAC as a bare stream of ADTS frames. */
export const adtsReader = frameReader(async ({ start }) => ({
  codec: "aac",
  format: adtsFormat,
  head: noHead,
  start,
}));
