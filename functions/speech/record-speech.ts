import { wavDuration } from "../../shared/audio/wav/wav-header.ts";
import type { Speech, SpeechHeader } from "../../shared/inference/speech.ts";
import { countAudio } from "../../shared/limits/use.ts";
import type { ObjectWriter } from "../../shared/storage/object-store.ts";

/** Speech as it is sent while it is made. What was made of it is counted, also when it is left or breaks off. */
export async function* streamSpeech(speech: Speech): AsyncGenerator<Uint8Array, void, undefined> {
  let followingBytes = 0;
  try {
    yield streamedHeader(speech.header);
    for await (const piece of speech.sound) {
      followingBytes += piece.length;
      yield piece;
    }
  } finally {
    speech.cancel();
    countAudio(durationSeconds(speech.header, followingBytes));
  }
}

/**
 * Stores speech and passes it on at the same time. It ends only when the object is stored, with true lengths in its
 * header: a stream that came to its end means a link that works. When the iteration is left or the speech breaks off,
 * nothing stays stored.
 *
 * @returns how many bytes followed the header.
 */
export async function* recordSpeech(
  speech: Speech,
  writer: ObjectWriter,
): AsyncGenerator<Uint8Array, number, undefined> {
  let followingBytes = -speech.header.bytes.length;
  try {
    for await (const piece of streamSpeech(speech)) {
      followingBytes += piece.length;
      await writer.write(piece);
      yield piece;
    }
    await writer.complete(completeHeader(speech.header, followingBytes));
    return followingBytes;
  } finally {
    await writer.abort();
  }
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
export const durationSeconds = ({ format, soundBytes }: SpeechHeader, followingBytes: number): number =>
  Math.round(wavDuration(format, Math.min(soundBytes ?? followingBytes, followingBytes)) * 1_000) / 1_000;
