import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { data, redirectOutside, shown } from "../../../shared/pages/server/responses.ts";
import { minuteMilliseconds } from "../../../shared/platform/durations.ts";
import type { StatusHistory, StatusLog } from "../../../shared/platform/status/status-log.ts";
import { statusPage } from "./pages.ts";
import { Status } from "./status.tsx";
import { judgeTasks } from "./task-status.ts";

/** What this page uses. */
export interface StatusDependencies {
  readonly statusLog: Pick<StatusLog, "read">;
  /** A status page elsewhere, which replaces this one. */
  readonly statusPageUrl: string | undefined;
}

/** The canary calls every five minutes, so the history is read once a minute, however many look at it. */
const cachedMilliseconds = minuteMilliseconds;

const cached = (read: () => Promise<StatusHistory>): (() => Promise<StatusHistory>) => {
  let last: { readonly at: number; readonly history: Promise<StatusHistory> } | undefined;
  return () => {
    if (last && Date.now() - last.at < cachedMilliseconds) return last.history;
    const started = { at: Date.now(), history: read() };
    last = started;
    started.history.catch(() => {
      if (last === started) last = undefined;
    });
    return started.history;
  };
};

/** The page that shows whether each task works. */
export const statusPages = ({ statusLog, statusPageUrl }: StatusDependencies): BoundPage[] => {
  const read = cached(() => statusLog.read());
  return [
    page(statusPage, {
      show: async ({ wantsHtml }) => {
        if (statusPageUrl !== undefined) return redirectOutside(new URL(statusPageUrl));
        const history = await read();
        const tasks = judgeTasks(history);
        const checkedAt = history.latest?.at;
        return wantsHtml
          ? shown({ content: <Status tasks={tasks} checkedAt={checkedAt} /> })
          : data({ checked_at: checkedAt ?? null, tasks });
      },
    }),
  ];
};
