import { byteAt } from "../reading/bytes.ts";
import { frameReader, noHead } from "./frame-reader.ts";
import type { FrameFormat } from "./frames.ts";
import { sampleRates } from "./mp3.ts";

/** Layer II bit rates in kbit/s by index (ISO 11172-3 and 13818-3); 0 is "free format", which no player supports. */
const bitRates = {
  version1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  version2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

const layer2 = 2;
const [version2, version1] = [2, 3];
const mono = 3;
const frameSamples = 1_152;

/** MPEG audio layer II, as broadcasters record it. */
export const mp2Format: FrameFormat = {
  maxFrameBytes: 1_729,

  parse(bytes, offset) {
    const second = byteAt(bytes, offset + 1);
    const version = (second >> 3) & 3;
    if (bytes[offset] !== 0xff || (second & 0xe0) !== 0xe0 || ((second >> 1) & 3) !== layer2)
      return undefined;
    if (version < version2 || offset + 4 > bytes.length) return undefined;
    const third = byteAt(bytes, offset + 2);
    const sampleRate = sampleRates[version]?.[(third >> 2) & 3];
    const bitRate = bitRates[version === version1 ? "version1" : "version2"][third >> 4];
    if (!sampleRate || !bitRate) return undefined;
    return {
      length: Math.floor((frameSamples * 125 * bitRate) / sampleRate) + ((third >> 1) & 1),
      samples: frameSamples,
      sampleRate,
      channels: byteAt(bytes, offset + 3) >> 6 === mono ? 1 : 2,
      signature: (version << 2) | ((third >> 2) & 3),
    };
  },
};

export const mp2Reader = frameReader(async ({ start }) => ({
  codec: "mp2",
  format: mp2Format,
  head: noHead,
  start,
}));
