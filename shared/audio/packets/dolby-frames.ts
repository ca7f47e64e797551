import { byteAt, uint16BigEndian } from "../reading/bytes.ts";

const syncWord = 0x0b77;
const sampleRates = [48_000, 44_100, 32_000];
const kilobits = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
const blockSamples = 256;
const blocksOfFrame = [1, 2, 3, 6];
/** Higher numbers are E-AC-3. */
const maxAc3Version = 10;
const dependentStream = 1;

/** How long a packet of AC-3 or E-AC-3 frames plays (ETSI TS 102 366). */
export const dolbySeconds = (packet: Uint8Array): number => {
  let seconds = 0;
  for (let offset = 0; uint16BigEndian(packet, offset) === syncWord; ) {
    const version = byteAt(packet, offset + 5) >> 3;
    const frame = version > maxAc3Version ? extendedFrame(packet, offset) : plainFrame(packet, offset);
    if (frame.words === 0) break;
    seconds += frame.seconds;
    offset += frame.words * 2;
  }
  return seconds;
};

interface DolbyFrame {
  /** Of two bytes; 0 in a damaged header. */
  readonly words: number;
  readonly seconds: number;
}

const plainFrame = (packet: Uint8Array, offset: number): DolbyFrame => {
  const code = byteAt(packet, offset + 4);
  const sampleRate = sampleRates[code >> 6];
  const rate = kilobits[(code & 63) >> 1];
  if (!sampleRate || !rate) return { words: 0, seconds: 0 };
  const padding = sampleRate === 44_100 ? code & 1 : 0;
  return {
    words: Math.floor((rate * 96_000) / sampleRate) + padding,
    seconds: (6 * blockSamples) / sampleRate,
  };
};

const extendedFrame = (packet: Uint8Array, offset: number): DolbyFrame => {
  const head = uint16BigEndian(packet, offset + 2);
  const code = byteAt(packet, offset + 4);
  const second = (code >> 4) & 3;
  const sampleRate = sampleRates[code >> 6] ?? (sampleRates[second] ?? sampleRates[0] ?? 0) / 2;
  const blocks = code >> 6 === 3 ? 6 : (blocksOfFrame[second] ?? 0);
  const isHeard = head >> 14 !== dependentStream;
  return { words: (head & 0x7ff) + 1, seconds: isHeard ? (blocks * blockSamples) / sampleRate : 0 };
};
