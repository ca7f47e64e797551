import * as z from "zod";
import { compareText } from "../../platform/compare-text.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import {
  exists,
  type Item,
  type ItemUpdate,
  type Table,
  type TableWrite,
} from "../../platform/storage/table.ts";
import { type StoredKey, storedKey } from "../access/access.ts";
import type { AccountAtEpoch } from "../access/account.ts";
import { makeApiKey, type Scope, scopes } from "../access/api-keys.ts";
import { accountKeys, apiKeyItemPrefix } from "../access/keys.ts";
import { accountCounters } from "../limits/keys.ts";
import { countIn } from "../limits/limit-counters.ts";
import { windowsAt } from "../limits/windows.ts";

/** The max number of keys of an account: every request writes the item that holds them. */
export const maxKeys = 20;

/** The max number of keys that an account creates a day: the counts of revoked keys stay until the day ends. */
const maxCreatedPerDay = 100;

/** What an owner chooses for a key. */
export interface KeyChoices {
  readonly name: string;
  /** `undefined` for all. */
  readonly scopes: readonly Scope[] | undefined;
  /** Unix seconds. */
  readonly expiresAt: number | undefined;
  readonly monthlyLimit: number | undefined;
  /** Requests. */
  readonly minuteLimit?: number | undefined;
}

/** A key without its secret. */
export interface ApiKey extends KeyChoices {
  readonly id: string;
  /** Its first characters. */
  readonly prefix: string;
  readonly createdAt: string;
}

