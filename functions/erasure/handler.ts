import type { Context } from "aws-lambda";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { isReleaseCheck } from "../../shared/platform/release-check.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import { objectStoreFrom } from "../../shared/wiring/from-environment.ts";
import { erasureFunction } from "./contract.ts";
import { eraseDueAccounts } from "./erase-due-accounts.ts";

/** Lambda would end the function without an error that names the cause. */
const reserveMilliseconds = 5_000;

const environment = readEnvironment(erasureFunction.environment, process.env);
const table = openLightTable(environment.TABLE_NAME, awsConfigOf(environment));
const store = objectStoreFrom(environment);
const accounts = createAccountsRepository(table);

/** Called on a schedule. Lambda retries twice when it throws. */
export const handler = async (event: unknown, context: Context): Promise<void> => {
  if (isReleaseCheck(event)) return;
  const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - reserveMilliseconds);
  await eraseDueAccounts({
    table,
    accounts,
    eraseAccount: (account) => eraseAccount(account, { table, store }, signal),
  });
};
