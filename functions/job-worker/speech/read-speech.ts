import { audioOf } from "../../../shared/audio/encode/audio-of.ts";
import { createResampler, createSampleReader } from "../../../shared/audio/encode/samples.ts";
import type { Speech } from "../../../shared/audio/wav/streamed-wav.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";

/**
 * Reads speech as samples of one channel from -1 to 1.
 *
 * @param sampleRate of the result, in hertz.
 * @param maxSeconds the rest is not read, and its model stopped.
 * @throws AppError `external_service_error` for an unknown sample format, and what the speech throws.
 */
export const readSpeech = async (
  speech: Speech,
  sampleRate: number,
  maxSeconds: number,
): Promise<Float32Array> => {
  const { format } = speech.header;
  try {
    const read = createSampleReader(format);
    if (!read) {
      throw new AppError("external_service_error", {
        cause: new Error(`Samples of the kind ${format.encoding} are not read.`),
      });
    }
    const resampler =
      format.sampleRate === sampleRate ? undefined : createResampler(format.sampleRate, sampleRate);
    const pieces: Float32Array[] = [];
    let left = Math.round(maxSeconds * sampleRate);
    const add = (samples: Float32Array): void => {
      pieces.push(samples.subarray(0, left));
      left -= Math.min(left, samples.length);
    };
    for await (const bytes of audioOf(speech)) {
      const samples = read(bytes);
      add(resampler ? resampler.add(samples) : samples);
      if (left === 0) break;
    }
    if (resampler) add(resampler.finish());
    return joined(pieces);
  } finally {
    speech.cancel();
  }
};

const joined = (pieces: readonly Float32Array[]): Float32Array => {
  const all = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const piece of pieces) {
    all.set(piece, position);
    position += piece.length;
  }
  return all;
};
