import { mkdirSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import * as z from "zod";
import { BodyFiles } from "./body-files.ts";
import { type LifecycleRule, lifecycleRuleSchema } from "./bucket-properties.ts";
import { type CorsRule, corsRuleSchema } from "./cors.ts";
import { jsonColumn, openDatabase } from "./database.ts";
import { ObjectStore } from "./object-store.ts";
import { UploadStore } from "./upload-store.ts";

const rowSchema = z
  .object({
    name: z.string(),
    created_at: z.number(),
    cors: jsonColumn(z.array(corsRuleSchema)),
    lifecycle: jsonColumn(z.array(lifecycleRuleSchema)),
  })
  .transform(({ created_at, ...bucket }) => ({ ...bucket, createdAt: new Date(created_at) }));

export type Bucket = z.infer<typeof rowSchema>;

class BucketStore {
  readonly #insert: StatementSync;
  readonly #find: StatementSync;
  readonly #list: StatementSync;
  readonly #setCors: StatementSync;
  readonly #setLifecycle: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare("INSERT INTO buckets VALUES (?, ?, '[]', '[]') ON CONFLICT DO NOTHING");
    this.#find = database.prepare("SELECT * FROM buckets WHERE name = ?");
    this.#list = database.prepare("SELECT * FROM buckets ORDER BY name");
    this.#setCors = database.prepare("UPDATE buckets SET cors = ? WHERE name = ?");
    this.#setLifecycle = database.prepare("UPDATE buckets SET lifecycle = ? WHERE name = ?");
  }

  /** False when there is a bucket of that name already; it is left as it is. */
  create(name: string): boolean {
    return this.#insert.run(name, Date.now()).changes === 1;
  }

  find(name: string): Bucket | undefined {
    const row = this.#find.get(name);
    return row === undefined ? undefined : rowSchema.parse(row);
  }

  list(): readonly Bucket[] {
    return z.array(rowSchema).parse(this.#list.all());
  }

  setCors(name: string, rules: readonly CorsRule[]): void {
    this.#setCors.run(JSON.stringify(rules), name);
  }

  setLifecycle(name: string, rules: readonly LifecycleRule[]): void {
    this.#setLifecycle.run(JSON.stringify(rules), name);
  }
}

export interface Storage {
  readonly bodies: BodyFiles;
  readonly buckets: BucketStore;
  readonly objects: ObjectStore;
  readonly uploads: UploadStore;
  close(): void;
}

/**
 * Opens everything stored in a data directory, created if needed, and removes what a crash left unfinished.
 *
 *
 * @throws when another process has the directory open.
 */
export const openStorage = (dataDirectory: string): Storage => {
  mkdirSync(dataDirectory, { recursive: true });
  const database = openDatabase(dataDirectory);
  const bodies = new BodyFiles(dataDirectory, database);
  return {
    bodies,
    buckets: new BucketStore(database),
    objects: new ObjectStore(database, bodies),
    uploads: new UploadStore(database, bodies),
    close: () => database.close(),
  };
};
