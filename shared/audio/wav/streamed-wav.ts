import { type SampleFormat, wavDuration } from "./wav-header.ts";

/** Facts about speech before its audio has arrived. */
export interface SpeechHeader {
  /** The start of a WAV file up to its first sample, with any chunks that the server put there. */
  readonly bytes: Uint8Array;
  readonly format: SampleFormat;
  /** How many bytes of audio the server announces; `undefined` when it did not know yet. */
  readonly audioBytes: number | undefined;
  /** Whether more may follow, as in a response of unknown length. */
  readonly mayContinue?: boolean;
}

/** A WAV file in progress: its header has arrived, the audio is still coming. */
export interface Speech {
  readonly header: SpeechHeader;
  /**
   * The bytes after the header, as they arrive: the audio, other chunks, and files that continue it. To be read once. Throws
   * AppError `external_service_error` when the server ends early, falls silent or sends no audio.
   */
  readonly audio: AsyncIterable<Uint8Array>;
  /** Stops the server's work; no effect after the audio has been read to its end. */
  cancel(): void;
}

/** The offset of the total length in a WAV file; the length of the audio is in the last bytes before the audio. */
const fileLengthOffset = 4;
const lengthBytes = 4;

/** Written for an unknown length: players then read as far as there is data. */
const unknownLength = 0xff_ff_ff_ff;

const withLengths = ({ bytes }: SpeechHeader, fileLength: number, audioLength: number): Uint8Array => {
  const copy = Buffer.from(bytes);
  // A file counts neither its first tag nor the length itself.
  copy.writeUInt32LE(fileLength, fileLengthOffset);
  copy.writeUInt32LE(audioLength, copy.length - lengthBytes);
  return copy;
};

/** How many bytes of audio there will be, if that is certain before the first one. */
export const certainBytes = ({ audioBytes, mayContinue = false }: SpeechHeader): number | undefined =>
  mayContinue ? undefined : audioBytes;

/** The header for streamed speech: with its length, or marked as unknown. */
export const streamedHeader = (header: SpeechHeader): Uint8Array => {
  const bytes = certainBytes(header);
  return bytes === undefined
    ? withLengths(header, unknownLength, unknownLength)
    : completeHeader(header, bytes);
};

/** The header of the whole file, with correct lengths. */
export const completeHeader = (header: SpeechHeader, audioBytes: number): Uint8Array =>
  withLengths(header, header.bytes.length - fileLengthOffset - lengthBytes + audioBytes, audioBytes);

/** How long the audio lasts, to a millisecond. */
export const audioSeconds = ({ format }: SpeechHeader, audioBytes: number): number =>
  Math.round(wavDuration(format, audioBytes) * 1_000) / 1_000;
