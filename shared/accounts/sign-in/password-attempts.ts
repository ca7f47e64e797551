import * as z from "zod";
import { daySeconds, minuteSeconds } from "../../platform/durations.ts";
import { type Item, type ItemKey, isNew, type Table } from "../../platform/storage/table.ts";

/** One count of wrong passwords. */
export interface PasswordAttempts {
  readonly failures: number;
  /** Milliseconds of Unix time before which no password is checked; 0 for no wait. */
  readonly blockedUntil: number;
  /** Milliseconds of Unix time at which the count ends. */
  readonly forgottenAt: number;
}

/** The wait starts with the fifth wrong password, and doubles with each further one, up to a maximum. */
export const usualFreeFailures = 5;
const windowSeconds = daySeconds;
const firstWaitSeconds = 5;
const maxWaitSeconds = 15 * minuteSeconds;

const waitSecondsAfter = (failures: number, freeFailures: number): number =>
  failures < freeFailures ? 0 : Math.min(maxWaitSeconds, firstWaitSeconds * 2 ** (failures - freeFailures));

/** Returns the milliseconds until another password is checked. */
export const remainingWait = (attempts: PasswordAttempts | undefined, now: number): number =>
  Math.max(0, (attempts?.blockedUntil ?? 0) - now);

/**
 * Returns the count after one more wrong password.
 *
 * The free ones end together, a day after the first of them. After that, each wrong password causes a wait, and ends a day
 * after it: a client that never stops guessing never gets the free ones again.
 *
 * @param freeFailures the wrong password with which the waits start.
 */
export const afterWrongPassword = (
  attempts: PasswordAttempts | undefined,
  now: number,
  freeFailures: number = usualFreeFailures,
): PasswordAttempts => {
  const known = attempts && attempts.forgottenAt > now ? attempts : undefined;
  const failures = (known?.failures ?? 0) + 1;
  const wait = waitSecondsAfter(failures, freeFailures) * 1_000;
  if (wait > 0) {
    const blockedUntil = now + wait;
    return { failures, blockedUntil, forgottenAt: blockedUntil + windowSeconds * 1_000 };
  }
  return { failures, blockedUntil: 0, forgottenAt: known?.forgottenAt ?? now + windowSeconds * 1_000 };
};

/** The result of adding a wrong password. */
export interface WrongPassword {
  /** The wait that other requests have caused meanwhile; then nothing was added. 0 when it was added. */
  readonly wait: number;
  /** The number of wrong passwords. */
  readonly failures: number;
}

const attemptsItem = z
  .object({ failures: z.number(), blocked_until: z.number(), forgotten_at: z.number() })
  .transform(({ failures, blocked_until: blockedUntil, forgotten_at: forgottenAt }) => ({
    failures,
    blockedUntil,
    forgottenAt,
  }));

const attemptsOf = (item: Item | undefined): PasswordAttempts | undefined =>
  attemptsItem.safeParse(item).data;

const toItem = ({ failures, blockedUntil, forgottenAt }: PasswordAttempts) => ({
  failures,
  blocked_until: blockedUntil,
  forgotten_at: forgottenAt,
  expires_at: Math.ceil(forgottenAt / 1_000),
});

/** The condition that an item has not changed since it was read. */
const unchanged = (seen: PasswordAttempts | undefined) =>
  seen
    ? {
        ConditionExpression: "failures = :failures AND forgotten_at = :forgotten",
        ExpressionAttributeValues: { ":failures": seen.failures, ":forgotten": seen.forgottenAt },
      }
    : isNew;

/** Counts of wrong passwords in the table. */
export type PasswordAttemptsRepository = ReturnType<typeof createPasswordAttemptsRepository>;

/**
 * The wrong passwords in the service's table; access patterns C3, C5 and C7 of the README in `shared/accounts/limits`. Waits
 * are in milliseconds, 0 for none.
 */
export const createPasswordAttemptsRepository = (table: Table, now: () => number = Date.now) => {
  const find = async (Key: ItemKey) => attemptsOf(await table.read({ Key }));

  return {
    /** Returns the wait before a password is checked. */
    waitOf: async (count: ItemKey): Promise<number> => remainingWait(await find(count), now()),

    /** Adds a wrong password. @param freeFailures as in {@link afterWrongPassword}. */
    addWrong: async (count: ItemKey, freeFailures: number): Promise<WrongPassword> => {
      // Ends: an attempt fails only when another request has added a wrong password, and after the free ones all wait.
      for (let seen = await find(count); ; ) {
        const wait = remainingWait(seen, now());
        if (wait > 0) return { wait, failures: seen?.failures ?? 0 };
        const next = afterWrongPassword(seen, now(), freeFailures);
        const { applied, item } = await table.putIf({ ...count, ...toItem(next) }, unchanged(seen));
        if (applied) return { wait: 0, failures: next.failures };
        seen = attemptsOf(item);
      }
    },

    /** Ends a count after the right password. Returns the wait that other requests have caused meanwhile; then the count stays. */
    clearAfterRight: async (count: ItemKey): Promise<number> => {
      const { applied, item } = await table.deleteIf(count, {
        ConditionExpression: "attribute_not_exists(PK) OR blocked_until <= :now",
        ExpressionAttributeValues: { ":now": now() },
      });
      return applied ? 0 : remainingWait(attemptsOf(item), now());
    },

    /** Ends a count and any wait. */
    forget: (count: ItemKey): Promise<void> => table.delete(count),
  };
};
