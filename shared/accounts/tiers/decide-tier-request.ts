import type { StoredAccount } from "../access/account.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import type { TierDecision } from "../mail/mail-request.ts";
import type { AuditLog, Operator } from "../operators/audit-log.ts";
import { tierChange } from "../operators/operate-accounts.ts";
import type { TierRequests } from "./tier-requests.ts";

/** What a decision needs. */
export interface DecisionDependencies {
  readonly tierRequests: Pick<TierRequests, "decide" | "reopen">;
  readonly audit: AuditLog;
  readonly mailQueue: MailQueue;
}

/** A decision about the request of an account, with the words for its owner. */
export interface DecidedRequest {
  readonly decision: TierDecision;
  readonly note: string;
}

/**
 * Decides the open request of an account for a higher tier. If it is accepted, a Free account becomes Premium; decision, tier and
 * the record in the audit log are written together. A mail with the note goes to the account either way; when it cannot be
 * queued, the request is open again.
 *
 * @returns `false`, and changes nothing, when the account has no open request.
 */
export const decideTierRequest = async (
  operator: Operator,
  { id: accountId, account_type: tier }: Pick<StoredAccount, "account_type" | "id">,
  { decision, note }: DecidedRequest,
  { tierRequests, audit, mailQueue }: DecisionDependencies,
): Promise<boolean> => {
  const isAccepted = decision === "accepted";
  const act = isAccepted ? "accept-tier-request" : "decline-tier-request";
  const changed = isAccepted && tier === "Free" ? [tierChange(accountId, "Premium")] : [];
  const record = audit.recordOf(operator, { act, accountId });
  if (!(await tierRequests.decide(accountId, decision, note, [...changed, record]))) return false;
  try {
    await mailQueue.send({ kind: "tier-decided", userId: accountId, decision, note });
  } catch (error) {
    await tierRequests.reopen(accountId);
    throw error;
  }
  return true;
};
