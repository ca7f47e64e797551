import * as z from "zod";
import { accountType } from "../../shared/accounts/account.ts";
import { defineOperation } from "../../shared/http/operation.ts";

/** How many days `GET /auth/usage` shows, today included. */
export const shownUsageDays = 30;

const quota = {
  used: z.int(),
  limit: z.int().nullable().meta({ description: "null for accounts without a quota" }),
  remaining: z.int().nullable(),
  resets_at: z.iso.datetime(),
};

export const usage = z
  .object({
    account_type: accountType,
    per_minute_limit: z.int().meta({ description: "Requests of all kinds in a minute" }),
    today: z.object({ date: z.iso.date(), ...quota }),
    this_month: z.object({ month: z.string().meta({ example: "2026-11" }), ...quota }),
    days: z
      .array(
        z.object({
          date: z.iso.date(),
          total: z.int(),
          by_operation: z.record(z.string(), z.int()).meta({ example: { translate: 12 } }),
        }),
      )
      .length(shownUsageDays)
      .meta({ description: "The last 30 days, oldest first; operations as this document names them" }),
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof usage>;

export const usageOperation = defineOperation({
  id: "getUsage",
  method: "GET",
  path: "/auth/usage",
  summary: "What the caller has used of its quota",
  description: "Counts tasks. Days and months are those of UTC; requests that were refused are not counted.",
  tag: "Accounts and tokens",
  auth: "user",
  limit: "account",
  response: { status: 200, description: "Use and limits", schema: usage },
  errors: [],
  confidential: true,
});
