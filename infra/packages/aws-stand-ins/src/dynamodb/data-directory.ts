import { mkdir, readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { BatchOperation } from "./level.ts";
import {
  indexKeyPrefix,
  itemKeyPrefix,
  keysBelow,
  openStore,
  type Store,
  tableKeyPrefix,
  tagKeyPrefix,
} from "./store.ts";

/**
 * The format of LevelDB's log files (doc/log_format.md in its repository): blocks of 32 KB that hold records of a
 * checksum (4 bytes), a length (2 bytes), a type (1 byte) and data.
 */
const blockSize = 32_768;
const headerSize = 7;
const recordTypes = { unused: 0, last: 4 };

const crc32cTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0);
  return remainder;
});

const crc32c = (bytes: Uint8Array): number => {
  let remainder = 0xffffffff;
  for (const byte of bytes) remainder = (remainder >>> 8) ^ (crc32cTable[(remainder ^ byte) & 0xff] ?? 0);
  return ~remainder >>> 0;
};

/** LevelDB rotates a checksum before it stores it, so that data which contains checksums keeps good ones. */
const masked = (checksum: number): number => (((checksum >>> 15) | (checksum << 17)) + 0xa282ead8) >>> 0;

/**
 * Whether a log file contains a record that was changed after it was written. LevelDB itself silently skips such
 * records, and everything else in their block. A record that the end of the file cuts off is no damage: the process
 * was killed while writing it, and it was never acknowledged.
 */
const isDamagedLog = (log: Buffer): boolean => {
  let offset = 0;
  while (offset + headerSize <= log.length) {
    const leftInBlock = blockSize - (offset % blockSize);
    const length = leftInBlock < headerSize ? 0 : log.readUInt16LE(offset + 4);
    const type = leftInBlock < headerSize ? recordTypes.unused : log.readUInt8(offset + 6);
    if (type === recordTypes.unused && length === 0) {
      offset += leftInBlock;
      continue;
    }
    const size = headerSize + length;
    if (type === recordTypes.unused || type > recordTypes.last || size > leftInBlock) return true;
    if (offset + size > log.length) return false;
    const checksum = crc32c(log.subarray(offset + headerSize - 1, offset + size));
    if (log.readUInt32LE(offset) !== masked(checksum)) return true;
    offset += size;
  }
  return false;
};

const storedTable = z.looseObject({
  TableName: z.string(),
  TableStatus: z.string(),
  GlobalSecondaryIndexes: z.array(z.looseObject({ IndexStatus: z.string() })).optional(),
});

type StoredTable = z.output<typeof storedTable>;

/**
 * Completes tables that a killed process left CREATING, UPDATING or DELETING: dynalite ends these states with a
 * timer, so nothing else ever would.
 */
const finishTableChanges = async (store: Store): Promise<void> => {
  for await (const [key, value] of store.db.iterator(keysBelow(tableKeyPrefix))) {
    const table = storedTable.parse(value);
    if (table.TableStatus === "DELETING") await deleteTable(store, key, table.TableName);
    else if (table.TableStatus !== "ACTIVE") await store.db.batch([activate(key, table)]);
  }
};

const activate = (key: string, table: StoredTable): BatchOperation => ({
  type: "put",
  key,
  value: {
    ...table,
    TableStatus: "ACTIVE",
    GlobalSecondaryIndexes: table.GlobalSecondaryIndexes?.map((index) => ({
      ...index,
      IndexStatus: "ACTIVE",
    })),
  },
});

const deleteTable = async (store: Store, key: string, tableName: string): Promise<void> => {
  const prefixes = [
    itemKeyPrefix(tableName),
    tagKeyPrefix(tableName),
    indexKeyPrefix("global", tableName),
    indexKeyPrefix("local", tableName),
  ];
  for (const prefix of prefixes) await store.db.clear(keysBelow(prefix));
  await store.db.batch([{ type: "del", key }]);
};

/**
 * Directories that this process holds. LevelDB's own lock does not cover this case: its refused second attempt closes a
 * descriptor of the lock file, at which POSIX takes the lock from the whole process.
 */
const heldDirectories = new Set<string>();

/** A store, and a function that releases it. */
interface HeldStore {
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

/** Finds the damage that LevelDB ignores when it opens a directory, deleting the data behind it. */
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
  return new Error(
    `The DynamoDB data directory ${path} cannot be opened: ${detail}. ` +
      "If it is damaged, put back a copy of it, or delete it to begin with empty tables.",
    { cause: error },
  );
};
