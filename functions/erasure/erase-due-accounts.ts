import * as z from "zod";
import type { StoredAccount } from "../../shared/accounts/access/account.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import type { Table } from "../../shared/platform/storage/table.ts";

export interface DueDependencies {
  readonly table: Pick<Table, "delete" | "query">;
  readonly accounts: Pick<AccountsRepository, "find">;
  /** Deletes an account and everything that belongs to it; continues where an earlier call failed. */
  readonly eraseAccount: (account: StoredAccount) => Promise<void>;
}

const dueItem = z.object({ PK: z.string(), SK: z.string(), user_id: z.int() });

/**
 * Erases the disowned accounts whose time has come, except those that an operator has enabled since.
 *
 * @throws AggregateError with the failures, after all other accounts; the next run repeats them.
 */
export const eraseDueAccounts = async (
  { table, accounts, eraseAccount }: DueDependencies,
  now = new Date(),
): Promise<void> => {
  const { PK: partition } = accountKeys.erasure("", 0);
  const due = await table.query({ partition, between: ["0", now.toISOString()] });
  const failures: unknown[] = [];
  for (const item of due) {
    const { PK, SK, user_id: id } = dueItem.parse(item);
    try {
      const account = await accounts.find({ id });
      if (account?.disabled) await eraseAccount(account);
      await table.delete({ PK, SK });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "Accounts could not be erased.");
};
