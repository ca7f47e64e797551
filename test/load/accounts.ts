import { ApiClient, type TestAccount } from "../support/api-client.ts";
import { runCommand } from "../support/run-service.ts";

/** Registers an account and raises it to a tier, by default the highest one: only the limit by minute could stop it. */
export const createAccount = async (
  url: string,
  dataDirectory: string,
  tier = "Admin",
): Promise<TestAccount> => {
  const account = await new ApiClient(() => url).createAccount();
  const variables = { DATA_DIR: dataDirectory };
  const promotion = runCommand("infra/commands/account.ts", [account.username, "--type", tier], variables);
  if ((await promotion.ended) !== 0) throw new Error(promotion.output());
  return account;
};
