import { randomUUID } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";

/** A body that is read while its object may be replaced or deleted. */
interface OpenBody {
  /** Streams the bytes from `start` to `end`, both inclusive, and closes the body afterwards. */
  stream(start: number, end: number): Readable;
  close(): void;
}

/**
 * The bodies of objects and parts: files named by random identifiers, never by key. A body is written once, exists
 * only as long as a row names it, and may be named by several rows, so that a copy costs no bytes.
 *
 * The order that makes this safe against a crash at any moment: first the file, then the row; and the row goes
 * before the file. What a crash leaves over is a file without a row, removed at the next start.
 */
export class BodyFiles {
  readonly #directory: string;
  readonly #countRows: StatementSync;

  constructor(dataDirectory: string, database: DatabaseSync) {
    this.#directory = join(dataDirectory, "bodies");
    this.#countRows = database.prepare(
      "SELECT EXISTS (SELECT 1 FROM objects WHERE body = :id) OR EXISTS (SELECT 1 FROM parts WHERE body = :id) AS used",
    );
    mkdirSync(this.#directory, { recursive: true });
    for (const id of readdirSync(this.#directory)) this.release(id);
  }

  /**
   * Writes a new body. When `write` fails nothing of it remains.
   *
   *
   * @param write receives the file to fill; its result is returned together with the identifier of the body.
   */
  async create<Result>(
    write: (destination: Writable) => Promise<Result>,
  ): Promise<{ id: string; result: Result }> {
    const id = randomUUID();
    const destination = createWriteStream("", { fd: openSync(this.#path(id), "wx") });
    try {
      const result = await write(destination);
      return { id, result };
    } catch (error) {
      // Windows does not remove a file that is still open.
      await finished(destination.destroy()).catch(() => {});
      this.release(id);
      throw error;
    }
  }

  /** Opens a body at once, so that no replacement can come between finding the row and opening the file. */
  open(id: string): OpenBody {
    const descriptor = openSync(this.#path(id), "r");
    return {
      stream: (start, end) => createReadStream("", { fd: descriptor, start, end }),
      close: () => closeSync(descriptor),
    };
  }

  /** Removes the file if no row refers to it. */
  release(id: string): void {
    if (this.#countRows.get({ id })?.["used"] !== 1) rmSync(this.#path(id), { force: true });
  }

  #path(id: string): string {
    return join(this.#directory, id);
  }
}
