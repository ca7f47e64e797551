import pLimit from "p-limit";
import type * as z from "zod";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { putResults, readResults } from "../../shared/recordings/jobs/piece-results.ts";

interface PieceContent<Schema extends z.ZodType> {
  /** How many results the piece has. */
  readonly length: number;
  /** Of a result. */
  readonly schema: Schema;
  /** How many results are worked on at a time. */
  readonly atOnce: number;
  /** The version of the readers, for passages of a document. */
  readonly reader?: number;
}

/**
 * Works on the results of a piece that are missing, and stores all of them. When a model fails, those that it has done stay, so no
 * work is done twice.
 *
 * @param work returns the result at an index from 0. When one fails, the others are aborted.
 * @returns the results in their order.
 * @throws the errors of the store and of `work`.
 */
export const fillPiece = async <Schema extends z.ZodType>(
  name: JobName,
  index: number,
  { length, schema, atOnce, reader }: PieceContent<Schema>,
  store: Pick<ObjectStore, "open" | "put">,
  work: (offset: number, calls: { readonly signal: AbortSignal }) => Promise<z.output<Schema>>,
  signal: AbortSignal,
): Promise<z.output<Schema>[]> => {
  const read = (key: string) => readResults(store, key, schema, reader);
  // The whole piece is stored when its worker was killed before the piece was counted.
  const stored =
    (await read(jobObjects.piece(name, index))) ?? (await read(jobObjects.parts(name, index))) ?? [];
  const results: (z.output<Schema> | null)[] = Array.from({ length }, (_, offset) => stored[offset] ?? null);
  const missing = results.flatMap((result, offset) => (result === null ? [offset] : []));
  const failed = new AbortController();
  const calls = { signal: AbortSignal.any([signal, failed.signal]) };
  const fill = async (offset: number): Promise<void> => {
    try {
      calls.signal.throwIfAborted();
      results[offset] = await work(offset, calls);
    } catch (error) {
      // The others would fail as well, or be lost when the worker ends.
      failed.abort(error);
      throw error;
    }
  };
  try {
    await pLimit(atOnce).map(missing, fill);
  } catch (error) {
    await putResults(store, jobObjects.parts(name, index), results, reader);
    throw error;
  }
  await putResults(store, jobObjects.piece(name, index), results, reader);
  return results.filter((result) => result !== null);
};
