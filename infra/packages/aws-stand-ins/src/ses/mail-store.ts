import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import * as z from "zod";
import { openDatabaseFile } from "../machine/database-file.ts";

/** A mail that was accepted for sending. */
export interface SentMail {
  /** The addresses of all recipients, without names; hidden copies included. */
  readonly to: readonly string[];
  /** As the recipient sees it: `Name <address>`, or the address alone. */
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

const schema = `
  CREATE TABLE IF NOT EXISTS mail (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    recipients TEXT NOT NULL,
    sender TEXT NOT NULL,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    html TEXT NOT NULL,
    sent_at TEXT NOT NULL
  ) STRICT
`;

const mailRowSchema = z
  .object({
    recipients: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
    sender: z.string(),
    subject: z.string(),
    text: z.string(),
    html: z.string(),
    sent_at: z.string(),
  })
  .transform(
    ({ recipients, sender, subject, text, html, sent_at }): SentMail => ({
      to: recipients,
      from: sender,
      subject,
      text,
      html,
      at: sent_at,
    }),
  );

/** The mails accepted so far, in `mail.sqlite`. */
export class MailStore {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  constructor(dataDirectory: string) {
    this.#database = openDatabaseFile(
      join(dataDirectory, "mail.sqlite"),
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${schema}`,
    );
    this.#insert = this.#database.prepare(
      "INSERT INTO mail (recipients, sender, subject, text, html, sent_at) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#select = this.#database.prepare("SELECT * FROM mail ORDER BY sequence");
  }

  add({ to, from, subject, text, html, at }: SentMail): void {
    this.#insert.run(JSON.stringify(to), from, subject, text, html, at);
  }

  /** Oldest first. */
  all(): SentMail[] {
    return this.#select.all().map((row) => mailRowSchema.parse(row));
  }

  close(): void {
    this.#database.close();
  }
}
