import { daySeconds, minuteSeconds } from "../../platform/durations.ts";
import { type Item, type ItemKey, isNew, type Table } from "../../platform/storage/table.ts";
import { numbersOf } from "../limits/limit-counters.ts";

/** What is remembered of the wrong passwords of one count. */
export interface PasswordAttempts {
  readonly failures: number;
  /** Milliseconds of Unix time before which no further password is looked at; 0 while there is no wait. */
  readonly blockedUntil: number;
  /** Milliseconds of Unix time at which all of this is forgotten. */
  readonly forgottenAt: number;
}

/** From the fifth wrong password on a count waits. The wait doubles with each further one and always ends. */
export const usualFreeFailures = 5;
const windowSeconds = daySeconds;
const firstWaitSeconds = 5;
const maxWaitSeconds = 15 * minuteSeconds;

/** How long to wait after so many wrong passwords. */
const waitSecondsAfter = (failures: number, freeFailures: number): number =>
  failures < freeFailures ? 0 : Math.min(maxWaitSeconds, firstWaitSeconds * 2 ** (failures - freeFailures));

/** Milliseconds until another password may be tried; 0 when that is now. */
export const remainingWait = (attempts: PasswordAttempts | undefined, now: number): number =>
  Math.max(0, (attempts?.blockedUntil ?? 0) - now);

/**
 * What is to be remembered after one more wrong password.
 *
 * The first ones are forgotten together, a day after the first of them. When the free ones are used up, each makes the
 * count wait, twice as long as the one before, and is forgotten a day after the wait: who never stops guessing never gets
 * the free ones back.
 *
 * @param freeFailures the wrong password with which the waits begin.
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

/** Where a count is kept: one of the keys C3, C5 and C7 of `limitKeys`. */
export type CountKey = ItemKey;

/** What came of a wrong password. */
export interface WrongPassword {
  /** The wait that others have caused meanwhile; then nothing was added. 0 when it was added. */
  readonly wait: number;
  /** How many there are now. */
  readonly failures: number;
}

/** Wrong passwords in the table, in several counts. Waits are in milliseconds; 0 means that there is none. */
export interface PasswordAttemptsRepository {
  /** How long to wait before a password is looked at. */
  waitOf(count: CountKey): Promise<number>;
  /** Remembers a wrong password. @param freeFailures as in `afterWrongPassword`. */
  addWrong(count: CountKey, freeFailures: number): Promise<WrongPassword>;
  /** Forgets all wrong passwords. @returns the wait that others have caused meanwhile; then nothing is forgotten. */
  clearAfterRight(count: CountKey): Promise<number>;
  /** Forgets all wrong passwords, whatever the wait. */
  forget(count: CountKey): Promise<void>;
}

const attemptsOf = (item: Item | undefined): PasswordAttempts | undefined => {
  const values = numbersOf(item);
  const failures = values.get("failures");
  const blockedUntil = values.get("blocked_until");
  const forgottenAt = values.get("forgotten_at");
  return failures === undefined || blockedUntil === undefined || forgottenAt === undefined
    ? undefined
    : { failures, blockedUntil, forgottenAt };
};

const toItem = ({ failures, blockedUntil, forgottenAt }: PasswordAttempts) => ({
  failures,
  blocked_until: blockedUntil,
  forgotten_at: forgottenAt,
  expires_at: Math.ceil(forgottenAt / 1_000),
});

/** The condition that an item is still as it was read. */
const unchanged = (seen: PasswordAttempts | undefined) =>
  seen
    ? {
        ConditionExpression: "failures = :failures AND forgotten_at = :forgotten",
        ExpressionAttributeValues: { ":failures": seen.failures, ":forgotten": seen.forgottenAt },
      }
    : isNew;

/** The wrong passwords in the service's table; access patterns C3, C5 and C7 of the README in `shared/accounts/limits`. */
export const createPasswordAttemptsRepository = (
  table: Table,
  now: () => number = Date.now,
): PasswordAttemptsRepository => {
  const find = async (Key: CountKey): Promise<PasswordAttempts | undefined> =>
    attemptsOf(await table.read({ Key }));

  return {
    waitOf: async (count) => remainingWait(await find(count), now()),

    addWrong: async (count, freeFailures) => {
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

    clearAfterRight: async (count) => {
      const { applied, item } = await table.deleteIf(count, {
        ConditionExpression: "attribute_not_exists(PK) OR blocked_until <= :now",
        ExpressionAttributeValues: { ":now": now() },
      });
      return applied ? 0 : remainingWait(attemptsOf(item), now());
    },

    forget: (count) => table.delete(count),
  };
};
