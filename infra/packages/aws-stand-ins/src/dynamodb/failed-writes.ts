import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BatchOperation, Callback, Level } from "./level.ts";

/** What LevelDB writes automatically when it is opened: a manifest, a log, and a table of its old log's content. */
const spareBytes = 65_536;

/**
 * Stops LevelDB from writing after a failed write. A full disk truncates a record of the log; LevelDB would append
 * the next one after that piece, acknowledge it, and find neither when it restarts. So there is one write at a time,
 * and after a failed one none until the database has been reopened, which starts a new log.
 */
export class FailedWrites {
  readonly #level: Level;
  readonly #path: string;
  #hasFailed = false;
  #writing: Promise<unknown> = Promise.resolve();

  /** @param path the database's directory. */
  constructor(level: Level, path: string) {
    this.#level = level;
    this.#path = path;
    const batch = level.batch.bind(level);
    const guarded = (operations: readonly BatchOperation[]) => this.#guard(() => batch(operations));
    const report = (write: Promise<void>, done: Callback<void> | undefined) => {
      if (!done) return write;
      write.then(() => done(), done);
      return undefined;
    };
    // dynalite writes with callbacks, this layer with promises.
    Object.assign(level, {
      batch: (operations: readonly BatchOperation[], done?: Callback<void>) =>
        report(guarded(operations), done),
      put: (key: string, value: unknown, done?: Callback<void>) =>
        report(guarded([{ type: "put", key, value }]), done),
      del: (key: string, done?: Callback<void>) => report(guarded([{ type: "del", key }]), done),
    });
  }

  /** Whether writes wait until {@link reopen} has succeeded. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /**
   * Reopens the database when a write has failed. While there is no space for that, it stays unchanged and can be
   * read. The caller must block all operations meanwhile.
   *
   *
   * @throws what LevelDB reports when the database cannot be opened; the next call tries again.
   */
  async reopen(): Promise<void> {
    if (!this.#hasFailed || !(await this.#hasSpace())) return;
    await this.#level.close._original();
    await this.#level.open();
    this.#hasFailed = false;
  }

  #guard(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(async () => {
      if (this.#hasFailed) throw new Error("An earlier write failed; there may be no space on the disk.");
      try {
        await write();
      } catch (error) {
        this.#hasFailed = true;
        throw error;
      }
    });
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #hasSpace(): Promise<boolean> {
    const probe = join(this.#path, "space.probe");
    try {
      const logs = (await readdir(this.#path)).filter((file) => file.endsWith(".log"));
      const sizes = await Promise.all(logs.map(async (file) => (await stat(join(this.#path, file))).size));
      await writeFile(probe, Buffer.alloc(sizes.reduce((sum, size) => sum + size, spareBytes)));
      return true;
    } catch {
      return false;
    } finally {
      await rm(probe, { force: true });
    }
  }
}
