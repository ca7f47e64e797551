import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";

/** The usernames of accounts by their ids; those that were deleted have none. */
export const namesOf = async (
  ids: readonly (number | undefined)[],
  { accounts }: { readonly accounts: Pick<AccountsRepository, "find"> },
): Promise<ReadonlyMap<number, string>> => {
  const distinct = [...new Set(ids)].filter((id) => id !== undefined);
  const found = await Promise.all(distinct.map((id) => accounts.find({ id })));
  return new Map(found.flatMap((account) => (account ? [[account.id, account.username] as const] : [])));
};
