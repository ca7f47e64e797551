import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { openDatabaseFile } from "../machine/database-file.ts";

// The columns `tags` are always empty; they are here because data directories have them.
// Keys are TEXT under SQLite's BINARY collation, which compares UTF-8 bytes: the order in which S3 lists.
const schema = `
  CREATE TABLE IF NOT EXISTS buckets (
    name TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    cors TEXT NOT NULL,
    lifecycle TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS objects (
    bucket TEXT NOT NULL,
    key TEXT NOT NULL,
    body TEXT NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    modified_at INTEGER NOT NULL,
    headers TEXT NOT NULL,
    tags TEXT NOT NULL,
    checksums TEXT NOT NULL,
    PRIMARY KEY (bucket, key)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS objects_by_body ON objects (body);
  CREATE TABLE IF NOT EXISTS uploads (
    id TEXT PRIMARY KEY,
    bucket TEXT NOT NULL,
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    headers TEXT NOT NULL,
    tags TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS parts (
    upload TEXT NOT NULL,
    number INTEGER NOT NULL,
    body TEXT NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    modified_at INTEGER NOT NULL,
    checksums TEXT NOT NULL,
    PRIMARY KEY (upload, number)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS parts_by_body ON parts (body);
`;

/**
 * Opens the metadata of a data directory and keeps it locked, because two servers on the same directory would
 * each take the other's unfinished uploads for rubbish. The lock ends with the process, however it ends.
 *
 * A committed change survives the death of the process. It is not forced to the disk, so the last moments before
 * a power cut may be lost.
 */
export const openDatabase = (dataDirectory: string): DatabaseSync =>
  openDatabaseFile(
    join(dataDirectory, "metadata.sqlite"),
    `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${schema}`,
    { timeout: 1000 },
  );

/** A column that holds JSON of the given shape. */
export const jsonColumn = <Schema extends z.ZodType>(shape: Schema) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(shape);
