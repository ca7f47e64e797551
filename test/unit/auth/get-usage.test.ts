import { describe, expect, it, vi } from "vitest";
import { usage } from "../../../functions/auth/account-contract.ts";
import { createUsageRepository, getUsage } from "../../../functions/auth/get-usage.ts";
import { fakeTable, type TableCall } from "../../support/fake-table.ts";

const access = { disabled: false, token_epoch: 0, revoked: {} };
const dayOf = (date: string) => `d${Date.parse(date) / 86_400_000}`;

/** What an account is shown at a moment, by default a verified one of the lowest tier, with these counters in its item. */
const show = async (
  at: string,
  counters: Readonly<Record<string, number>>,
  account: object = {},
  unverifiedQuotaShare = 0.1,
) => {
  const Item = { ...access, account_type: "Free", email_verified: true, ...account, ...counters };
  const table = fakeTable(async () => ({ Item }));
  const repository = createUsageRepository(table, unverifiedQuotaShare);
  return usage.parse(await getUsage(7, { usage: repository }, Date.parse(at)));
};

const november = {
  "M2026-11": 12,
  [dayOf("2026-11-19")]: 4,
  [`${dayOf("2026-11-19")}:translate`]: 4,
  [dayOf("2026-11-20")]: 8,
  [`${dayOf("2026-11-20")}:identifyLanguage`]: 8,
  m29919481: 3,
};

describe("What an account has used", () => {
  it("is shown for the day and the month of UTC until their last millisecond", async () => {
    const shown = await show("2026-11-20T23:59:59.999Z", november);
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
    const shown = await show("2026-11-21T00:00:00.000Z", november);
    expect(shown.today).toMatchObject({ date: "2026-11-21", used: 0, remaining: 500 });
    expect(shown.this_month).toMatchObject({ used: 12 });
    expect(shown.days.slice(-2).map(({ total }) => total)).toEqual([8, 0]);
  });

  it("is a month's past from the first millisecond of the next, and still among the days", async () => {
    const shown = await show("2026-12-01T00:00:00.000Z", november);
    expect(shown.this_month).toMatchObject({ month: "2026-12", used: 0, remaining: 5_000 });
    expect(shown.days.filter(({ total }) => total > 0).map(({ date }) => date)).toEqual([
      "2026-11-19",
      "2026-11-20",
    ]);
  });

  it("leaves nothing, and never less, when it is the whole quota", async () => {
    const shown = await show("2026-11-20T10:00:00Z", {
      "M2026-11": 5_001,
      [dayOf("2026-11-20")]: 501,
    });
    expect([shown.today.remaining, shown.this_month.remaining]).toEqual([0, 0]);
  });

  it("has no limit for an account without a quota", async () => {
    const shown = await show("2026-11-20T10:00:00Z", november, { account_type: "Admin" });
    expect(shown).toMatchObject({
      per_minute_limit: 1_000,
      today: { used: 8, limit: null, remaining: null },
      this_month: { used: 12, limit: null, remaining: null },
    });
  });

  it("is not counted by an operation all of whose requests were given back", async () => {
    const shown = await show("2026-11-20T10:00:00Z", {
      [dayOf("2026-11-20")]: 1,
      [`${dayOf("2026-11-20")}:translate`]: 0,
    });
    expect(shown.days.at(-1)).toEqual({ date: "2026-11-20", total: 1, by_operation: {} });
  });

  it("is read from the account's one item, as it is at this moment", async () => {
    const read = vi.fn(async (_call: TableCall) => ({}));
    const repository = createUsageRepository(fakeTable(read), 0.1);
    expect(await repository.find(7, Date.parse("2026-11-20T10:00:00Z"), 30)).toBeUndefined();
    expect(read).toHaveBeenCalledExactlyOnceWith({
      name: "GetItem",
      input: expect.objectContaining({ Key: { PK: "ACCESS#7", SK: "ACCESS" }, ConsistentRead: true }),
    });
    await expect(getUsage(7, { usage: repository })).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

describe("What an account may use", () => {
  const at = "2026-11-20T10:00:00Z";
  const unverified = { email_verified: false };

  it("is a tenth of its tier's quota until its address is verified, and it is told so", async () => {
    const shown = await show(at, november, unverified);
    expect(shown).toMatchObject({
      per_minute_limit: 50,
      today: { used: 8, limit: 50, remaining: 42 },
      this_month: { used: 12, limit: 500, remaining: 488 },
      once_verified: { per_day: 500, per_month: 5_000 },
    });
  });

  it.each([
    ["is verified", {}, 0.1],
    ["has no quota", { ...unverified, account_type: "Admin" }, 0.1],
    ["has the whole quota anyway, because its stage says so", unverified, 1],
  ])("is not more once it is verified when it %s", async (_case, account, share) => {
    expect((await show(at, november, account, share)).once_verified).toBeNull();
  });

  it.each([
    [0.5, 250, 2_500],
    [0.29, 145, 1_450],
    [0.0001, 1, 1],
  ])("is the share that its stage gives: %d", async (share, perDay, perMonth) => {
    const shown = await show(at, {}, unverified, share);
    expect([shown.today.limit, shown.this_month.limit]).toEqual([perDay, perMonth]);
  });
});
