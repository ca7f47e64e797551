import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** SQLite's result codes (https://sqlite.org/rescode.html); the lowest byte says what kind of failure it is. */
const busy = 5;
const damaged = new Set([11, 26]);

const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;

const asSentence = (file: string, error: unknown): Error => {
  const code = resultCode(error) ?? 0;
  const message = error instanceof Error ? error.message : String(error);
  if (code === busy) return new Error(`${file} is in use by another process.`, { cause: error });
  if (damaged.has(code)) {
    const advice = "Put back a copy of it, or delete it to begin without what it holds.";
    return new Error(`${file} is damaged (${message}). ${advice}`, { cause: error });
  }
  return new Error(`${file} cannot be opened (${message}).`, { cause: error });
};

/**
 * Opens a SQLite database; creates file and folder when they are missing.
 *
 *
 * @param prepare settings and tables, as SQL
 * @throws Error with a message that names the file, and what to do when it is damaged.
 */
export const openDatabaseFile = (
  file: string,
  prepare: string,
  options: { readonly timeout?: number } = {},
): DatabaseSync => {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true });
    database = new DatabaseSync(file, options);
    database.exec(prepare);
    const problem = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
    if (problem !== "ok") throw Object.assign(new Error(String(problem)), { errcode: 11 });
    return database;
  } catch (error) {
    database?.close();
    throw asSentence(file, error);
  }
};

/** Runs the work in one transaction: all of its changes happen or none. */
export const inTransaction = <Result>(database: DatabaseSync, work: () => Result): Result => {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
};
