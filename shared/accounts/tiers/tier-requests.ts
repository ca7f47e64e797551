import * as z from "zod";
import { daySeconds } from "../../platform/durations.ts";
import type { Table, TableWrite } from "../../platform/storage/table.ts";
import { type TierDecision, tierDecisions } from "../mail/mail-request.ts";
import { tierRequestKeys } from "./keys.ts";

/** As long as other records about an account's limits. */
export const tierRequestDays = 400;

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
  table: Pick<Table, "putIf" | "query" | "read" | "transact" | "update">,
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
    const expires_at = Math.floor(now() / 1_000) + tierRequestDays * daySeconds;
    const { applied } = await table.putIf(
      { ...tierRequestKeys.request(account.id), ...request, expires_at },
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
    const item = await table.read({ Key: tierRequestKeys.request(userId) });
    return item && tierRequest.parse(item);
  },

  /** Lists the last request of each account: the open ones first, then the newest. */
  list: async (): Promise<TierRequest[]> => {
    const items = await table.query({ partition: tierRequestKeys.all });
    const [open, decided] = [[], []] as [TierRequest[], TierRequest[]];
    for (const item of items) {
      const request = tierRequest.parse(item);
      (request.status === "open" ? open : decided).push(request);
    }
    return [...open.toSorted(newestFirst), ...decided.toSorted(newestFirst)];
  },

  /**
   * Notes a decision.
   *
   * @param others written together with it: all of them, or none.
   * @returns `false` when the account has no open request.
   */
  decide: async (
    userId: number,
    decision: TierDecision,
    note: string,
    others: readonly TableWrite[],
  ): Promise<boolean> => {
    const update = {
      Key: tierRequestKeys.request(userId),
      UpdateExpression: "SET #status = :decision, note = :note, decided_at = :now",
      ConditionExpression: "#status = :open",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: {
        ":open": "open",
        ":decision": decision,
        ":note": note,
        ":now": new Date(now()).toISOString(),
      },
    };
    return (await table.transact([{ update }, ...others])).applied;
  },

  /** Makes a request open again whose decision could not be announced. */
  reopen: async (userId: number): Promise<void> => {
    await table.update({
      Key: tierRequestKeys.request(userId),
      UpdateExpression: "SET #status = :open REMOVE note, decided_at",
      ConditionExpression: "attribute_exists(PK)",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":open": "open" },
    });
  },
});
