import { createElement } from "preact";
import { describe, expect, it } from "vitest";
import { Status } from "../../../functions/site/status/status.tsx";
import { statusPages } from "../../../functions/site/status/status-pages.tsx";
import { judgeTasks } from "../../../functions/site/status/task-status.ts";
import { checkedTasks, type StatusHistory } from "../../../shared/platform/status/status-log.ts";
import { render, textOf, visit } from "./rendered.ts";

const now = Date.parse("2026-11-24T12:00:00Z");
const days = [
  { date: "2026-11-23", checks: 288, failures: 3 },
  { date: "2026-11-24", checks: 144, failures: 0 },
];
const history = (at: string): StatusHistory => ({
  latest: { at, outcomes: { service: true, translate: false } },
  days: new Map(checkedTasks.map((task) => [task, task === "translate" ? days : []])),
});

describe("The status of a task", () => {
  it("is what the last run found, if that was a moment ago", () => {
    const tasks = judgeTasks(history("2026-11-24T11:56:00Z"), now);
    expect(tasks.map(({ status }) => status)).toEqual([
      "working",
      "failing",
      ...Array.from({ length: 4 }, () => "not_measured"),
    ]);
    expect(tasks[1]).toMatchObject({ task: "translate", uptime: 429 / 432, days });
    expect(tasks[0]?.uptime).toBeNull();
  });

  it("is not measured once the canary has stopped, or before it has started", () => {
    for (const stale of [history("2026-11-24T11:40:00Z"), { latest: undefined, days: new Map() }]) {
      expect(new Set(judgeTasks(stale, now).map(({ status }) => status))).toEqual(new Set(["not_measured"]));
    }
  });
});

describe("The page of the status", () => {
  it("says in words what its bars show", () => {
    const tasks = judgeTasks(history("2026-11-24T11:56:00Z"), now);
    const html = render(createElement(Status, { tasks, checkedAt: "2026-11-24T11:56:00Z" }));
    const words = textOf(html);
    expect(words).toContain("Something is not working right now.");
    expect(words).toContain("99.3% of checks succeeded");
    expect(words).toContain("Days with failures: 1");
    expect(html).toContain(`aria-label="Translation: 99.3% of checks succeeded"`);
    expect(html.match(/class="day-some"/g)).toHaveLength(1);
    expect(html.match(/class="day-good"/g)).toHaveLength(1);
  });

  it("reads the outcomes once a minute, for all visitors, and again after a failure", async () => {
    let reads = 0;
    const [page] = statusPages({
      statusLog: {
        read: async () => {
          reads += 1;
          if (reads === 1) throw new Error("The table does not respond.");
          return history("2026-11-24T11:56:00Z");
        },
      },
      statusPageUrl: undefined,
    });
    await expect(page?.show(visit)).rejects.toThrow("does not respond");
    for (let visits = 0; visits < 3; visits += 1) await page?.show(visit);
    expect(reads).toBe(2);
  });

  it("redirects to the page that the stage has elsewhere", async () => {
    const statusLog = { read: () => Promise.reject(new Error("Nothing must be read.")) };
    const [page] = statusPages({ statusLog, statusPageUrl: "https://status.example.org/" });
    expect(await page?.show(visit)).toMatchObject({
      kind: "redirect",
      to: "https://status.example.org/",
      isOutside: true,
    });
  });
});
