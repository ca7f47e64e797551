import { createHash, randomInt } from "node:crypto";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { openDatabaseFile } from "@language-ai/aws-stand-ins";
import * as z from "zod";

/** A message that the platform would have sent. */
export interface SentMessage {
  /** The id in the response to the service. */
  readonly id: string;
  /** The phone number or user id of the recipient. */
  readonly to: string;
  readonly type: string;
  /** The JSON of the request. */
  readonly body: unknown;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** A file that a person sent or the service uploaded. */
export interface StoredMedia {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS message (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    recipient TEXT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    sent_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE IF NOT EXISTS media (
    id TEXT PRIMARY KEY,
    content_type TEXT NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;

  CREATE TABLE IF NOT EXISTS writer (
    person TEXT PRIMARY KEY,
    wrote_at INTEGER NOT NULL
  ) STRICT;
`;

const messageRow = z
  .object({ id: z.string(), recipient: z.string(), type: z.string(), body: z.string(), sent_at: z.string() })
  .transform(
    ({ id, recipient, type, body, sent_at }): SentMessage => ({
      id,
      to: recipient,
      type,
      body: JSON.parse(body),
      at: sent_at,
    }),
  );

const mediaRow = z.object({ content_type: z.string(), bytes: z.instanceof(Uint8Array) });

const writerRow = z.object({ wrote_at: z.int() });

/** Like the platform's ids, a number of 15 digits. */
const newMediaId = (): string => `${randomInt(100_000, 1_000_000)}${randomInt(100_000_000, 1_000_000_000)}`;

/** The messages and files of the stand-in, in `messaging.sqlite`. */
export class MessageStore {
  readonly #database: DatabaseSync;
  readonly #insertMessage: StatementSync;
  readonly #selectMessages: StatementSync;
  readonly #insertMedia: StatementSync;
  readonly #selectMedia: StatementSync;
  readonly #upsertWriter: StatementSync;
  readonly #selectWriter: StatementSync;

  constructor(dataDirectory: string) {
    this.#database = openDatabaseFile(
      join(dataDirectory, "messaging.sqlite"),
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`,
    );
    this.#insertMessage = this.#database.prepare(
      "INSERT INTO message (id, recipient, type, body, sent_at) VALUES (?, ?, ?, ?, ?)",
    );
    this.#selectMessages = this.#database.prepare("SELECT * FROM message ORDER BY sequence");
    this.#insertMedia = this.#database.prepare("INSERT INTO media VALUES (?, ?, ?)");
    this.#selectMedia = this.#database.prepare("SELECT content_type, bytes FROM media WHERE id = ?");
    this.#upsertWriter = this.#database.prepare(
      "INSERT INTO writer VALUES (?, ?) ON CONFLICT (person) DO UPDATE SET wrote_at = MAX(wrote_at, excluded.wrote_at)",
    );
    this.#selectWriter = this.#database.prepare("SELECT wrote_at FROM writer WHERE person = ?");
  }

  add({ id, to, type, body, at }: SentMessage): void {
    this.#insertMessage.run(id, to, type, JSON.stringify(body), at);
  }

  /** Oldest first. */
  all(): SentMessage[] {
    return this.#selectMessages.all().map((row) => messageRow.parse(row));
  }

  /** @returns the id of the file. */
  addMedia(contentType: string, bytes: Uint8Array): string {
    const id = newMediaId();
    this.#insertMedia.run(id, contentType, bytes);
    return id;
  }

  findMedia(id: string): StoredMedia | undefined {
    const row = this.#selectMedia.get(id);
    if (!row) return undefined;
    const { content_type: contentType, bytes } = mediaRow.parse(row);
    return { contentType, bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
  }

  /** Notes that a person wrote. @param at in Unix seconds */
  noteWriter(person: string, at: number): void {
    this.#upsertWriter.run(person, at);
  }

  /** When a person last wrote, in Unix seconds; `undefined` for a person who never did. */
  lastWroteAt(person: string): number | undefined {
    const row = this.#selectWriter.get(person);
    return row && writerRow.parse(row).wrote_at;
  }

  close(): void {
    this.#database.close();
  }
}
