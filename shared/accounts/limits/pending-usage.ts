import type { Use } from "../../platform/telemetry/used-units.ts";
import { usedUnits } from "../../platform/telemetry/used-units.ts";
import type { Additions } from "./counter-update.ts";
import { type UsageRow, usageCounter } from "./usage-counters.ts";

/** The row of an account's usage on which a request counts. */
export interface UsageAccount extends UsageRow {
  readonly userId: number;
}

/** How a request ended. */
export interface RequestEnd {
  readonly use: Use;
  /** Whether its caller got an error, or its response broke off. */
  readonly hasFailed: boolean;
}

/** Returns what a request counts at its end, by counter. */
const additionsOf = (account: UsageAccount, { use, hasFailed }: RequestEnd): [string, number][] => {
  const used: Use = hasFailed && !use.errors ? { ...use, errors: 1 } : use;
  return usedUnits.flatMap((unit) => (used[unit] ? [[usageCounter(account, unit), used[unit]]] : []));
};

/** After this long without a request, an account's usage does not wait for another one. */
const quietMilliseconds = 2_000;

/** The max number of counters in one write, so its expressions stay short; the rest waits for the next. */
const maxAdditions = 30;

interface Account {
  readonly pending: Map<string, number>;
  /** Its admitted requests that have not ended. */
  active: number;
  /** When the last of them ended, in milliseconds of Unix time. */
  endedAt: number;
}

const addTo = ({ pending }: Account, additions: Iterable<readonly [string, number]>): void => {
  for (const [counter, amount] of additions) pending.set(counter, (pending.get(counter) ?? 0) + amount);
};

const takeFrom = ({ pending }: Account): Additions | undefined => {
  if (pending.size === 0) return undefined;
  const taken = new Map(Array.from(pending).slice(0, maxAdditions));
  for (const counter of taken.keys()) pending.delete(counter);
  return taken;
};

/** Returns an account, and adds it when it is missing. */
const accountIn = (accounts: Map<number, Account>, userId: number): Account => {
  const account = accounts.get(userId) ?? {
    pending: new Map<string, number>(),
    active: 0,
    endedAt: Number.NEGATIVE_INFINITY,
  };
  accounts.set(userId, account);
  return account;
};

/**
 * The usage of accounts that is known when a request ends. It waits in the memory of one execution environment for another
 * write of the account, so a busy account's requests cost no further write.
 */
export interface PendingUsage {
  /** Removes and returns pending usage of an account, for a write that counts it. */
  take(userId: number): Additions | undefined;
  /** Adds usage again that a write certainly did not count. */
  putBack(userId: number, additions: Additions): void;
  /** Records that a request of the account was admitted. */
  begin(userId: number): void;
  /**
   * Records that a request of the account has ended.
   *
   * @param end its usage; `undefined` when it was refunded.
   * @returns whether the account is quiet: none of its requests is active here, or has ended shortly before.
   */
  end(account: UsageAccount, end: RequestEnd | undefined): boolean;
  /** Starts to write an account's usage. */
  write(userId: number): void;
  /** Resolves when all writes have ended. Each request waits for it at its end: a frozen function would lose them. */
  written(): Promise<void>;
}

/**
 * @param now milliseconds of Unix time.
 * @param count writes usage of an account; never rejects.
 */
export const createPendingUsage = (
  now: () => number,
  count: (userId: number, pending: Additions) => Promise<unknown>,
): PendingUsage => {
  const writes = new Set<Promise<unknown>>();
  const accounts = new Map<number, Account>();
  let timer: NodeJS.Timeout | undefined;

  const accountOf = (userId: number): Account => accountIn(accounts, userId);

  const take = (userId: number): Additions | undefined => {
    const account = accounts.get(userId);
    return account && takeFrom(account);
  };

  const write = (userId: number): void => {
    const pending = take(userId);
    if (!pending) return;
    const counted = count(userId, pending).finally(() => writes.delete(counted));
    writes.add(counted);
  };

  /** Writes the usage of quiet accounts, so it does not wait for another request, and forgets those without any. */
  const writeQuiet = (): void => {
    for (const [userId, { pending, active, endedAt }] of accounts) {
      if (now() - endedAt < quietMilliseconds) continue;
      if (pending.size > 0) write(userId);
      else if (active === 0) accounts.delete(userId);
    }
  };

  const writeLater = (): void => {
    if (timer || accounts.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      writeQuiet();
      writeLater();
    }, quietMilliseconds);
    timer.unref();
  };

  return {
    take,
    write,
    putBack: (userId, additions) => addTo(accountOf(userId), additions),

    begin: (userId) => {
      accountOf(userId).active += 1;
    },

    end: (usageAccount, end) => {
      const account = accountOf(usageAccount.userId);
      const wasBusy = now() - account.endedAt < quietMilliseconds;
      account.active -= 1;
      account.endedAt = now();
      if (end) addTo(account, additionsOf(usageAccount, end));
      writeLater();
      return account.active === 0 && !wasBusy;
    },

    written: async () => {
      await Promise.all(writes);
    },
  };
};
