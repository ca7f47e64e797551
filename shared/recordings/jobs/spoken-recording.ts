import * as z from "zod";
import { joinBursts, type OpusBurst } from "../../audio/encode/join-bursts.ts";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import type { StoredTranscription } from "./job.ts";
import { readJson } from "./job-objects.ts";
import { type JobName, jobObjects } from "./keys.ts";
import { readStagePlan, spokenAudio } from "./translated-recording.ts";

const spokenPiece = z.array(spokenAudio);

type Spoken = Pick<StoredTranscription, "audio_milliseconds" | "done" | "stages">;

/** Yields the pieces of a language that are spoken, one at a time: an hour of speech need not fit into memory. */
export async function* readSpokenPieces(
  store: Pick<ObjectStore, "open">,
  name: JobName,
  { stages, done }: Spoken,
  language: string,
): AsyncGenerator<z.output<typeof spokenPiece>, void, undefined> {
  const stage = stages.find(({ kind, languages }) => kind === "speak" && languages.includes(language));
  const plan = (stage && (await readStagePlan(store, name, stage))) ?? [];
  for (const [offset, piece] of plan.entries()) {
    const index = (stage?.from ?? 0) + offset;
    if (piece.language !== language || !done.has(index)) continue;
    yield (await readJson(store, jobObjects.piece(name, index), spokenPiece)) ?? [];
  }
}

/** Joins what is spoken of a language into one Ogg Opus file, as long as the recording. Pieces that are missing are silent. */
export async function* joinSpokenPieces(
  store: Pick<ObjectStore, "open">,
  name: JobName,
  job: Spoken,
  language: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const bursts = async function* (): AsyncGenerator<OpusBurst, void, undefined> {
    for await (const piece of readSpokenPieces(store, name, job, language)) {
      for (const { frame, packets } of piece) {
        yield { frame, packets: packets.map((packet) => Buffer.from(packet, "base64")) };
      }
    }
  };
  yield* joinBursts(bursts(), job.audio_milliseconds / 1_000);
}
