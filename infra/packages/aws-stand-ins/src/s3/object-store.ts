import type { DatabaseSync, StatementSync } from "node:sqlite";
import * as z from "zod";
import type { BodyFiles } from "./body-files.ts";
import { jsonColumn } from "./database.ts";

export const checksumsColumn = jsonColumn(z.record(z.string(), z.string()));
export const headersColumn = jsonColumn(z.record(z.string(), z.string()));

const rowSchema = z
  .object({
    bucket: z.string(),
    key: z.string(),
    body: z.string(),
    size: z.number(),
    etag: z.string(),
    modified_at: z.number(),
    headers: headersColumn,
    checksums: checksumsColumn,
  })
  .transform(({ modified_at, ...object }) => ({ ...object, modifiedAt: new Date(modified_at) }));

/** An object as stored: `body` names its file, `headers` are those it was put with and is served with. */
export type StoredObject = Readonly<z.infer<typeof rowSchema>>;

type NewObject = Omit<StoredObject, "modifiedAt">;

/** Receives the object to be replaced, if there is one, and throws to refuse the replacement. */
export type WriteCondition = (current: StoredObject | undefined) => void;

/** The objects of all buckets. Every method is one atomic step: nothing runs between its reading and writing. */
export class ObjectStore {
  readonly #bodies: BodyFiles;
  readonly #find: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #list: StatementSync;

  constructor(database: DatabaseSync, bodies: BodyFiles) {
    this.#bodies = bodies;
    this.#find = database.prepare("SELECT * FROM objects WHERE bucket = ? AND key = ?");
    this.#put = database.prepare("INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, '[]', ?)");
    this.#delete = database.prepare("DELETE FROM objects WHERE bucket = ? AND key = ?");
    this.#list = database.prepare(
      "SELECT * FROM objects WHERE bucket = :bucket AND key > :after AND key >= :from ORDER BY key",
    );
  }

  find(bucket: string, key: string): StoredObject | undefined {
    const row = this.#find.get(bucket, key);
    return row === undefined ? undefined : rowSchema.parse(row);
  }

  /** Makes the object visible in place of the one under the same key. A refused body is removed. */
  put(object: NewObject, condition: WriteCondition): StoredObject {
    const replaced = this.find(object.bucket, object.key);
    try {
      condition(replaced);
    } catch (error) {
      this.#bodies.release(object.body);
      throw error;
    }
    const modifiedAt = new Date();
    this.#put.run(
      object.bucket,
      object.key,
      object.body,
      object.size,
      object.etag,
      modifiedAt.getTime(),
      JSON.stringify(object.headers),
      JSON.stringify(object.checksums),
    );
    if (replaced !== undefined) this.#bodies.release(replaced.body);
    return { ...object, modifiedAt };
  }

  delete(bucket: string, key: string): void {
    const object = this.find(bucket, key);
    if (object === undefined) return;
    this.#delete.run(bucket, key);
    this.#bodies.release(object.body);
  }

  /**
   * The objects whose keys begin with `prefix` and come after `after`, in the order of their UTF-8 bytes. The
   * caller finishes with it before anything else is written.
   */
  *list(bucket: string, prefix: string, after: string): Generator<StoredObject> {
    for (const row of this.#list.iterate({ bucket, after, from: prefix })) {
      const object = rowSchema.parse(row);
      if (!object.key.startsWith(prefix)) return;
      yield object;
    }
  }
}
