import { mkdir, readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { finishTableChanges } from "./interrupted-table-changes.ts";
import { keysBelow, openStore, type Store } from "./store.ts";
import { isDamagedLog } from "./write-ahead-log.ts";

/**
 * Directories that this process holds. LevelDB's own lock does not cover this case: its refused second attempt closes a
 * descriptor of the lock file, at which POSIX takes the lock from the whole process.
 */
const heldDirectories = new Set<string>();

/** A store, and the way to give it back. */
export interface HeldStore {
  readonly store: Store;
  release(): Promise<void>;
}

/**
 * Opens the database in a directory, which is created when missing, and finishes what a killed process left half done.
 *
 * @throws {Error} one sentence that names the directory when it is in use, damaged or not accessible.
 */
export const holdDataDirectory = async (dataDirectory: string): Promise<HeldStore> => {
  const path = await createDirectory(dataDirectory);
  if (heldDirectories.has(path)) {
    throw new Error(`The DynamoDB data directory ${path} is already in use by this process.`);
  }
  heldDirectories.add(path);
  try {
    const store = await openUndamaged(path);
    return { store, release: () => store.db.close().finally(() => heldDirectories.delete(path)) };
  } catch (error) {
    heldDirectories.delete(path);
    throw asSentence(path, error);
  }
};

const createDirectory = async (dataDirectory: string): Promise<string> => {
  try {
    await mkdir(dataDirectory, { recursive: true });
    return await realpath(dataDirectory);
  } catch (error) {
    throw asSentence(dataDirectory, error);
  }
};

const openUndamaged = async (path: string): Promise<Store> => {
  await refuseDamage(path);
  const store = await openStore(path);
  try {
    await readEverything(store);
    await finishTableChanges(store);
    return store;
  } catch (error) {
    await store.db.close();
    throw error;
  }
};

/** Finds the damage that LevelDB passes over when it opens a directory, deleting the data behind it. */
const refuseDamage = async (path: string): Promise<void> => {
  const files = await readdir(path);
  const logs = files.filter((file) => /^\d+\.log$/.test(file));
  const tables = files.filter((file) => /^\d+\.ldb$/.test(file));
  if (logs.length + tables.length > 0 && !files.includes("CURRENT")) {
    throw new Error("its file CURRENT is missing");
  }
  for (const log of logs) {
    if (isDamagedLog(await readFile(join(path, log)))) throw new Error(`its file ${log} is damaged`);
  }
};

/** Finds damaged table files, which LevelDB would notice one by one; 100,000 items take a fifth of a second. */
const readEverything = async (store: Store): Promise<void> => {
  const entries = store.db.iterator(keysBelow(""))[Symbol.asyncIterator]();
  while (!(await entries.next()).done);
};

const asSentence = (path: string, error: unknown): Error => {
  // LevelDB reports "Database failed to open" and keeps what happened in the cause.
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (reason instanceof Error && "code" in reason && reason.code === "LEVEL_LOCKED") {
    return new Error(`The DynamoDB data directory ${path} is in use by another process.`, { cause: error });
  }
  const detail = reason instanceof Error ? reason.message : String(reason);
  return new Error(`The DynamoDB data directory ${path} cannot be opened: ${detail}.`, { cause: error });
};
