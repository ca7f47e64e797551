import { aacFrameSamples, aacSampleRates, minAacFrames } from "../mpeg/adts.ts";
import { byteAt } from "../reading/bytes.ts";

/** How long packets play, in seconds. Packets are passed in their order. */
export interface PacketClock {
  /** Whether the size of a packet is enough. */
  readonly needsOnlySize: boolean;
  /** @param packet its bytes, unless only the size is needed */
  secondsOf(size: number, packet: Uint8Array): number;
}

/**
 * Frames of AAC are equally long. With SBR, or as xHE-AAC, they have more samples at a higher rate.
 * @param configuration the AudioSpecificConfig; without one, what the container says is used
 */
export const aacClock = (configuration: Uint8Array, sampleRate: number, channels: number): PacketClock => {
  const frameSeconds = frameSecondsOf(configuration) ?? aacFrameSamples / sampleRate;
  return { needsOnlySize: true, secondsOf: (size) => minAacFrames(size, channels) * frameSeconds };
};

const [spectralBandReplication, lowDelay, parametricStereo, enhancedLowDelay, xheAac] = [5, 23, 29, 39, 42];
const xheFrameSamples = [768, 1_024, 2_048, 2_048, 4_096];

const frameSecondsOf = (configuration: Uint8Array): number | undefined => {
  let offset = 0;
  const take = (count: number): number => {
    let value = 0;
    for (const end = offset + count; offset < end; offset += 1) {
      value = value * 2 + ((byteAt(configuration, offset >> 3) >> (7 - (offset & 7))) & 1);
    }
    return value;
  };
  const takeType = (): number => {
    const type = take(5);
    return type === 31 ? 32 + take(6) : type;
  };
  const takeRate = (indexBits: number): number | undefined => {
    const index = take(indexBits);
    return index === 2 ** indexBits - 1 ? take(24) : aacSampleRates[index];
  };
  let type = takeType();
  const sampleRate = takeRate(4);
  take(4);
  if (type === spectralBandReplication || type === parametricStereo) {
    takeRate(4);
    type = takeType();
  }
  if (!sampleRate || configuration.length < 2) return undefined;
  if (type === xheAac) return xheFrameSamplesOf(takeRate(5) ?? sampleRate, take(3));
  const isShorter = take(1) === 1;
  if (type === lowDelay || type === enhancedLowDelay) return (isShorter ? 480 : 512) / sampleRate;
  return (isShorter ? 960 : aacFrameSamples) / sampleRate;
};

const xheFrameSamplesOf = (sampleRate: number, index: number): number =>
  (xheFrameSamples[index] ?? aacFrameSamples) / sampleRate;
