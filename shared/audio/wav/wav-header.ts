import { UnreadableAudioError } from "../reading/audio-errors.ts";
import { hasText, textAt } from "../reading/bytes.ts";
import { bytesPerSample, type SampleFormat, walkWav } from "./wav-structure.ts";

export type { SampleFormat } from "./wav-structure.ts";

export interface WavHeader {
  readonly format: SampleFormat;
  readonly dataStart: number;
  /** Bytes of audio, unless the header was written before the length was known. */
  readonly dataBytes: number | undefined;
}

/** More than any synthesiser's header takes. */
const maxHeaderBytes = 1 << 20;

/**
 * Reads the header from the first bytes of a WAV stream. @returns undefined when it continues beyond them
 * @throws UnreadableAudioError when it is not a WAV header, or one of a compressed encoding
 */
export const readWavHeader = (start: Uint8Array): WavHeader | undefined => {
  if (start.length < 12) return undefined;
  const isWav = /^(RIFF|RF64|BW64)$/.test(textAt(start, 0, 4)) && hasText(start, 8, "WAVE");
  if (!isWav) throw new UnreadableAudioError("The stream is not WAV audio.");
  const walk = walkWav();
  let step = walk.next();
  while (!step.done) {
    const end = step.value.offset + step.value.length;
    if (end > maxHeaderBytes) throw new UnreadableAudioError("The WAV stream's header is too long.");
    if (end > start.length) return undefined;
    step = walk.next(start.subarray(step.value.offset, end));
  }
  const { format, dataStart, dataBytes } = step.value;
  if (!format.samples)
    throw new UnreadableAudioError(`The WAV stream contains ${format.codec}, not samples.`);
  return { format: format.samples, dataStart, dataBytes };
};

/** How long this many bytes of audio play, in seconds. */
export const wavDuration = (format: SampleFormat, dataBytes: number): number =>
  Math.floor(dataBytes / (format.channels * bytesPerSample(format))) / format.sampleRate;
