import { findRunningService } from "../../infra/local/running-service.ts";
import { openTable } from "../../infra/sdk-table.ts";
import {
  type AccountsRepository,
  createAccountsRepository,
} from "../../shared/accounts/repositories/accounts-repository.ts";

/**
 * The accounts of a local service that runs from this folder, as its operator reaches them: this process's environment
 * is changed so that the AWS SDK finds the table.
 */
export const openLocalAccounts = async (dataDirectory: string): Promise<AccountsRepository> => {
  const running = await findRunningService(dataDirectory);
  if (!running) throw new Error(`No service runs from ${dataDirectory}.`);
  Object.assign(process.env, running.sdkVariables);
  return createAccountsRepository(openTable(running.tableName));
};
