import { type SampleFormat, wavDuration } from "./wav-header.ts";

/** What is known of speech before its sound has arrived. */
export interface SpeechHeader {
  /** The beginning of a WAV file up to its first sample, with whatever chunks the server put there. */
  readonly bytes: Uint8Array;
  readonly format: SampleFormat;
  /** How many bytes of sound follow; `undefined` when the server did not know yet. */
  readonly soundBytes: number | undefined;
}

/** A WAV file on its way: its header has arrived, the sound is still being made. */
export interface Speech {
  readonly header: SpeechHeader;
  /**
   * The bytes behind the header, as they arrive; to be read once. Throws AppError `external_service_error` when the
   * server breaks off, falls silent or never gives any sound.
   */
  readonly sound: AsyncIterable<Uint8Array>;
  /** Stops the server's work; without effect once the sound was read to its end. */
  cancel(): void;
}

/** Where a WAV file tells how long all of it is; the length of the sound are the last bytes before the sound. */
const fileLengthOffset = 4;
const lengthBytes = 4;

/** What is written where a length is not known: players then read as far as there is something to read. */
const unknownLength = 0xff_ff_ff_ff;

const withLengths = ({ bytes }: SpeechHeader, fileLength: number, soundLength: number): Uint8Array => {
  const copy = Buffer.from(bytes);
  // A file counts neither its first tag nor the length itself.
  copy.writeUInt32LE(fileLength, fileLengthOffset);
  copy.writeUInt32LE(soundLength, copy.length - lengthBytes);
  return copy;
};

/** The header for speech that is sent while it is made: with the length the server knew, or that nobody knows it. */
export const streamedHeader = (header: SpeechHeader): Uint8Array =>
  header.soundBytes === undefined ? withLengths(header, unknownLength, unknownLength) : header.bytes;

/** The header of the whole file, with true lengths. @param followingBytes all bytes behind the header. */
export const completeHeader = (header: SpeechHeader, followingBytes: number): Uint8Array =>
  withLengths(
    header,
    header.bytes.length - fileLengthOffset - lengthBytes + followingBytes,
    header.soundBytes ?? followingBytes,
  );

/** How long the sound lasts, to a millisecond. @param followingBytes all bytes behind the header. */
export const soundSeconds = ({ format, soundBytes }: SpeechHeader, followingBytes: number): number =>
  Math.round(wavDuration(format, Math.min(soundBytes ?? followingBytes, followingBytes)) * 1_000) / 1_000;
