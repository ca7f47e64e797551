import { AppError } from "../../platform/errors/app-error.ts";
import { UnreadableAudioError } from "../reading/audio-errors.ts";
import { JoinedWav } from "../wav/joined-wav.ts";
import type { Speech } from "../wav/streamed-wav.ts";

/** How much is encoded at a time, however much arrives: encoding blocks everything else. */
const blockBytes = 32_768;

async function* samplesOf({ header, audio }: Speech): AsyncGenerator<Uint8Array, void, undefined> {
  const wav = new JoinedWav(header.format, header.audioBytes);
  for await (const piece of audio) yield* wav.read(piece);
  yield wav.end();
}

/**
 * The samples of speech, without the chunks and headers between them, in pieces of at most a block.
 * @throws AppError `external_service_error` when its files cannot be joined, and what the speech throws.
 */
export async function* audioOf(speech: Speech): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const samples of samplesOf(speech)) {
      for (let start = 0; start < samples.length; start += blockBytes) {
        yield samples.subarray(start, start + blockBytes);
      }
    }
  } catch (error) {
    if (!(error instanceof UnreadableAudioError)) throw error;
    throw new AppError("external_service_error", { cause: error });
  }
}
