import type * as z from "zod";
import { minuteMilliseconds } from "../../../shared/platform/durations.ts";
import { checkedTasks, type StatusHistory } from "../../../shared/platform/status/status-log.ts";
import type { statusPage, TaskState } from "./pages.ts";

/** A task, as pages and programs see it. */
export type TaskStatus = z.output<NonNullable<typeof statusPage.data>>["tasks"][number];

/** Three missed runs of the canary: what it found before says nothing about now. */
const staleMilliseconds = 16 * minuteMilliseconds;

const stateOf = (works: boolean | undefined): TaskState => {
  if (works === undefined) return "not_measured";
  return works ? "working" : "failing";
};

/** Says whether each task works, and how it did in the days of the history. */
export const judgeTasks = ({ latest, days }: StatusHistory, now = Date.now()): TaskStatus[] => {
  const isRecent = latest !== undefined && now - Date.parse(latest.at) < staleMilliseconds;
  return checkedTasks.map((task) => {
    const own = [...(days.get(task) ?? [])];
    const sum = (kind: "checks" | "failures") => own.reduce((total, day) => total + day[kind], 0);
    const [checks, failures] = [sum("checks"), sum("failures")];
    return {
      task,
      status: stateOf(isRecent ? latest.outcomes[task] : undefined),
      uptime: checks === 0 ? null : (checks - failures) / checks,
      days: own,
    };
  });
};
