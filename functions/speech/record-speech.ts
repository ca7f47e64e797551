import type { Speech } from "../../shared/inference/speech.ts";
import type { ObjectWriter } from "../../shared/storage/object-store.ts";
import { completeHeader, streamedHeader } from "./wav-lengths.ts";

/** Speech as it is sent while it is made. */
export async function* streamSpeech(speech: Speech): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield streamedHeader(speech.header);
    yield* speech.sound;
  } finally {
    speech.cancel();
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
