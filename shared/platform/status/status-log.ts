import * as z from "zod";
import { dayMilliseconds, daySeconds } from "../durations.ts";
import type { Table } from "../storage/table.ts";
import { statusKeys } from "./keys.ts";

/** What the canary checks: the service itself, and each task that its key permits. */
export const checkedTasks = ["service", "translate", "identify", "transcribe", "speak", "chat"] as const;
export type CheckedTask = (typeof checkedTasks)[number];

/** Whether each task worked in one run; absent for what was not checked. */
export type TaskOutcomes = Readonly<Partial<Record<CheckedTask, boolean>>>;

/** The days that the status page shows, today included. */
export const statusDays = 90;

/** A little longer than the page shows. */
export const retainedDays = 100;

const latestRun = z.object({
  at: z.iso.datetime(),
  outcomes: z.partialRecord(z.enum(checkedTasks), z.boolean()),
});

/** The attributes that count a task's checks, and those that failed. */
const counter = (task: CheckedTask, kind: "checks" | "failures") => `${task}_${kind}`;

const dayItem = z.looseObject({ SK: z.iso.date(), latest: latestRun });

/** The checks of a task on a day. */
export interface DayOfTask {
  /** Such as `2026-11-24`. */
  readonly date: string;
  readonly checks: number;
  readonly failures: number;
}

/** All that is known about the tasks. */
export interface StatusHistory {
  /** The last run of the canary in these days; `undefined` without one. */
  readonly latest: z.infer<typeof latestRun> | undefined;
  /** The days of each task, oldest first, also those without checks. */
  readonly days: ReadonlyMap<CheckedTask, readonly DayOfTask[]>;
}

const countIn = (item: Readonly<Record<string, unknown>> | undefined, name: string): number =>
  z.number().catch(0).parse(item?.[name]);

/** The outcomes of the canary in the table. */
export type StatusLog = ReturnType<typeof createStatusLog>;

/** Opens the outcomes of the canary: an item for each day, which expires after 100 days. */
export const createStatusLog = (table: Pick<Table, "query" | "update">, now: () => number = Date.now) => ({
  /** Counts the outcomes of a run on its day. */
  add: async (outcomes: TaskOutcomes): Promise<void> => {
    const at = new Date(now()).toISOString();
    const checked = checkedTasks.filter((task) => outcomes[task] !== undefined);
    const failed = checked.filter((task) => outcomes[task] === false);
    const counters = [
      ...checked.map((task) => counter(task, "checks")),
      ...failed.map((task) => counter(task, "failures")),
    ];
    await table.update({
      Key: statusKeys.day(at.slice(0, 10)),
      UpdateExpression: `SET expires_at = :end, latest = :latest ADD ${counters.map((name) => `${name} :one`).join(", ")}`,
      ExpressionAttributeValues: {
        ":end": Math.floor(now() / 1_000) + retainedDays * daySeconds,
        ":latest": { at, outcomes },
        ":one": 1,
      },
    });
  },

  /** Reads the days that the status page shows. */
  read: async (): Promise<StatusHistory> => {
    const dates = Array.from({ length: statusDays }, (_, index) =>
      new Date(now() - (statusDays - 1 - index) * dayMilliseconds).toISOString().slice(0, 10),
    );
    const [first = "", last = ""] = [dates[0], dates.at(-1)];
    const items = (await table.query({ partition: statusKeys.all, between: [first, last] })).map((item) =>
      dayItem.parse(item),
    );
    const byDate = new Map(items.map((item) => [item.SK, item]));
    const daysOf = (task: CheckedTask): DayOfTask[] =>
      dates.map((date) => ({
        date,
        checks: countIn(byDate.get(date), counter(task, "checks")),
        failures: countIn(byDate.get(date), counter(task, "failures")),
      }));
    return {
      latest: items.at(-1)?.latest,
      days: new Map(checkedTasks.map((task) => [task, daysOf(task)])),
    };
  },
});
