import pLimit from "p-limit";
import * as z from "zod";
import type { StoredAccount } from "../accounts/access/account.ts";
import { accountKeys } from "../accounts/access/keys.ts";
import { usageMoves } from "../accounts/limits/usage-items.ts";
import { erasures, noteErasure } from "../platform/storage/erasures.ts";
import type { ObjectStore } from "../platform/storage/object-store.ts";
import type { StoredKinds } from "../platform/storage/stored-kinds.ts";
import { exists, type ItemKey, type Table, type TableWrite } from "../platform/storage/table.ts";
import { foldersOf, keysOfOwner, ledBy, type Owned, ownedBy, partitionsOf } from "./find-stored.ts";
import { storedKinds } from "./stored-kinds.ts";

/** Where the data of accounts is. */
export interface ErasureDependencies {
  readonly table: Table;
  readonly store: Pick<ObjectStore, "delete" | "list" | "put">;
  /** What is stored about accounts, and how it is found; by default everything that the service stores. */
  readonly kinds?: StoredKinds;
}

/** The max number of steps in progress at once. */
const maxParallel = 32;
const itemKey = z.object({ PK: z.string(), SK: z.string() });

const keysOf = async (table: Table, partition: string): Promise<ItemKey[]> =>
  (await table.query({ partition, attributes: ["PK", "SK"] })).map((item) => itemKey.parse(item));

/**
 * Locks the account: revokes its tokens, keys and links, and prevents new ones. Its names stay taken.
 *
 * @returns `false` when the account is gone: another request has deleted it meanwhile.
 */
const start = async (table: Table, userId: number, record: TableWrite | undefined): Promise<boolean> => {
  const update = {
    Key: accountKeys.access(userId),
    UpdateExpression:
      "SET deletion_began = if_not_exists(deletion_began, :now), revoked = :none " +
      "REMOVE api_keys ADD token_epoch :one",
    ...exists,
    ExpressionAttributeValues: { ":now": new Date().toISOString(), ":none": {}, ":one": 1 },
  };
  const { applied } = record ? await table.transact([{ update }, record]) : await table.update(update);
  return applied;
};

/** Moves all usage counters of the account to the items of its days. Returns `false` when they have changed meanwhile. */
const moveUsage = async (table: Table, userId: number): Promise<boolean> => {
  const item = (await table.read({ Key: accountKeys.access(userId) })) ?? {};
  for (const step of usageMoves(userId, item, Number.POSITIVE_INFINITY)) {
    const { applied } = await table.transact(step.map((update) => ({ update })));
    if (!applied) return false;
  }
  return true;
};

/** Requests that were active when the deletion started may still count their usage. */
const maxMoves = 5;

/** Keeps the account's usage for bills, by its id only. @throws Error when the counters keep changing. */
const keepUsage = async (table: Table, userId: number): Promise<void> => {
  for (let moves = 0; moves < maxMoves; moves += 1) {
    if (await moveUsage(table, userId)) return;
  }
  throw new Error("The usage of the account keeps changing.");
};

/** Deletes the account itself together with its names, so a name is free only when nothing else remains. */
const end = async (table: Table, { id, username, email }: StoredAccount): Promise<void> => {
  const condition = {
    ConditionExpression: "attribute_not_exists(PK) OR user_id = :id",
    ExpressionAttributeValues: { ":id": id },
  };
  const { applied } = await table.transact([
    { delete: accountKeys.usernameClaim(username), condition },
    { delete: accountKeys.emailClaim(email), condition },
    { delete: accountKeys.profile(id) },
    { delete: accountKeys.access(id) },
    { delete: accountKeys.listedUsername(username) },
    { delete: accountKeys.listedEmail(email) },
  ]);
  if (!applied) throw new Error("Another account has taken the names of this one.");
};

/** One deletion, and how to run its steps in parallel. */
interface Erasure extends Required<ErasureDependencies> {
  readonly account: StoredAccount;
  readonly forEach: <Entry>(
    entries: readonly Entry[],
    work: (entry: Entry) => Promise<void>,
  ) => Promise<void>;
}

/** Deletes what the account created and is stored by keys that do not name the account. */
const eraseOwned = async ({ account, table, store, forEach }: Erasure): Promise<void> => {
  const owned: Owned[] = [];
  for await (const one of ownedBy(account, table)) owned.push(one);
  await forEach(owned, async ({ items, objects, record }) => {
    for (const name of objects) await store.delete(name);
    // The record goes last: it leads here again when this fails.
    for (const key of [...items, record]) await table.delete(key);
  });
};

/** Deletes the objects in the folders of the account. */
const eraseObjects = async ({ account, store, forEach, kinds }: Erasure): Promise<void> => {
  const objects: string[] = [];
  await forEach(foldersOf(account, kinds), async (folder) => {
    for await (const { name } of store.list(folder)) objects.push(name);
  });
  await forEach(objects, (name) => store.delete(name));
};

/** Deletes the items of a partition, except for the profile, which is deleted with the account itself. */
const erasePartition = async (
  partition: string,
  { account, table, kinds }: Pick<Erasure, "account" | "kinds" | "table">,
): Promise<void> => {
  const profile = accountKeys.profile(account.id);
  const keys = (await keysOf(table, partition)).filter(
    ({ PK, SK }) => PK !== profile.PK || SK !== profile.SK,
  );
  // Before the items that lead to them, without which they could never be found again.
  await table.deleteAll(keys.flatMap((key) => ledBy(key, kinds)));
  await table.deleteAll(keys);
};

/**
 * Deletes an account and everything that belongs to it, as `stored-kinds.ts` lists it. When a step fails, call it again: it continues. The account itself
 * goes last, and no one can sign in to it meanwhile.
 *
 * Some items stay until they expire: mailed links, which no longer work, and the count of mails to the address, because
 * registering and deleting an address again and again could otherwise flood its owner with mails. A block on mails to an
 * address stays until an operator lifts it: a complaint covers the next mail too. Usage by day stays for bills, as long as
 * for any other account.
 *
 * @param signal aborts between two steps.
 * @param record what an operator's act is recorded with, together with the first step: both are written, or neither.
 */
export const eraseAccount = async (
  account: StoredAccount,
  { table, store, kinds = storedKinds }: ErasureDependencies,
  signal: AbortSignal,
  record?: TableWrite,
): Promise<void> => {
  const limit = pLimit(maxParallel);
  const erasure: Erasure = {
    account,
    table,
    store,
    kinds,
    forEach: async (entries, work) => {
      await limit.map(entries, async (entry) => {
        signal.throwIfAborted();
        await work(entry);
      });
    },
  };
  if (!(await start(table, account.id, record))) return;
  await noteErasure(store, erasures.account(account.id));
  await eraseOwned(erasure);
  // Before the objects: from now on, a request or job that would store one finds no item for it, and removes it.
  for (const partition of partitionsOf(account, kinds, "first")) {
    await erasePartition(partition, erasure);
  }
  await eraseObjects(erasure);
  await erasure.forEach(partitionsOf(account, kinds, "later"), (partition) =>
    erasePartition(partition, erasure),
  );
  await table.deleteAll(keysOfOwner(account, kinds));
  signal.throwIfAborted();
  await keepUsage(table, account.id);
  await end(table, account);
};
