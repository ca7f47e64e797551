import * as z from "zod";
import { daySeconds } from "../../platform/durations.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { ItemUpdate, Table } from "../../platform/storage/table.ts";
import { callbackKeys } from "./keys.ts";
import { makeSecret } from "./signature.ts";

/** How long a replaced secret still signs. */
const overlapSeconds = daySeconds;

/** Each adds a signature of some 50 characters to a header. */
const maxPrevious = 4;

const maxAttempts = 3;

const secretItem = z.object({
  secret: z.string(),
  /** Earlier secrets, newest first; each signs until a time in Unix seconds. */
  previous: z.array(z.object({ secret: z.string(), until: z.int() })),
  /** Callbacks of jobs from before have ended, in milliseconds of Unix time. */
  not_before: z.int().default(0),
});

type SecretTable = Pick<Table, "read" | "update">;

const read = async (table: SecretTable, userId: number) => {
  const item = await table.read({ Key: callbackKeys.secret(userId) });
  return item && secretItem.parse(item);
};

/** Creates a secret unless there is one. @returns the stored secret. */
const create = async (table: SecretTable, userId: number): Promise<string> => {
  const { item } = await table.update({
    Key: callbackKeys.secret(userId),
    UpdateExpression: "SET secret = :secret, previous = :none",
    ConditionExpression: "attribute_not_exists(secret)",
    ExpressionAttributeValues: { ":secret": makeSecret(), ":none": [] },
  });
  return secretItem.parse(item).secret;
};

/** @returns the new secret; `undefined` when another request has replaced it first. */
const replaceOnce = async (
  table: SecretTable,
  userId: number,
  seconds: number,
): Promise<string | undefined> => {
  const seen = await read(table, userId);
  if (!seen) return create(table, userId);
  const secret = makeSecret();
  const previous = [{ secret: seen.secret, until: seconds + overlapSeconds }, ...seen.previous]
    .filter(({ until }) => until > seconds)
    .slice(0, maxPrevious);
  const { applied } = await table.update({
    Key: callbackKeys.secret(userId),
    UpdateExpression: "SET secret = :secret, previous = :previous",
    ConditionExpression: "secret = :seen",
    ExpressionAttributeValues: { ":secret": secret, ":previous": previous, ":seen": seen.secret },
  });
  return applied ? secret : undefined;
};

/** The change that replaces the secrets of an account at once, and ends the callbacks of its jobs. */
export const callbacksEnd = (userId: number): ItemUpdate => ({
  Key: callbackKeys.secret(userId),
  UpdateExpression: "SET secret = :secret, previous = :none, not_before = :now",
  ExpressionAttributeValues: { ":secret": makeSecret(), ":none": [], ":now": Date.now() },
});

/** The secrets that sign callbacks. */
export type CallbackSecrets = ReturnType<typeof createCallbackSecrets>;

/** Creates the repository of callback secrets; access pattern K1 of this folder's README. */
export const createCallbackSecrets = (table: SecretTable, now: () => number = Date.now) => ({
  /** Returns the account's secret, and creates it on first use. */
  current: async (userId: number): Promise<string> =>
    (await read(table, userId))?.secret ?? (await create(table, userId)),

  /**
   * Creates a new secret. The previous one signs for another day.
   *
   * @throws AppError `service_unavailable` when other requests keep replacing it.
   */
  replace: async (userId: number): Promise<string> => {
    for (let attempts = 1; attempts <= maxAttempts; attempts += 1) {
      const secret = await replaceOnce(table, userId, Math.floor(now() / 1_000));
      if (secret) return secret;
    }
    throw new AppError("service_unavailable");
  },

  /**
   * Returns all secrets that sign now, newest first: none when the job's callback has ended, and `undefined` when the account is
   * gone.
   *
   * @param jobCreatedAt when the job was created, as an ISO time.
   */
  signing: async (userId: number, jobCreatedAt: string): Promise<string[] | undefined> => {
    const item = await read(table, userId);
    if (!item) return undefined;
    if (Date.parse(jobCreatedAt) < item.not_before) return [];
    const stillSigning = item.previous.filter(({ until }) => until * 1_000 > now());
    return [item.secret, ...stillSigning.map(({ secret }) => secret)];
  },
});
