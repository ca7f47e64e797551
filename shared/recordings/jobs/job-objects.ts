import type * as z from "zod";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import type { StoredJob } from "./job.ts";
import { type JobName, jobObjects } from "./keys.ts";
import { jobTranscript, type TranscribedPiece, transcribedPiece } from "./transcribed-piece.ts";

export const putJson = (store: Pick<ObjectStore, "put">, key: string, value: unknown): Promise<void> =>
  store.put(key, Buffer.from(JSON.stringify(value)), { contentType: "application/json" });

/** Reads a value that {@link putJson} stored; `undefined` when it does not exist. */
export const readJson = async <Schema extends z.ZodType>(
  store: Pick<ObjectStore, "open">,
  key: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> => {
  const object = await store.open(key);
  return object && schema.parse(JSON.parse(Buffer.from(await object.read(0, object.size)).toString()));
};

/** Pieces that are read in parallel: a recording of two days has three hundred. */
const atOnce = 16;

/** Returns the transcribed pieces of a job, in the order of the recording. */
export const readTranscribedPieces = async (
  store: Pick<ObjectStore, "open">,
  name: JobName,
  { done }: Pick<StoredJob, "done">,
): Promise<TranscribedPiece[]> => {
  const indexes = [...done].toSorted((one, other) => one - other);
  const pieces: TranscribedPiece[] = [];
  for (let start = 0; start < indexes.length; start += atOnce) {
    const read = await Promise.all(
      indexes
        .slice(start, start + atOnce)
        .map((index) => readJson(store, jobObjects.piece(name, index), transcribedPiece)),
    );
    for (const piece of read) if (piece !== undefined) pieces.push(piece);
  }
  return pieces;
};

/** Returns the whole transcript of a job; `undefined` when it does not exist. */
export const readTranscript = (store: Pick<ObjectStore, "open">, name: JobName) =>
  readJson(store, jobObjects.result(name), jobTranscript);
