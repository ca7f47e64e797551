import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import * as z from "zod";
import type { StoredAccount } from "../accounts/access/account.ts";
import { accountKeys, type ItemKey, identityKeyPrefix } from "../accounts/access/keys.ts";
import { limitKeys } from "../accounts/limits/keys.ts";
import { usageMoves } from "../accounts/limits/usage-items.ts";
import { idempotencyKeys } from "../http/idempotency/keys.ts";
import { dayMilliseconds } from "../platform/durations.ts";
import {
  jobsFolderOf,
  type ObjectStore,
  responsesFolderOf,
  speechFolderOf,
} from "../platform/storage/object-store.ts";
import {
  cancellationCodes,
  deleteItems,
  readPartition,
  type Table,
  writeTogether,
} from "../platform/storage/table.ts";
import { callbackKeys } from "../recordings/callbacks/keys.ts";
import { jobKeys } from "../recordings/jobs/keys.ts";

/** Where everything of an account is. */
export interface ErasureDependencies {
  readonly table: Table;
  readonly store: Pick<ObjectStore, "delete" | "list">;
}

const atOnce = 32;
const itemKey = z.object({ PK: z.string(), SK: z.string() });

const ownedItem = itemKey.extend({ items: z.array(itemKey), objects: z.array(z.string()) });

/** What the account has made, with the notes that lead there. */
const findOwned = async (table: Table, userId: number) =>
  (await readPartition(table, accountKeys.owned(userId, "").PK, ["PK", "SK", "items", "objects"])).map(
    (item) => {
      const { items, objects, ...note } = ownedItem.parse(item);
      return { note, items, objects };
    },
  );

const keysOf = async (table: Table, partition: string): Promise<ItemKey[]> =>
  (await readPartition(table, partition, ["PK", "SK"])).map((item) => itemKey.parse(item));

/** Every day of an account, and one more: clocks of two machines may differ at midnight. */
const daysSince = (createdAt: string, now: number): Date[] => {
  const first = Date.parse(createdAt.slice(0, 10));
  const days = Math.floor((now - first) / dayMilliseconds) + 2;
  return Array.from({ length: days }, (_, index) => new Date(first + index * dayMilliseconds));
};

/**
 * From here on nobody gets in: its tokens, keys and links are revoked, and no others are made. Its names stay taken.
 *
 * @returns `false` when the account is gone: somebody else has deleted it to its end meanwhile.
 */
const begin = async ({ client, name: TableName }: Table, userId: number): Promise<boolean> => {
  try {
    await client.send(
      new UpdateCommand({
        TableName,
        Key: accountKeys.access(userId),
        UpdateExpression:
          "SET deletion_began = if_not_exists(deletion_began, :now), revoked = :none " +
          "REMOVE api_keys ADD token_epoch :one",
        ConditionExpression: "attribute_exists(PK)",
        ExpressionAttributeValues: { ":now": new Date().toISOString(), ":none": {}, ":one": 1 },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};

/** Requests that were under way when the deletion began may still count what they have used. */
const maxAttempts = 5;

/**
 * Moves what the account has used to the items of its days, which bills are made of. They name it by its number only.
 *
 * @throws TransactionCanceledException when the counters change whenever they are moved.
 */
const keepUsage = async (table: Table, userId: number): Promise<void> => {
  const { client, name: TableName } = table;
  for (let attempts = 1; ; attempts += 1) {
    const { Item = {} } = await client.send(
      new GetCommand({ TableName, Key: accountKeys.access(userId), ConsistentRead: true }),
    );
    try {
      for (const step of usageMoves(userId, Item, Number.POSITIVE_INFINITY)) {
        await writeTogether(
          table,
          step.map((update) => ({ Update: { TableName, ...update } })),
        );
      }
      return;
    } catch (error) {
      if (attempts === maxAttempts || !cancellationCodes(error).includes("ConditionalCheckFailed"))
        throw error;
    }
  }
};

/** The account itself with its names, all or nothing: a name is free when nothing is left of whoever had it. */
const end = async (table: Table, { id, username, email }: StoredAccount): Promise<void> => {
  const TableName = table.name;
  const claim = (Key: ItemKey) => ({
    Delete: {
      TableName,
      Key,
      ConditionExpression: "attribute_not_exists(PK) OR user_id = :id",
      ExpressionAttributeValues: { ":id": id },
    },
  });
  await writeTogether(table, [
    claim(accountKeys.usernameClaim(username)),
    claim(accountKeys.emailClaim(email)),
    { Delete: { TableName, Key: accountKeys.profile(id) } },
    { Delete: { TableName, Key: accountKeys.access(id) } },
  ]);
};

/**
 * Deletes an account with everything of it. Whatever fails on the way, it can be called again and goes on where it was:
 * the account goes last, and signs nobody in meanwhile.
 *
 * Left to their own end are mailed links, which open nothing any more, and the count of mails to the address: without it,
 * whoever registers an address and deletes it, again and again, could bury its owner in mails. That an address gets no mails
 * any more stays until an operator lifts it: whoever complained about a mail means the next one too. What was used on which
 * day is kept for bills, as long as that of any other account.
 *
 * @param signal ends it between two steps.
 */
export const eraseAccount = async (
  account: StoredAccount,
  { table, store }: ErasureDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const limit = pLimit(atOnce);
  const forEach = async <Entry>(entries: readonly Entry[], work: (entry: Entry) => Promise<void>) => {
    await limit.map(entries, async (entry) => {
      signal.throwIfAborted();
      await work(entry);
    });
  };

  if (!(await begin(table, account.id))) return;

  await forEach(await findOwned(table, account.id), async ({ note, items, objects }) => {
    for (const name of objects) await store.delete(name);
    // The note goes last: it is what leads here when this fails.
    for (const Key of [...items, note]) {
      await table.client.send(new DeleteCommand({ TableName: table.name, Key }));
    }
  });

  // Before the objects: who keeps an answer, or works on a job, finds nothing to note it in from now on, and removes it.
  for (const partition of [idempotencyKeys.ofAccount(account.id), jobKeys.ofAccount(account.id)]) {
    await deleteItems(table, await keysOf(table, partition));
  }
  const folders = [
    responsesFolderOf(account.id),
    jobsFolderOf(account.id),
    ...daysSince(account.created_at, Date.now()).map((day) => speechFolderOf(account.id, day)),
  ];
  const objects: string[] = [];
  await forEach(folders, async (folder) => {
    for await (const name of store.list(folder)) objects.push(name);
  });
  await forEach(objects, (name) => store.delete(name));

  const profile = accountKeys.profile(account.id);
  const partitions = [
    profile.PK,
    callbackKeys.ofAccount(account.id),
    limitKeys.ofAccount(account.id),
    limitKeys.ofName(account.username),
    limitKeys.ofName(account.email),
  ];
  await forEach(partitions, async (partition) => {
    const keys = await keysOf(table, partition);
    if (partition === profile.PK) {
      // Before what leads to them: an identity that opened nothing could never be joined to an account again.
      await deleteItems(
        table,
        keys
          .filter(({ SK }) => SK.startsWith(identityKeyPrefix))
          .map(({ SK }) => accountKeys.identity(SK.slice(identityKeyPrefix.length))),
      );
    }
    await deleteItems(
      table,
      keys.filter(({ SK }) => partition !== profile.PK || SK !== profile.SK),
    );
  });

  signal.throwIfAborted();
  await keepUsage(table, account.id);
  await end(table, account);
};
