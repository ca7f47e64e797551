import * as z from "zod";
import { accountType } from "../access/account-access.ts";

/** The number of days that `GET /auth/usage` shows by default, today included. */
export const shownUsageDays = 30;

/** The max number of days that it shows. */
export const maxUsageDays = 92;

const resets_at = z.iso
  .datetime()
  .meta({ example: "2026-11-23T00:00:00.000Z", description: "When the count starts again at 0" });

const quota = {
  used: z.int().meta({ example: 12, description: "Tasks that count on the quota so far" }),
  limit: z.int().nullable().meta({ example: 50, description: "Tasks; null for accounts without a quota" }),
  remaining: z.int().nullable().meta({ example: 38, description: "Tasks that remain; null without a limit" }),
  resets_at,
};

export const usedOperation = z
  .object({
    method: z
      .string()
      .nullable()
      .meta({ example: "POST", description: "The method; null for operations that no longer exist" }),
    path: z.string().meta({
      example: "/tasks/translate",
      description: "The path, or the id of an operation that no longer exists",
    }),
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
      .meta({ example: 0, description: "Tokens of conversations sent, as the model's server reports them" }),
    completion_tokens: z
      .int()
      .meta({ example: 0, description: "Tokens of replies, as the model's server reports them" }),
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
    today: z
      .object({ date: z.iso.date().describe("The day in UTC"), ...quota })
      .describe("The quota of the current day in UTC"),
    this_month: z
      .object({ month: z.string().meta({ example: "2026-11", description: "The month in UTC" }), ...quota })
      .describe("The quota of the current month in UTC"),
    recordings_this_month: z
      .object({
        used: z.number().meta({ example: 5_400, description: "Seconds that count so far" }),
        limit: z.int().nullable().meta({ example: 10_800, description: "The maximum number of seconds" }),
        remaining: z.number().nullable().meta({ example: 5_400, description: "Seconds that remain" }),
        resets_at,
      })
      .meta({
        description:
          "Seconds of recordings that jobs (`POST /tasks/jobs`) transcribe; the rest of a failed job is refunded. limit and remaining are " +
          "null for accounts without a limit",
      }),
    characters_this_month: z
      .object({
        used: z.int().meta({ example: 120_000, description: "Characters that count so far" }),
        limit: z.int().nullable().meta({ example: 500_000, description: "The maximum number of characters" }),
        remaining: z.int().nullable().meta({ example: 380_000, description: "Characters that remain" }),
        resets_at,
      })
      .meta({
        description:
          "Characters of lists (`POST /tasks/translate/batch`) and documents that are translated. Repeated texts of a request count once, " +
          "and what was not translated does not count. limit and remaining are null for accounts without a limit",
      }),
    once_verified: z
      .object({ per_day: z.int().describe("Tasks a day"), per_month: z.int().describe("Tasks a month") })
      .nullable()
      .meta({
        description:
          "The quota of the account once its email address is verified; null when it has that quota already",
      }),
    from: z.iso.date().meta({ description: "The first day" }),
    to: z.iso.date().meta({ description: "The last day" }),
    days: z
      .array(
        z.object({
          date: z.iso.date().describe("The day in UTC"),
          total: z.int().meta({ example: 12, description: "All tasks of the day" }),
          by_operation: z
            .record(z.string(), z.int())
            .meta({ example: { translate: 12 }, description: "Tasks by operation id" }),
          operations: z.array(usedOperation).describe("Usage by path and key"),
        }),
      )
      .min(1)
      .max(maxUsageDays)
      .meta({
        description: "Every day of the range, oldest first, including days without usage",
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
