import * as z from "zod";
import { daySeconds } from "../../platform/durations.ts";
import type { Table } from "../../platform/storage/table.ts";
import { type TierDecision, tierDecisions } from "../mail/mail-request.ts";

/** The prefix that permissions use. */
export const tierRequestKeyPrefix = "TIER-REQUEST#";

/** T1: the last request of an account for a higher tier. All are in one partition, for operators. */
export const tierRequestKey = (userId: number) => ({ PK: `${tierRequestKeyPrefix}ALL`, SK: String(userId) });

/** As long as other records about an account's limits. */
const retentionSeconds = 400 * daySeconds;

/** What an account writes about its plans. */
export const tierRequestInput = z.object({
  /** What for. */
  purpose: z.string(),
  /** How much, in the account's own words. */
  amount: z.string(),
});

/** A request for a higher tier. */
export const tierRequest = tierRequestInput.extend({
  user_id: z.int(),
  username: z.string(),
  status: z.enum(["open", ...tierDecisions]),
  created_at: z.iso.datetime(),
  decided_at: z.iso.datetime().optional(),
  /** What the operator wrote to the account. */
  note: z.string().optional(),
});
export type TierRequest = z.infer<typeof tierRequest>;

/** Requests of accounts for a higher tier. */
export type TierRequests = ReturnType<typeof createTierRequests>;

const newestFirst = (one: TierRequest, other: TierRequest): number =>
  Date.parse(other.created_at) - Date.parse(one.created_at);

/** The requests in the table; access pattern T1 of the README in `shared/accounts`. */
export const createTierRequests = (
  table: Pick<Table, "putIf" | "query" | "read" | "update">,
  now: () => number = Date.now,
) => ({
  /** Stores the request of an account, in place of an earlier one. @returns `false` while that one is open. */
  add: async (
    account: { readonly id: number; readonly username: string },
    { purpose, amount }: z.infer<typeof tierRequestInput>,
  ): Promise<boolean> => {
    const request: TierRequest = {
      user_id: account.id,
      username: account.username,
      purpose,
      amount,
      status: "open",
      created_at: new Date(now()).toISOString(),
    };
    const expires_at = Math.floor(now() / 1_000) + retentionSeconds;
    const { applied } = await table.putIf(
      { ...tierRequestKey(account.id), ...request, expires_at },
      {
        ConditionExpression: "attribute_not_exists(PK) OR #status <> :open",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":open": "open" },
      },
    );
    return applied;
  },

  /** Returns the last request of an account. */
  find: async (userId: number): Promise<TierRequest | undefined> => {
    const item = await table.read({ Key: tierRequestKey(userId) });
    return item && tierRequest.parse(item);
  },

  /** Lists the last request of each account: the open ones first, then the newest. */
  list: async (): Promise<TierRequest[]> => {
    const items = await table.query({ partition: tierRequestKey(0).PK });
    const [open, decided] = [[], []] as [TierRequest[], TierRequest[]];
    for (const item of items) {
      const request = tierRequest.parse(item);
      (request.status === "open" ? open : decided).push(request);
    }
    return [...open.toSorted(newestFirst), ...decided.toSorted(newestFirst)];
  },

  /** Notes a decision. @returns `false` when the account has no open request. */
  decide: async (userId: number, decision: TierDecision, note: string): Promise<boolean> => {
    const { applied } = await table.update({
      Key: tierRequestKey(userId),
      UpdateExpression: "SET #status = :decision, note = :note, decided_at = :now",
      ConditionExpression: "#status = :open",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: {
        ":open": "open",
        ":decision": decision,
        ":note": note,
        ":now": new Date(now()).toISOString(),
      },
    });
    return applied;
  },

  /** Makes a request open again whose decision could not be announced. */
  reopen: async (userId: number): Promise<void> => {
    await table.update({
      Key: tierRequestKey(userId),
      UpdateExpression: "SET #status = :open REMOVE note, decided_at",
      ConditionExpression: "attribute_exists(PK)",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":open": "open" },
    });
  },
});
