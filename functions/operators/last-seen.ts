import * as z from "zod";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { windowOfCounter } from "../../shared/accounts/limits/keys.ts";
import { dayMilliseconds, minuteMilliseconds } from "../../shared/platform/durations.ts";
import type { Table } from "../../shared/platform/storage/table.ts";

const usedKeys = z.looseObject({
  api_keys: z.record(z.string(), z.looseObject({ u: z.int().optional() })).default({}),
});

const timeOfCounter = (attribute: string): number => {
  const window = windowOfCounter(attribute);
  if (window?.kind === "minute") return window.minute * minuteMilliseconds;
  return window?.kind === "day" ? window.day * dayMilliseconds : 0;
};

/**
 * Returns when an account was last used with a token or a key, from what its requests leave in its access item: to the minute,
 * or to the day when it was not used for long.
 *
 * @returns milliseconds of Unix time; 0 when nothing remains.
 */
export const lastRequest = async (table: Pick<Table, "read">, userId: number): Promise<number> => {
  const item = (await table.read({ Key: accountKeys.access(userId) })) ?? {};
  const keys = Object.values(usedKeys.parse(item).api_keys).map(({ u = 0 }) => u * 1_000);
  return [...keys, ...Object.keys(item).map(timeOfCounter)].reduce(
    (latest, time) => Math.max(latest, time),
    0,
  );
};
