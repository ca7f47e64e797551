import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BatchOperation, Callback, Level } from "./store.ts";

/** What LevelDB writes by itself when it is opened: a manifest, a log, and a table of what its old log held. */
const spareBytes = 65_536;

/**
 * Keeps LevelDB from writing behind a write that failed. A full disk cuts a record of the log short; LevelDB would append the
 * next one behind that piece, acknowledge it, and find neither of them when it is started again. So there is one write at
 * a time, and after one that failed none is made until the database has been opened anew, which begins a new log.
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

  /** Whether no write is made until {@link reopen} has succeeded. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /**
   * Opens the database anew when a write has failed. While there is no space for that, it stays as it is and can be read.
   * The caller must keep every operation out meanwhile.
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
