import * as z from "zod";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import { putJson, readJson } from "./job-objects.ts";

/**
 * Reads the results of a piece that {@link putResults} stored, in their order; those that are missing are `null`.
 *
 * @param reader the version of the readers of documents that numbers the results. `undefined` for what is no document.
 * @returns `undefined` when there are none, or when another version has numbered them.
 */
export const readResults = async <Schema extends z.ZodType>(
  store: Pick<ObjectStore, "open">,
  key: string,
  schema: Schema,
  reader?: number,
): Promise<(z.output<Schema> | null)[] | undefined> => {
  const list = z.array(schema.nullable());
  const found = await readJson(store, key, z.union([list, z.object({ reader: z.int(), results: list })]));
  if (found === undefined) return undefined;
  const stored = Array.isArray(found) ? { reader: undefined, results: found } : found;
  return stored.reader === reader ? stored.results : undefined;
};

export const putResults = (
  store: Pick<ObjectStore, "put">,
  key: string,
  results: readonly unknown[],
  reader?: number,
): Promise<void> => putJson(store, key, reader === undefined ? results : { reader, results });
