import type { ItemUpdate } from "../../platform/storage/table.ts";
import { type AccountAtEpoch, firstProof, type StoredAccount } from "../access/account.ts";
import { requestNotice } from "../mail/mail-queue.ts";
import type { SignInDependencies } from "./dependencies.ts";

/** What a first proof of an address needs. */
export type ProofDependencies = Pick<
  SignInDependencies,
  "apiKeys" | "endCallbacks" | "identities" | "mailQueue"
>;

/**
 * Makes the person who has just proved to read the mails of an unverified address the owner of its account. Someone else may
 * have registered it, so all access from before ends, and a mail lists it.
 *
 * @param write makes all changes together, with what proves the address.
 * @param passwordHash `undefined` for an owner who signs in through an identity provider.
 * @returns what `write` returns: `false` when nothing was changed.
 */
export const proveAddress = async (
  {
    id: userId,
    token_epoch: tokenEpoch,
    has_password: hasPassword,
    has_second_factor: hasSecondFactor,
  }: StoredAccount,
  passwordHash: string | undefined,
  write: (owner: AccountAtEpoch, changes: readonly ItemUpdate[]) => Promise<boolean>,
  { apiKeys, identities, endCallbacks, mailQueue }: ProofDependencies,
): Promise<boolean> => {
  const [keys, joined] = await Promise.all([apiKeys.list(userId), identities.list(userId)]);
  const owner = { userId, tokenEpoch };
  if (!(await write(owner, [...firstProof(owner, passwordHash), endCallbacks(userId)]))) return false;
  // None of this opens anything now. What fails here is removed with the account, or by its next use.
  await Promise.allSettled([
    identities.removeEnded(userId, tokenEpoch + 1),
    ...keys.map(({ id }) => apiKeys.revoke(userId, id)),
  ]);
  const ended = {
    password: hasPassword,
    secondFactor: hasSecondFactor,
    keys: keys.length,
    identities: joined.length,
  };
  await requestNotice({ kind: "first-proof", userId, ended }, { mailQueue });
  return true;
};
