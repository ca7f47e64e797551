import { MPEGDecoder } from "mpg123-decoder";
import { OggOpusDecoder } from "ogg-opus-decoder";
import { vi } from "vitest";
import type { AudioFormat } from "../../shared/audio/encode/audio-formats.ts";
import type { Speech } from "../../shared/audio/wav/streamed-wav.ts";
import { readWavHeader, type SampleFormat } from "../../shared/audio/wav/wav-header.ts";
import { wavHeaderBytes } from "./wav.ts";

/** Speech of these bytes, which come in odd pieces; 24 kHz, 16 bits, mono unless a test says otherwise. */
export const speechOfAudio = (
  audio: Uint8Array,
  format: Partial<SampleFormat> = {},
  { failure, audioBytes }: { readonly failure?: Error; readonly audioBytes?: number } = {},
): Speech => ({
  header: {
    bytes: wavHeaderBytes(0, { sampleRate: format.sampleRate ?? 24_000 }),
    format: { encoding: "pcm", sampleRate: 24_000, channels: 1, bitsPerSample: 16, ...format },
    audioBytes,
  },
  audio: (async function* () {
    for (let start = 0; start < audio.length; start += 1_001) yield audio.subarray(start, start + 1_001);
    if (failure) throw failure;
  })(),
  cancel: vi.fn(),
});

/** A tone at half of full scale, 16 bits. */
export const tone = (seconds: number, { sampleRate = 24_000, hertz = 440 } = {}): Buffer => {
  const bytes = Buffer.alloc(Math.round(seconds * sampleRate) * 2);
  for (let at = 0; at < bytes.length; at += 2) {
    bytes.writeInt16LE(Math.round(16_384 * Math.sin((Math.PI * hertz * at) / sampleRate)), at);
  }
  return bytes;
};

/** Audio from an independent decoder: mono, from -1 to 1. */
export interface DecodedAudio {
  readonly samples: Float32Array;
  readonly sampleRate: number;
}

/** What another program, written by others, hears in a file that was encoded here. */
export const decodeAudio = async (format: AudioFormat, file: Uint8Array): Promise<DecodedAudio> => {
  if (format === "pcm" || format === "wav") {
    const header = format === "wav" ? readWavHeader(file) : undefined;
    const bytes = Buffer.from(file.subarray(header?.dataStart ?? 0));
    const samples = Float32Array.from(
      { length: Math.floor(bytes.length / 2) },
      (_, index) => bytes.readInt16LE(2 * index) / 32_768,
    );
    return { samples, sampleRate: header?.format.sampleRate ?? 24_000 };
  }
  const decoder = format === "mp3" ? new MPEGDecoder() : new OggOpusDecoder();
  await decoder.ready;
  const { channelData, sampleRate, errors } =
    decoder instanceof MPEGDecoder ? decoder.decode(file) : await decoder.decodeFile(file);
  decoder.free();
  if (errors.length > 0) throw new Error(`The decoder found errors: ${JSON.stringify(errors)}`);
  return { samples: channelData[0] ?? new Float32Array(), sampleRate };
};

/**
 * How loud audio is, without the silence at both ends: the root of the mean square, 1 for a square wave at full
 * scale.
 */
export const loudness = ({ samples }: DecodedAudio): number => {
  const middle = samples.subarray(samples.length * 0.25, samples.length * 0.75);
  return Math.sqrt(middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length);
};

/** The pitch of a tone in hertz: how often it goes up through zero. */
export const pitch = ({ samples, sampleRate }: DecodedAudio): number => {
  const middle = samples.subarray(samples.length * 0.25, samples.length * 0.75);
  const risen = middle.reduce(
    (count, sample, index) => count + (sample >= 0 && (middle[index - 1] ?? 0) < 0 ? 1 : 0),
    0,
  );
  return (risen * sampleRate) / middle.length;
};
