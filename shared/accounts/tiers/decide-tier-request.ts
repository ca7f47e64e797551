import type { MailQueue } from "../mail/mail-queue.ts";
import type { TierDecision } from "../mail/mail-request.ts";
import type { AccountsRepository } from "../repositories/accounts-repository.ts";
import type { TierRequests } from "./tier-requests.ts";

/** What a decision needs. */
export interface DecisionDependencies {
  readonly tierRequests: Pick<TierRequests, "decide" | "reopen">;
  readonly accounts: Pick<AccountsRepository, "find" | "setAccountType">;
  readonly mailQueue: MailQueue;
}

/**
 * Decides the open request of an account for a higher tier. If it is accepted, a Free account becomes Premium. A mail with the note
 * goes to the account either way; when it cannot be queued, the request is open again.
 *
 * @returns `false`, and changes nothing, when the account has no open request.
 */
export const decideTierRequest = async (
  userId: number,
  decision: TierDecision,
  note: string,
  { tierRequests, accounts, mailQueue }: DecisionDependencies,
): Promise<boolean> => {
  if (!(await tierRequests.decide(userId, decision, note))) return false;
  try {
    const account = await accounts.find({ id: userId });
    if (decision === "accepted" && account?.account_type === "Free") {
      await accounts.setAccountType(userId, "Premium");
    }
    await mailQueue.send({ kind: "tier-decided", userId, decision, note });
  } catch (error) {
    await tierRequests.reopen(userId);
    throw error;
  }
  return true;
};
