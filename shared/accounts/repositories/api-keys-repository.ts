import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { AppError } from "../../platform/errors/app-error.ts";
import {
  cancellationCodes,
  cancelledItems,
  deleteItems,
  readPartition,
  type Table,
  writeTogether,
} from "../../platform/storage/table.ts";
import { type StoredKey, storedKey } from "../access/access.ts";
import type { AccountAtEpoch } from "../access/account.ts";
import { makeApiKey, type Scope, scopes } from "../access/api-keys.ts";
import { accountKeys, apiKeyItemPrefix } from "../access/keys.ts";
import { accountCounters } from "../limits/keys.ts";
import { countIn } from "../limits/limit-counters.ts";
import { windowsAt } from "../limits/windows.ts";

/** Every request writes the item that holds them. */
export const maxKeys = 20;

/** Keys that were revoked have left their counts behind until the day is over, so an account cannot make any number. */
const maxKeysPerDay = 100;

/** What the owner of a key has decided about it. */
export interface KeyChoices {
  readonly name: string;
  /** `undefined` for all. */
  readonly scopes: readonly Scope[] | undefined;
  /** Unix seconds. */
  readonly expiresAt: number | undefined;
  readonly monthlyLimit: number | undefined;
}

/** A key as its owner sees it afterwards. */
export interface ApiKey extends KeyChoices {
  readonly id: string;
  /** Its first characters. */
  readonly prefix: string;
  readonly createdAt: string;
}

/** A key with what was done with it. */
export interface UsedKey extends ApiKey {
  /** Unix seconds; `undefined` for one that was never used. */
  readonly usedAt: number | undefined;
  /** Tasks in this month. */
  readonly usedThisMonth: number;
}

const details = z.object({ SK: z.string(), name: z.string(), prefix: z.string(), created_at: z.string() });

const accessItem = z.looseObject({
  disabled: z.boolean(),
  token_epoch: z.int(),
  deletion_began: z.string().optional(),
  api_keys: z.record(z.string(), storedKey).optional(),
});

/** Keys in the table. */
export type ApiKeysRepository = ReturnType<typeof createApiKeysRepository>;

