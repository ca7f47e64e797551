import { vi } from "vitest";
import type { SampleFormat } from "../../shared/audio/wav/wav-header.ts";
import type { Speech } from "../../shared/inference/speech.ts";

/** Speech of these bytes, which come in odd pieces; 24 kHz, 16 bits, mono unless a test says otherwise. */
export const speechOfSound = (
  sound: Uint8Array,
  format: Partial<SampleFormat> = {},
  { failure, soundBytes }: { readonly failure?: Error; readonly soundBytes?: number } = {},
): Speech => ({
  header: {
    bytes: Buffer.alloc(44),
    format: { encoding: "pcm", sampleRate: 24_000, channels: 1, bitsPerSample: 16, ...format },
    soundBytes,
  },
  sound: (async function* () {
    for (let start = 0; start < sound.length; start += 1_001) yield sound.subarray(start, start + 1_001);
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
