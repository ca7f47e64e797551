import * as z from "zod";
import { accountType } from "../access/account.ts";

/** The number of days that `GET /auth/usage` shows by default, today included. */
export const shownUsageDays = 30;

/** The max number of days that it shows. */
export const maxUsageDays = 92;

const quota = {
  used: z.int().meta({ example: 12 }),
  limit: z.int().nullable().meta({ example: 50, description: "null for accounts without a quota" }),
  remaining: z.int().nullable().meta({ example: 38 }),
  resets_at: z.iso.datetime().meta({ example: "2026-11-23T00:00:00.000Z" }),
};

export const usedOperation = z
  .object({
    method: z.string().nullable().meta({ example: "POST" }),
    path: z.string().meta({ example: "/tasks/translate" }),
    key: z
      .string()
      .nullable()
      .meta({ description: "The id of the key that the requests were sent with; null for tokens" }),
    requests: z.int().meta({ example: 12, description: "Tasks on the quota, without refunded ones" }),
    errors: z.int().meta({
      example: 0,
      description: "Requests that failed, refunded or not, and items of batches that failed",
    }),
    characters: z
      .int()
      .meta({ example: 384, description: "Characters of texts that were translated, identified or spoken" }),
    prompt_tokens: z
      .int()
      .meta({ example: 0, description: "Tokens of chats, as the model's server reports them" }),
    completion_tokens: z.int().meta({ example: 0 }),
    tokens: z.int().meta({ example: 0, description: "The sum of both" }),
    audio_seconds: z.number().meta({
      example: 0,
      description: "Seconds of recordings that were transcribed, and of speech that was synthesised",
    }),
  })
  .meta({ id: "UsedOperation" });
export type UsedOperation = z.infer<typeof usedOperation>;

export const usage = z
  .object({
    account_type: accountType,
    per_minute_limit: z.int().meta({ example: 50, description: "Requests of all kinds a minute" }),
    today: z.object({ date: z.iso.date(), ...quota }),
    this_month: z.object({ month: z.string().meta({ example: "2026-11" }), ...quota }),
    recordings_this_month: z
      .object({
        used: z.number().meta({ example: 5_400 }),
        limit: z.int().nullable().meta({ example: 10_800 }),
        remaining: z.number().nullable().meta({ example: 5_400 }),
        resets_at: z.iso.datetime(),
      })
      .meta({
        description:
          "Seconds of recordings that jobs (`POST /tasks/jobs`) transcribe; the rest of a failed job is refunded. limit and remaining are " +
          "null for accounts without a limit",
      }),
    once_verified: z.object({ per_day: z.int(), per_month: z.int() }).nullable().meta({
      description:
        "The quota of the account once its email address is verified; null when it has that quota already",
    }),
    from: z.iso.date().meta({ description: "The first day" }),
    to: z.iso.date().meta({ description: "The last day" }),
    days: z
      .array(
        z.object({
          date: z.iso.date(),
          total: z.int().meta({ example: 12 }),
          by_operation: z.record(z.string(), z.int()).meta({ example: { translate: 12 } }),
          operations: z.array(usedOperation),
        }),
      )
      .min(1)
      .max(maxUsageDays)
      .meta({
        description:
          "Every day of the range, oldest first, including days without usage. `by_operation` counts the requests by operation id, " +
          "`operations` lists the usage of each path with each key",
      }),
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof usage>;

export const usageQuery = z.object({
  from: z.iso.date().optional().meta({
    description: "The first day, in UTC; by default 29 days before the last",
    example: "2026-11-01",
  }),
  to: z.iso
    .date()
    .optional()
    .meta({ description: "The last day, in UTC; by default today", example: "2026-11-30" }),
  format: z
    .enum(["json", "csv"])
    .default("json")
    .meta({ description: "`csv`: a table with a row for each day, operation and key, for a spreadsheet" }),
});
export type UsageQuery = z.infer<typeof usageQuery>;
