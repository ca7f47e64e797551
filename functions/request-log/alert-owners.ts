import * as z from "zod";
import { storedKey } from "../../shared/accounts/access/access.ts";
import { accountAccess } from "../../shared/accounts/access/account-access.ts";
import { accountCounters } from "../../shared/accounts/limits/keys.ts";
import { countIn } from "../../shared/accounts/limits/limit-counters.ts";
import type { AccountPolicies } from "../../shared/accounts/limits/policies.ts";
import { windowsAt } from "../../shared/accounts/limits/windows.ts";
import type { MailQueue } from "../../shared/accounts/mail/mail-queue.ts";
import { noticeKeys } from "../../shared/accounts/notices/keys.ts";
import { monthNoticeDays } from "../../shared/accounts/notices/stored-kinds.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import { type Item, isNew, type Table } from "../../shared/platform/storage/table.ts";

/** What the mails about used months need. */
export interface AlertDependencies {
  readonly table: Pick<Table, "delete" | "putIf">;
  readonly mailQueue: MailQueue;
  readonly policyOf: AccountPolicies;
}

const keysOf = z.object({ api_keys: z.record(z.string(), storedKey).default({}) });

/** How much of a month an account, or one of its keys, has used. */
interface UsedMonth {
  readonly keyId?: string;
  readonly used: number;
  readonly limit: number;
}

/** The months of an account and of its keys that have a limit. */
const monthsOf = (item: Item, month: string, policyOf: AccountPolicies): UsedMonth[] => {
  const counter = accountCounters.month(month);
  const { perMonth } = policyOf(accountAccess.parse(item));
  const ofKeys = Object.entries(keysOf.parse(item).api_keys).flatMap(([keyId, entry]) =>
    entry.l === undefined ? [] : [{ keyId, used: countIn(entry, counter), limit: entry.l }],
  );
  return [...(perMonth === undefined ? [] : [{ used: countIn(item, counter), limit: perMonth }]), ...ofKeys];
};

/** Which of the mails is due; `undefined` when none is. */
const percentDue = ({ used, limit }: UsedMonth): 80 | 100 | undefined =>
  used >= limit ? 100 : used >= 0.8 * limit ? 80 : undefined;

/** Mails an owner about a month, once at 80 and once at 100%. */
const alertOwner = async (
  userId: number,
  month: UsedMonth,
  { table, mailQueue }: AlertDependencies,
  now: number,
): Promise<void> => {
  const percent = percentDue(month);
  if (percent === undefined) return;
  const { month: name, ends } = windowsAt(now);
  const { keyId, used, limit } = month;
  const expires_at = Math.floor(now / 1_000) + monthNoticeDays * daySeconds;
  const keyAt = (each: number) => noticeKeys.monthUsed(userId, name, { keyId, percent: each });
  const note = async (each: number): Promise<boolean> =>
    (await table.putIf({ ...keyAt(each), expires_at }, isNew)).applied;
  if (!(await note(percent))) return;
  // A refund may bring the count below the limit again, which needs no second mail.
  if (percent === 100) await note(80);
  const until = new Date(ends.month).toISOString().slice(0, 10);
  try {
    await mailQueue.send({
      ...{ kind: "month-used", userId, percent, used, limit, until },
      ...(keyId === undefined ? {} : { keyId }),
    });
  } catch (error) {
    await table.delete(keyAt(percent));
    throw error;
  }
};

/**
 * Mails the owners whose account, or one of whose keys, has used 80 or 100% of its month: once each.
 *
 * @param accounts the access items of accounts that have just sent requests.
 * @throws what the table and the queue throw; a repetition continues.
 */
export const alertOwners = async (
  accounts: ReadonlyMap<number, Item>,
  dependencies: AlertDependencies,
  now = Date.now(),
): Promise<void> => {
  const { month } = windowsAt(now);
  for (const [userId, item] of accounts) {
    for (const used of monthsOf(item, month, dependencies.policyOf)) {
      await alertOwner(userId, used, dependencies, now);
    }
  }
};
