import * as z from "zod";
import { daySeconds } from "../../platform/durations.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Table } from "../../platform/storage/table.ts";
import { callbackKeys } from "./keys.ts";
import { makeSecret } from "./signature.ts";

/** How long a secret that was replaced goes on signing, beside the new one. */
const overlapSeconds = daySeconds;

/** Each makes a signature of some 50 characters in a header. */
const maxPrevious = 4;

const maxAttempts = 3;

const secretItem = z.object({
  secret: z.string(),
  /** Those before it, newest first, and until when each signs, in Unix seconds. */
  previous: z.array(z.object({ secret: z.string(), until: z.int() })),
});

/** With what callbacks are signed; access pattern K1 of this folder's README. */
export interface CallbackSecrets {
  /** The account's secret; the first time that it is asked for, it is made. */
  current(userId: number): Promise<string>;
  /**
   * Makes a new secret. The one before signs as well for a day.
   *
   * @throws AppError `service_unavailable` when others keep changing it.
   */
  replace(userId: number): Promise<string>;
  /** All that sign at this moment, the newest first; none when the account never asked for one, or is gone. */
  signing(userId: number): Promise<string[]>;
}

/** The secrets of accounts in the service's table. */
export const createCallbackSecrets = (
  table: Pick<Table, "read" | "update">,
  now: () => number = Date.now,
): CallbackSecrets => {
  const read = async (userId: number) => {
    const item = await table.read({ Key: callbackKeys.secret(userId) });
    return item && secretItem.parse(item);
  };

  /** @returns the secret that is there afterwards: this one, or the one that somebody else has made meanwhile. */
  const create = async (userId: number): Promise<string> => {
    const { item } = await table.update({
      Key: callbackKeys.secret(userId),
      UpdateExpression: "SET secret = :secret, previous = :none",
      ConditionExpression: "attribute_not_exists(secret)",
      ExpressionAttributeValues: { ":secret": makeSecret(), ":none": [] },
    });
    return secretItem.parse(item).secret;
  };

  const replaceOnce = async (userId: number): Promise<string | undefined> => {
    const seen = await read(userId);
    if (!seen) return create(userId);
    const seconds = Math.floor(now() / 1_000);
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

  return {
    current: async (userId) => (await read(userId))?.secret ?? (await create(userId)),

    replace: async (userId) => {
      for (let attempts = 1; attempts <= maxAttempts; attempts += 1) {
        const secret = await replaceOnce(userId);
        if (secret) return secret;
      }
      throw new AppError("service_unavailable");
    },

    signing: async (userId) => {
      const item = await read(userId);
      if (!item) return [];
      const stillSigning = item.previous.filter(({ until }) => until * 1_000 > now());
      return [item.secret, ...stillSigning.map(({ secret }) => secret)];
    },
  };
};
