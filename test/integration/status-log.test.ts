import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createStatusLog } from "../../shared/platform/status/status-log.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

describe("The outcomes of the canary in the table", () => {
  it("are counted by task and day, and end after 100 days", async () => {
    let now = Date.parse("2026-11-23T23:58:00Z");
    const log = createStatusLog(table.openForRequests(), () => now);
    expect((await log.read()).latest).toBeUndefined();
    await log.add({ service: true, chat: false });
    now += 5 * 60_000;
    await log.add({ service: true, chat: true });
    await log.add({ service: false });
    const { latest, days } = await log.read();
    expect(latest).toEqual({ at: "2026-11-24T00:03:00.000Z", outcomes: { service: false } });
    expect(days.get("service")).toHaveLength(90);
    expect(days.get("service")?.slice(-3)).toEqual([
      { date: "2026-11-22", checks: 0, failures: 0 },
      { date: "2026-11-23", checks: 1, failures: 0 },
      { date: "2026-11-24", checks: 2, failures: 1 },
    ]);
    expect(days.get("chat")?.slice(-2)).toMatchObject([
      { checks: 1, failures: 1 },
      { checks: 1, failures: 0 },
    ]);
    expect(days.get("speak")?.every(({ checks }) => checks === 0)).toBe(true);
    const item = await table.read({ PK: "STATUS#CANARY", SK: "2026-11-24" });
    expect(item?.["expires_at"]).toBe(now / 1_000 + 100 * 86_400);
  });
});
