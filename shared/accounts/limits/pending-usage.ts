import { type Use, usedUnits } from "../../platform/telemetry/use.ts";
import type { Additions } from "./counter-update.ts";
import { usageCounter } from "./usage-counters.ts";

/** Of which account, and on which row of its usage, something is counted. */
export interface UsageAccount {
  readonly userId: number;
  readonly day: number;
  readonly operationId: string;
  readonly keyId: string | undefined;
}

/** How a request ended. */
export interface RequestEnd {
  readonly use: Use;
  /** Whether its caller was told of an error, or its response broke off. */
  readonly hasFailed: boolean;
}

/** What is counted of a request at its end: each counter, and by how much. */
const additionsOf = (account: UsageAccount, { use, hasFailed }: RequestEnd): [string, number][] => {
  const used: Use = hasFailed && !use.errors ? { ...use, errors: 1 } : use;
  return usedUnits.flatMap((unit) => (used[unit] ? [[usageCounter(account, unit), used[unit]]] : []));
};

/** An account whose last request ended so long ago is not busy: nothing that is owed need wait for another one of it. */
const quietMilliseconds = 2_000;

/** One write takes no more, so that its expressions stay short; the rest waits for the next. */
const maxAdditions = 30;

interface Account {
  readonly pending: Map<string, number>;
  /** Its requests that have been admitted here and are not over. */
  active: number;
  /** When the last of them ended, in milliseconds of Unix time. */
  endedAt: number;
}

/**
 * What is owed on the usage of accounts: counts that are known when a request is over. Each waits in the memory of one execution
 * environment until a write is made anyway, so that a busy account's requests cost no further one.
 */
export interface PendingUsage {
  /** What is owed on an account, for a write that is made now; from here on it is that write's. */
  take(userId: number): Additions | undefined;
  /** Owes again what a write has certainly not counted. */
  putBack(userId: number, additions: Additions): void;
  /** Notes that a request of the account was admitted. */
  begin(userId: number): void;
  /**
   * Notes that a request of the account is over.
   *
   * @param end what is to be counted of it; `undefined` when nothing is, because it was refunded.
   * @returns whether the account is not busy: none of its requests is under way here, and none was shortly before.
   */
  end(account: UsageAccount, end: RequestEnd | undefined): boolean;
  /** Begins to count what is owed on an account. */
  write(userId: number): void;
  /**
   * Resolves when nothing is being counted any more. A function that is frozen meanwhile would lose it, so that whatever request
   * ends then waits for it.
   */
  written(): Promise<void>;
}

/**
 * @param now milliseconds of Unix time.
 * @param count counts what is owed on an account, in a write of its own; never rejects.
 */
export const createPendingUsage = (
  now: () => number,
  count: (userId: number, pending: Additions) => Promise<unknown>,
): PendingUsage => {
  const writes = new Set<Promise<unknown>>();
  let isWriteDue = false;
  const accounts = new Map<number, Account>();

  const accountOf = (userId: number): Account => {
    const known = accounts.get(userId);
    if (known) return known;
    const account = { pending: new Map<string, number>(), active: 0, endedAt: Number.NEGATIVE_INFINITY };
    accounts.set(userId, account);
    return account;
  };

  const addPending = ({ pending }: Account, additions: Iterable<readonly [string, number]>): void => {
    for (const [counter, amount] of additions) pending.set(counter, (pending.get(counter) ?? 0) + amount);
  };

  const take = (userId: number): Additions | undefined => {
    const pending = accounts.get(userId)?.pending;
    if (!pending || pending.size === 0) return undefined;
    const taken = new Map(Array.from(pending).slice(0, maxAdditions));
    for (const counter of taken.keys()) pending.delete(counter);
    return taken;
  };

  const write = (userId: number): void => {
    const pending = take(userId);
    if (!pending) return;
    const counted = count(userId, pending).finally(() => writes.delete(counted));
    writes.add(counted);
  };

  /** Counts what is owed on accounts that are not busy any more, and forgets those on which nothing is. */
  const writeQuiet = (): void => {
    for (const [userId, { pending, active, endedAt }] of accounts) {
      if (now() - endedAt < quietMilliseconds) continue;
      if (pending.size > 0) write(userId);
      else if (active === 0) accounts.delete(userId);
    }
  };

  /** What the last request of a busy account has used is not to wait for its next one for ever. */
  const writeLater = (): void => {
    if (isWriteDue || accounts.size === 0) return;
    isWriteDue = true;
    const timer = setTimeout(() => {
      isWriteDue = false;
      writeQuiet();
      writeLater();
    }, quietMilliseconds);
    timer.unref();
  };

  return {
    take,
    write,

    putBack: (userId, additions) => addPending(accountOf(userId), additions),

    begin: (userId) => {
      accountOf(userId).active += 1;
    },

    end: (usageAccount, end) => {
      const account = accountOf(usageAccount.userId);
      const wasBusy = now() - account.endedAt < quietMilliseconds;
      account.active -= 1;
      account.endedAt = now();
      if (end) addPending(account, additionsOf(usageAccount, end));
      writeLater();
      return account.active === 0 && !wasBusy;
    },

    written: async () => {
      await Promise.all(writes);
    },
  };
};