/** The repository of keys over the service's table; access patterns A5 and A6 of this folder's README. */
export const createApiKeysRepository = (table: Table, now: () => number = Date.now) => {
  const { client, name: TableName } = table;

  const readAccess = async (userId: number) => {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: accountKeys.access(userId), ConsistentRead: true }),
    );
    return Item && accessItem.parse(Item);
  };

  const readDetails = async (userId: number) => {
    const attributes = ["SK", "name", "prefix", "created_at"];
    const items = await readPartition(table, accountKeys.profile(userId).PK, attributes);
    return items.flatMap((item) => {
      const { success, data } = details.safeParse(item);
      return success && data.SK.startsWith(apiKeyItemPrefix)
        ? [{ id: data.SK.slice(apiKeyItemPrefix.length), ...data }]
        : [];
    });
  };

  /** Why a key was not made, from the access item that stood in its way. */
  const refusalOf = (
    item: Record<string, unknown> | undefined,
    epoch: number,
    keysCreated: string,
  ): AppError => {
    const access = accessItem.safeParse(item).data;
    if (!access || access.token_epoch !== epoch || access.deletion_began !== undefined) {
      return new AppError("unauthenticated");
    }
    if (access.disabled) return new AppError("forbidden");
    if (Object.keys(access.api_keys ?? {}).length >= maxKeys) return new AppError("too_many_keys");
    return countIn(access, keysCreated) >= maxKeysPerDay
      ? new AppError("rate_limited", {
          message: `An account makes at most ${maxKeysPerDay} keys a day.`,
          retryAfterSeconds: Math.ceil((windowsAt(now()).ends.day - now()) / 1_000),
        })
      : new AppError("service_unavailable");
  };

  return {
    /**
     * Makes a key. The caller's token is looked at once more by the same write: one that was revoked meanwhile makes none.
     *
     * @param owner the account, and the epoch of the token that asked.
     * @returns the key itself, which is kept nowhere, and what is known of it afterwards.
     * @throws AppError `too_many_keys`; `rate_limited` when too many were made today; `unauthenticated` when the token was
     * revoked; `forbidden` for a disabled account.
     */
    create: async (
      { userId, tokenEpoch }: AccountAtEpoch,
      choices: KeyChoices,
    ): Promise<ApiKey & { readonly key: string }> => {
      const { key, keyId, keyDigest, prefix } = makeApiKey(userId);
      const createdAt = new Date(now()).toISOString();
      const { name, scopes: only, expiresAt, monthlyLimit } = choices;
      const entry: StoredKey = {
        h: keyDigest,
        ...(only && { s: new Set(only) }),
        ...(expiresAt !== undefined && { e: expiresAt }),
        ...(monthlyLimit !== undefined && { l: monthlyLimit }),
      };
      const keysCreated = accountCounters.keysCreated(windowsAt(now()).day);
      const common =
        "token_epoch = :epoch AND disabled = :no AND attribute_not_exists(deletion_began) AND NOT #made >= :perDay";
      const shared = { ":epoch": tokenEpoch, ":no": false, ":perDay": maxKeysPerDay, ":one": 1 };
      const access = { TableName, Key: accountKeys.access(userId) };
      // The size of what is not there is no number, which not every implementation of DynamoDB takes as a condition not met.
      const addition = {
        ...access,
        UpdateExpression: "SET api_keys.#key = :entry ADD #made :one",
        ConditionExpression: `${common} AND attribute_exists(api_keys) AND size(api_keys) < :most AND attribute_not_exists(api_keys.#key)`,
        ExpressionAttributeNames: { "#key": keyId, "#made": keysCreated },
        ExpressionAttributeValues: { ...shared, ":entry": entry, ":most": maxKeys },
      };
      /** An account's first key finds no map that it could be put into. */
      const first = {
        ...access,
        UpdateExpression: "SET api_keys = :keys ADD #made :one",
        ConditionExpression: `${common} AND attribute_not_exists(api_keys)`,
        ExpressionAttributeNames: { "#made": keysCreated },
        ExpressionAttributeValues: { ...shared, ":keys": { [keyId]: entry } },
      };
      const known = {
        Put: {
          TableName,
          Item: { ...accountKeys.apiKey(userId, keyId), name, prefix, created_at: createdAt },
        },
      };
      const write = async (update: typeof addition | typeof first) => {
        try {
          await writeTogether(table, [
            { Update: { ...update, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } },
            known,
          ]);
          return { isWritten: true, item: undefined };
        } catch (error) {
          if (!cancellationCodes(error).includes("ConditionalCheckFailed")) throw error;
          return { isWritten: false, item: cancelledItems(error)[0] };
        }
      };
      let { isWritten, item } = await write(addition);
      if (!isWritten && item && item["api_keys"] === undefined) {
        ({ isWritten, item } = await write(first));
        // Somebody else has made the first one meanwhile.
        if (!isWritten && item?.["api_keys"] !== undefined) ({ isWritten, item } = await write(addition));
      }
      if (!isWritten) throw refusalOf(item, tokenEpoch, keysCreated);
      return { ...choices, id: keyId, key, prefix, createdAt };
    },

    /** An account's keys, oldest first; those that have expired are among them until they are revoked. */
    list: async (userId: number): Promise<UsedKey[]> => {
      // In this order: what is removed between the two is not shown, and what is added is there next time.
      const known = await readDetails(userId);
      const { api_keys: entries = {} } = (await readAccess(userId)) ?? {};
      const month = accountCounters.month(windowsAt(now()).month);
      return known
        .flatMap(({ id, name, prefix, created_at: createdAt }) => {
          const entry = Object.hasOwn(entries, id) ? entries[id] : undefined;
          if (!entry) return [];
          const used = { usedAt: entry.u, usedThisMonth: countIn(entry, month) };
          const only = entry.s && scopes.filter((scope) => entry.s?.has(scope));
          return [
            { id, name, prefix, createdAt, scopes: only, expiresAt: entry.e, monthlyLimit: entry.l, ...used },
          ];
        })
        .toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
    },

    /** Revokes a key: the next request with it is refused. @returns whether the account had it. */
    revoke: async (userId: number, keyId: string): Promise<boolean> => {
      let isRevoked = true;
      try {
        await client.send(
          new UpdateCommand({
            TableName,
            Key: accountKeys.access(userId),
            UpdateExpression: "REMOVE api_keys.#key",
            ConditionExpression: "attribute_exists(api_keys.#key)",
            ExpressionAttributeNames: { "#key": keyId },
          }),
        );
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        isRevoked = false;
      }
      // Also where there was no key any more: an earlier try may have ended between the two writes.
      await client.send(new DeleteCommand({ TableName, Key: accountKeys.apiKey(userId, keyId) }));
      return isRevoked;
    },

    /** Revokes all keys of an account. @returns how many were known. */
    revokeAll: async (userId: number): Promise<number> => {
      const known = await readDetails(userId);
      try {
        await client.send(
          new UpdateCommand({
            TableName,
            Key: accountKeys.access(userId),
            UpdateExpression: "REMOVE api_keys",
            ConditionExpression: "attribute_exists(PK)",
          }),
        );
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
      await deleteItems(
        table,
        known.map(({ id }) => accountKeys.apiKey(userId, id)),
      );
      return known.length;
    },
  };
};
