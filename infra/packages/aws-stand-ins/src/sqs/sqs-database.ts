import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openDatabaseFile } from "../machine/database-file.ts";

// AUTOINCREMENT, because sequence numbers must grow for ever: without it SQLite reuses the number of a deleted last row.
const schema = `
  CREATE TABLE IF NOT EXISTS queue (
    name TEXT PRIMARY KEY,
    settings TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE IF NOT EXISTS message (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL REFERENCES queue (name),
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    attributes TEXT NOT NULL,
    group_id TEXT,
    deduplication_id TEXT,
    sent_at INTEGER NOT NULL,
    visible_at INTEGER NOT NULL,
    receive_count INTEGER NOT NULL DEFAULT 0,
    first_received_at INTEGER,
    receipt TEXT,
    source_queue TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS message_by_visibility ON message (queue, visible_at, sequence);
  CREATE INDEX IF NOT EXISTS message_by_group ON message (queue, group_id, visible_at);

  CREATE TABLE IF NOT EXISTS deduplication (
    queue TEXT NOT NULL,
    scope TEXT NOT NULL,
    deduplication_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    sent_at INTEGER NOT NULL,
    PRIMARY KEY (queue, scope, deduplication_id)
  ) STRICT;
`;

/** Opens `sqs.sqlite` in a directory that is created when it is missing. An acknowledged write survives `kill -9`. */
export const openSqsDatabase = (dataDirectory: string): DatabaseSync =>
  openDatabaseFile(
    join(dataDirectory, "sqs.sqlite"),
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; ${schema}`,
  );