/** A key with its use. */
export interface UsedKey extends ApiKey {
  /** Unix seconds; `undefined` for a key that was never used. */
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

/** A key to be added to the access item of its account. */
interface NewKey {
  readonly owner: AccountAtEpoch;
  readonly keyId: string;
  readonly entry: StoredKey;
  readonly now: number;
}

const createdToday = (now: number): string => accountCounters.keysCreated(windowsAt(now).day);

/** The change that adds a key to the account's other keys, or creates their map with its first one. */
const keyAddition = ({ owner, keyId, entry, now }: NewKey, isFirst: boolean): ItemUpdate => {
  const condition =
    "token_epoch = :epoch AND disabled = :no AND attribute_not_exists(deletion_began) AND NOT #made >= :perDay";
  const values = { ":epoch": owner.tokenEpoch, ":no": false, ":perDay": maxCreatedPerDay, ":one": 1 };
  const Key = accountKeys.access(owner.userId);
  if (isFirst) {
    return {
      Key,
      UpdateExpression: "SET api_keys = :keys ADD #made :one",
      ConditionExpression: `${condition} AND attribute_not_exists(api_keys)`,
      ExpressionAttributeNames: { "#made": createdToday(now) },
      ExpressionAttributeValues: { ...values, ":keys": { [keyId]: entry } },
    };
  }
  return {
    Key,
    UpdateExpression: "SET api_keys.#key = :entry ADD #made :one",
    // Not every implementation of DynamoDB treats the size of a missing attribute as a condition that fails.
    ConditionExpression: `${condition} AND attribute_exists(api_keys) AND size(api_keys) < :most AND attribute_not_exists(api_keys.#key)`,
    ExpressionAttributeNames: { "#key": keyId, "#made": createdToday(now) },
    ExpressionAttributeValues: { ...values, ":entry": entry, ":most": maxKeys },
  };
};

/** Why a key was not created, from the access item that did not meet the condition. */
const refusalOf = (item: Item | undefined, { owner, now }: NewKey): AppError => {
  const access = accessItem.safeParse(item).data;
  if (!access || access.token_epoch !== owner.tokenEpoch || access.deletion_began !== undefined) {
    return new AppError("unauthenticated");
  }
  if (access.disabled) return new AppError("forbidden");
  if (Object.keys(access.api_keys ?? {}).length >= maxKeys) return new AppError("too_many_keys");
  return countIn(access, createdToday(now)) >= maxCreatedPerDay
    ? new AppError("rate_limited", {
        message: `An account creates at most ${maxCreatedPerDay} keys a day.`,
        retryAfterSeconds: Math.ceil((windowsAt(now).ends.day - now) / 1_000),
      })
    : new AppError("service_unavailable");
};

/** Adds a key to its account's access item, together with the item that lists show. @throws AppError as {@link refusalOf}. */
const addKey = async (table: Table, key: NewKey, listed: Item): Promise<void> => {
  let refused: Item | undefined;
  // Most accounts have a key already. Between two attempts another request may create the first one.
  for (const isFirst of [false, true, false]) {
    const { applied, failures } = await table.transact([
      { update: keyAddition(key, isFirst) },
      { put: listed },
    ]);
    if (applied) return;
    refused = failures[0]?.item;
    const hasNoKeys = refused !== undefined && refused["api_keys"] === undefined;
    if (hasNoKeys === isFirst) break;
  }
  throw refusalOf(refused, key);
};

/** Reads what lists show of an account's keys. */
const readDetails = async (table: Table, userId: number) => {
  const items = await table.query({
    partition: accountKeys.profile(userId).PK,
    beginsWith: apiKeyItemPrefix,
    attributes: ["SK", "name", "prefix", "created_at"],
  });
  return items.map((item) => {
    const { SK, ...shown } = details.parse(item);
    return { id: SK.slice(apiKeyItemPrefix.length), ...shown };
  });
};

/** Returns the keys of an account, oldest first, expired ones included. */
const listKeys = async (table: Table, userId: number, now: number): Promise<UsedKey[]> => {
  // In this order: a key that is removed between the two is not shown, and one that is added is shown next time.
  const listed = await readDetails(table, userId);
  const item = await table.read({ Key: accountKeys.access(userId) });
  const entries = item ? (accessItem.parse(item).api_keys ?? {}) : {};
  const month = accountCounters.month(windowsAt(now).month);
  return listed
    .flatMap(({ id, name, prefix, created_at: createdAt }) => {
      const entry = Object.hasOwn(entries, id) ? entries[id] : undefined;
      if (!entry) return [];
      return {
        id,
        name,
        prefix,
        createdAt,
        scopes: entry.s && scopes.filter((scope) => entry.s?.has(scope)),
        expiresAt: entry.e,
        monthlyLimit: entry.l,
        minuteLimit: entry.m,
        usedAt: entry.u,
        usedThisMonth: countIn(entry, month),
      };
    })
    .toSorted((one, other) => compareText(one.createdAt, other.createdAt));
};

/** Changes an item, together with a record where there is one. */
const updateWith = (
  table: Table,
  record: TableWrite | undefined,
  update: ItemUpdate,
): Promise<{ readonly applied: boolean }> =>
  record ? table.transact([{ update }, record]) : table.update(update);

/** Returns the name of a key; `undefined` for one that was revoked. */
export const findKeyName = async (
  table: Pick<Table, "read">,
  userId: number,
  keyId: string,
): Promise<string | undefined> => {
  const item = await table.read({ Key: accountKeys.apiKey(userId, keyId) });
  return item && details.parse(item).name;
};

/** Keys in the table. */
export type ApiKeysRepository = ReturnType<typeof createApiKeysRepository>;

/** The keys in the service's table; access patterns A5 and A6 of the README in `shared/accounts`. */
export const createApiKeysRepository = (table: Table, now: () => number = Date.now) => ({
  /**
   * Creates a key. The same write checks that the caller's token was not revoked meanwhile.
   *
   * @param owner the account, and the epoch of the caller's token.
   * @returns the key with its secret, which is not stored.
   * @throws AppError `too_many_keys`; `rate_limited` when too many were created today; `unauthenticated` when the token
   * was revoked; `forbidden` for a disabled account.
   */
  create: async (owner: AccountAtEpoch, choices: KeyChoices): Promise<ApiKey & { readonly key: string }> => {
    const { key, keyId, keyDigest, prefix } = makeApiKey(owner.userId);
    const time = now();
    const createdAt = new Date(time).toISOString();
    const { name, scopes: only, expiresAt, monthlyLimit, minuteLimit } = choices;
    const entry: StoredKey = {
      h: keyDigest,
      ...(only && { s: new Set(only) }),
      ...(expiresAt !== undefined && { e: expiresAt }),
      ...(monthlyLimit !== undefined && { l: monthlyLimit }),
      ...(minuteLimit !== undefined && { m: minuteLimit }),
    };
    const listed = { ...accountKeys.apiKey(owner.userId, keyId), name, prefix, created_at: createdAt };
    await addKey(table, { owner, keyId, entry, now: time }, listed);
    return { ...choices, id: keyId, key, prefix, createdAt };
  },

  list: (userId: number) => listKeys(table, userId, now()),

  /**
   * Revokes a key: the next request with it is refused. Returns whether the account had it.
   *
   * @param record what an operator's act is recorded with: both are written, or neither.
   */
  revoke: async (userId: number, keyId: string, record?: TableWrite): Promise<boolean> => {
    const { applied } = await updateWith(table, record, {
      Key: accountKeys.access(userId),
      UpdateExpression: "REMOVE api_keys.#key",
      ConditionExpression: "attribute_exists(api_keys.#key)",
      ExpressionAttributeNames: { "#key": keyId },
    });
    // Also when the key was gone: an earlier attempt may have ended between the two writes.
    await table.delete(accountKeys.apiKey(userId, keyId));
    return applied;
  },

  /** Revokes all keys of an account. Returns their number. @param record as in `revoke`. */
  revokeAll: async (userId: number, record?: TableWrite): Promise<number> => {
    const listed = await readDetails(table, userId);
    await updateWith(table, record, {
      Key: accountKeys.access(userId),
      UpdateExpression: "REMOVE api_keys",
      ...exists,
    });
    await table.deleteAll(listed.map(({ id }) => accountKeys.apiKey(userId, id)));
    return listed.length;
  },
});
