import * as z from "zod";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { checkedTasks } from "../../../shared/platform/status/status-log.ts";

/** Whether a task works: nothing is known without a recent check. */
export const taskStates = ["working", "failing", "not_measured"] as const;
export type TaskState = (typeof taskStates)[number];

export const statusPage = definePage({
  id: "status",
  path: "/status",
  audience: "everybody",
  title: ({ status }) => status.title,
  data: z.object({
    /** When the last check ended; null without one. */
    checked_at: z.iso.datetime().nullable(),
    tasks: z.array(
      z.object({
        task: z.enum(checkedTasks),
        status: z.enum(taskStates),
        /** The share of checks that succeeded in the listed days; null without checks. */
        uptime: z.number().nullable(),
        days: z.array(z.object({ date: z.iso.date(), checks: z.int(), failures: z.int() })),
      }),
    ),
  }),
  cacheSeconds: 60,
  styles: ["status"],
});
