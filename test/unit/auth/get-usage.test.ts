import { describe, expect, it, vi } from "vitest";
import { usage } from "../../../functions/auth/account-contract.ts";
import { createUsageRepository, getUsage } from "../../../functions/auth/get-usage.ts";
import { fakeTable, type TableCall } from "../../support/fake-table.ts";

const month = (name: string, counters: Record<string, number>) => ({
  PK: "LIMIT#USER#7",
  SK: `MONTH#${name}`,
  expires_at: 1_799_107_200,
  ...counters,
});

/** What an account of this tier is shown at a moment, with these items in the table. */
const show = async (at: string, Items: readonly object[], accountType: "Free" | "Admin" = "Free") => {
  const table = fakeTable(async () => ({ Items: [...Items] }));
  const caller = { userId: 7, accountType };
  return usage.parse(await getUsage(caller, { usage: createUsageRepository(table) }, Date.parse(at)));
};

const november = month("2026-11", {
  month: 12,
  d19: 4,
  "d19:translate": 4,
  d20: 8,
  "d20:identifyLanguage": 8,
});

describe("What an account has used", () => {
  it("is shown for the day and the month of UTC until their last millisecond", async () => {
    const shown = await show("2026-11-20T23:59:59.999Z", [november]);
    expect(shown).toMatchObject({
      account_type: "Free",
      per_minute_limit: 50,
      today: {
        date: "2026-11-20",
        used: 8,
        limit: 500,
        remaining: 492,
        resets_at: "2026-11-21T00:00:00.000Z",
      },
      this_month: {
        month: "2026-11",
        used: 12,
        limit: 5_000,
        remaining: 4_988,
        resets_at: "2026-12-01T00:00:00.000Z",
      },
    });
    expect(shown.days.slice(-2)).toEqual([
      { date: "2026-11-19", total: 4, by_operation: { translate: 4 } },
      { date: "2026-11-20", total: 8, by_operation: { identifyLanguage: 8 } },
    ]);
    expect(shown.days[0]).toEqual({ date: "2026-10-22", total: 0, by_operation: {} });
  });

  it("is a day's past from the first millisecond of the next", async () => {
    const shown = await show("2026-11-21T00:00:00.000Z", [november]);
    expect(shown.today).toMatchObject({ date: "2026-11-21", used: 0, remaining: 500 });
    expect(shown.this_month).toMatchObject({ used: 12 });
    expect(shown.days.slice(-2).map(({ total }) => total)).toEqual([8, 0]);
  });

  it("is a month's past from the first millisecond of the next, and still among the days", async () => {
    const shown = await show("2026-12-01T00:00:00.000Z", [november, month("2026-12", {})]);
    expect(shown.this_month).toMatchObject({ month: "2026-12", used: 0, remaining: 5_000 });
    expect(shown.days.filter(({ total }) => total > 0).map(({ date }) => date)).toEqual([
      "2026-11-19",
      "2026-11-20",
    ]);
  });

  it("leaves nothing, and never less, when it is the whole quota", async () => {
    const shown = await show("2026-11-20T10:00:00Z", [month("2026-11", { month: 5_001, d20: 501 })]);
    expect([shown.today.remaining, shown.this_month.remaining]).toEqual([0, 0]);
  });

  it("has no limit for an account without a quota", async () => {
    const shown = await show("2026-11-20T10:00:00Z", [november], "Admin");
    expect(shown).toMatchObject({
      per_minute_limit: 1_000,
      today: { used: 8, limit: null, remaining: null },
      this_month: { used: 12, limit: null, remaining: null },
    });
  });

  it("is not counted by an operation all of whose requests were given back", async () => {
    const shown = await show("2026-11-20T10:00:00Z", [month("2026-11", { d20: 1, "d20:translate": 0 })]);
    expect(shown.days.at(-1)).toEqual({ date: "2026-11-20", total: 1, by_operation: {} });
  });

  it("is read for the month of the first day to that of the last, as it is at this moment", async () => {
    const query = vi.fn(async (_call: TableCall) => ({ Items: [] }));
    const table = fakeTable(query);
    await createUsageRepository(table).find(7, Date.parse("2026-11-20T10:00:00Z"), 30);
    expect(query).toHaveBeenCalledExactlyOnceWith({
      name: "Query",
      input: expect.objectContaining({
        ConsistentRead: true,
        ExpressionAttributeValues: {
          ":account": "LIMIT#USER#7",
          ":first": "MONTH#2026-10",
          ":last": "MONTH#2026-11",
        },
      }),
    });
  });
});
