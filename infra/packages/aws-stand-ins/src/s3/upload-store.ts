import { randomUUID } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import * as z from "zod";
import { inTransaction } from "../machine/database-file.ts";
import type { BodyFiles } from "./body-files.ts";
import { checksumsColumn, headersColumn } from "./object-store.ts";

const uploadSchema = z
  .object({
    id: z.string(),
    bucket: z.string(),
    key: z.string(),
    created_at: z.number(),
    headers: headersColumn,
  })
  .transform(({ created_at, ...upload }) => ({ ...upload, createdAt: new Date(created_at) }));

const partSchema = z
  .object({
    number: z.number(),
    body: z.string(),
    size: z.number(),
    etag: z.string(),
    modified_at: z.number(),
    checksums: checksumsColumn,
  })
  .transform(({ modified_at, ...part }) => ({ ...part, modifiedAt: new Date(modified_at) }));

/** A multipart upload that is neither completed nor aborted; `headers` are for the object to be. */
export type Upload = Readonly<z.infer<typeof uploadSchema>>;
export type Part = Readonly<z.infer<typeof partSchema>>;

/** Multipart uploads in progress, and their parts. */
export class UploadStore {
  readonly #database: DatabaseSync;
  readonly #bodies: BodyFiles;
  readonly #insert: StatementSync;
  readonly #find: StatementSync;
  readonly #list: StatementSync;
  readonly #delete: StatementSync;
  readonly #putPart: StatementSync;
  readonly #findPart: StatementSync;
  readonly #parts: StatementSync;
  readonly #deleteParts: StatementSync;

  constructor(database: DatabaseSync, bodies: BodyFiles) {
    this.#database = database;
    this.#bodies = bodies;
    this.#insert = database.prepare("INSERT INTO uploads VALUES (?, ?, ?, ?, ?, '[]')");
    this.#find = database.prepare("SELECT * FROM uploads WHERE id = ? AND bucket = ? AND key = ?");
    this.#list = database.prepare("SELECT * FROM uploads WHERE bucket = ? ORDER BY key, created_at");
    this.#delete = database.prepare("DELETE FROM uploads WHERE id = ?");
    this.#putPart = database.prepare("INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.#findPart = database.prepare("SELECT * FROM parts WHERE upload = ? AND number = ?");
    this.#parts = database.prepare("SELECT * FROM parts WHERE upload = ? ORDER BY number");
    this.#deleteParts = database.prepare("DELETE FROM parts WHERE upload = ?");
  }

  /** The identifier of a new upload. */
  create(bucket: string, key: string, headers: Record<string, string>): string {
    const id = randomUUID();
    this.#insert.run(id, bucket, key, Date.now(), JSON.stringify(headers));
    return id;
  }

  find(bucket: string, key: string, id: string): Upload | undefined {
    const row = this.#find.get(id, bucket, key);
    return row === undefined ? undefined : uploadSchema.parse(row);
  }

  list(bucket: string): readonly Upload[] {
    return z.array(uploadSchema).parse(this.#list.all(bucket));
  }

  /** Stores a part in place of an earlier one with the same number. */
  putPart(uploadId: string, part: Omit<Part, "modifiedAt">): void {
    const { number, body, size, etag } = part;
    const replaced = this.#findPart.get(uploadId, number);
    this.#putPart.run(uploadId, number, body, size, etag, Date.now(), JSON.stringify(part.checksums));
    if (replaced !== undefined) this.#bodies.release(partSchema.parse(replaced).body);
  }

  /** In ascending order of their numbers. */
  parts(uploadId: string): readonly Part[] {
    return z.array(partSchema).parse(this.#parts.all(uploadId));
  }

  /** Forgets the upload and its parts. */
  delete(uploadId: string): void {
    const parts = this.parts(uploadId);
    inTransaction(this.#database, () => {
      this.#deleteParts.run(uploadId);
      this.#delete.run(uploadId);
    });
    for (const { body } of parts) this.#bodies.release(body);
  }
}
