import type { EncodedAudio } from "../../shared/audio/encode/audio-formats.ts";
import type { ObjectWriter } from "../../shared/platform/storage/object-store.ts";
import { countAudio } from "../../shared/platform/telemetry/use.ts";

/** Speech as a stream. Counts what was produced of it, even if the stream is abandoned or fails. */
export async function* streamSpeech(audio: EncodedAudio): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* audio.pieces;
  } finally {
    countAudio(audio.end().seconds);
  }
}

/**
 * Stores speech and passes it on at the same time. It ends when the object is stored with the correct lengths, so a
 * complete stream means a link that works. If the stream fails or is abandoned, nothing stays stored.
 */
export async function* recordSpeech(
  audio: EncodedAudio,
  writer: ObjectWriter,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const piece of streamSpeech(audio)) {
      await writer.write(piece);
      yield piece;
    }
    await writer.complete(audio.end().start);
  } finally {
    await writer.abort();
  }
}
