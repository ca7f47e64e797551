import { byteAt } from "../bytes.ts";
import type { FrameFormat } from "./frame.ts";

/**
 * Layer III bit rates in kbit/s by index (ISO 11172-3 and 13818-3); 0 is "free format", which nothing plays.
 */
const bitRates = {
  version1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  version2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** By the two version bits of the header: 2.5, reserved, 2, 1. */
const sampleRates = [[11_025, 12_000, 8_000], [], [22_050, 24_000, 16_000], [44_100, 48_000, 32_000]];

const version1 = 3;
const layer3 = 1;
const mono = 3;

/** MPEG audio layer III, versions 1, 2 and 2.5. */
export const mp3Format: FrameFormat = {
  longestFrame: 1_441,

  parse(bytes, offset) {
    const second = byteAt(bytes, offset + 1);
    if (bytes[offset] !== 0xff || (second & 0xe0) !== 0xe0 || ((second >> 1) & 3) !== layer3)
      return undefined;
    const third = byteAt(bytes, offset + 2);
    const version = (second >> 3) & 3;
    const sampleRate = sampleRates[version]?.[(third >> 2) & 3];
    const bitRate = bitRates[version === version1 ? "version1" : "version2"][third >> 4];
    if (!sampleRate || !bitRate || offset + 4 > bytes.length) return undefined;

    const samples = version === version1 ? 1_152 : 576;
    const padding = (third >> 1) & 1;
    return {
      length: Math.floor((samples * 125 * bitRate) / sampleRate) + padding,
      samples,
      sampleRate,
      channels: byteAt(bytes, offset + 3) >> 6 === mono ? 1 : 2,
      signature: (version << 2) | ((third >> 2) & 3),
    };
  },
};

/**
 * Where a VBR header stands in a frame: after the frame's own header and the side information, which is
 * empty.
 */
export const vbrHeaderOffset = (frame: { readonly samples: number; readonly channels: number }): number => {
  if (frame.samples === 1_152) return frame.channels === 1 ? 21 : 36;
  return frame.channels === 1 ? 13 : 21;
};
