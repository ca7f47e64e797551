import { stretchTime } from "./stretch-time.ts";

/** Speech may be this much faster than the model spoke it. */
export const maxSpeed = 1.25;

/** Silence before the next slot, in which the codec's last packets end. */
export const gapSeconds = 0.06;

/** What is cut off fades out in this time. */
const fadeSeconds = 0.03;

/** Loudness is measured over this time. */
const windowSeconds = 0.01;

/** Quieter windows than this share of the loudest are silence: 40 dB. */
const silenceShare = 0.01;

/** Before the first loud window, consonants begin. */
const onsetSeconds = 0.02;

/** Speech that fits its slot. */
export interface FittedSpeech {
  readonly samples: Float32Array;
  /** How much faster it is, from 1 to {@link maxSpeed}. */
  readonly speed: number;
  /** Whether all of it is heard. */
  readonly fits: boolean;
}

/** Returns speech without the silence before and after it; nothing when all of it is silent. */
export const trimSilence = (samples: Float32Array, sampleRate: number): Float32Array => {
  const size = Math.round(windowSeconds * sampleRate);
  const windows = Array.from({ length: Math.ceil(samples.length / size) }, (_, index) => {
    let energy = 0;
    for (const sample of samples.subarray(index * size, (index + 1) * size)) energy += sample * sample;
    return Math.sqrt(energy / size);
  });
  const loudest = windows.reduce((max, each) => Math.max(max, each), 0);
  const isHeard = (loudness: number): boolean => loudness > 0 && loudness >= loudest * silenceShare;
  const first = windows.findIndex(isHeard);
  if (first < 0) return samples.subarray(0, 0);
  const margin = Math.round(onsetSeconds * sampleRate);
  const last = (windows.findLastIndex(isHeard) + 1) * size;
  return samples.subarray(Math.max(0, first * size - margin), last + margin);
};

/** How much audio of the model is needed to fill a slot, in seconds, when silence precedes the speech. */
export const neededSeconds = (slotSeconds: number): number => slotSeconds * maxSpeed + 2;

const cutOff = (samples: Float32Array, length: number, sampleRate: number): Float32Array => {
  const cut = samples.slice(0, length);
  const fade = Math.min(length, Math.round(fadeSeconds * sampleRate));
  for (let index = 0; index < fade; index += 1) {
    const position = length - fade + index;
    cut[position] = ((cut[position] ?? 0) * (fade - index)) / (fade + 1);
  }
  return cut;
};

/**
 * Fits speech into its slot: as the model spoke it, or faster by at most a quarter. What is still too long is cut off at the
 * slot's end, so the next segment begins in time.
 *
 * @param slotSeconds until the next segment begins.
 */
export const fitSpeech = (spoken: Float32Array, sampleRate: number, slotSeconds: number): FittedSpeech => {
  const room = Math.max(0, Math.floor((slotSeconds - gapSeconds) * sampleRate));
  const samples = trimSilence(spoken, sampleRate);
  if (samples.length <= room) return { samples, speed: 1, fits: true };
  if (room === 0) return { samples: samples.subarray(0, 0), speed: 1, fits: false };
  const speed = Math.min(maxSpeed, samples.length / room);
  const stretched = stretchTime(samples, sampleRate, speed);
  if (stretched.length <= room) return { samples: stretched, speed, fits: true };
  // Rounding may add a sample.
  const fits = stretched.length - room < windowSeconds * sampleRate;
  return { samples: cutOff(stretched, room, sampleRate), speed, fits };
};
