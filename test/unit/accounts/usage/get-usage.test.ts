import { describe, expect, it, vi } from "vitest";
import { getUsage } from "../../../../functions/auth/get-usage.ts";
import { withVendorsNames } from "../../../../shared/accounts/usage/find-usage.ts";
import { createUsageRepository } from "../../../../shared/accounts/usage/read-usage.ts";
import { usage } from "../../../../shared/accounts/usage/usage.ts";
import { fakeTable, type TableCall } from "../../../support/fake-table.ts";

const access = { disabled: false, token_epoch: 0, revoked: {} };
const taskPaths = { translate: { method: "POST", path: "/tasks/translate" } };
const dayOf = (date: string) => `d${Date.parse(date) / 86_400_000}`;

/** What an account is shown at a moment, by default a verified one of the lowest tier, with these counters in its item. */
const show = async (
  at: string,
  counters: Readonly<Record<string, number>>,
  account: object = {},
  unverifiedQuotaShare = 0.1,
) => {
  const Item = { ...access, account_type: "Free", email_verified: true, ...account, ...counters };
  const table = fakeTable(async ({ name }) => (name === "Query" ? { Items: [] } : { Item }));
  const repository = createUsageRepository(table, unverifiedQuotaShare);
  const dependencies = { usage: repository, taskPaths };
  return usage.parse(await getUsage(7, { format: "json" }, dependencies, Date.parse(at)));
};

const november = {
  "M2026-11": 12,
  "A2026-11": 5_400_500,
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
      recordings_this_month: {
        used: 5_400.5,
        limit: 10_800,
        remaining: 5_399.5,
        resets_at: "2026-12-01T00:00:00.000Z",
      },
    });
    expect(shown.days.slice(-2)).toMatchObject([
      { date: "2026-11-19", total: 4, by_operation: { translate: 4 } },
      { date: "2026-11-20", total: 8, by_operation: { identifyLanguage: 8 } },
    ]);
    expect(shown.days[0]).toEqual({ date: "2026-10-22", total: 0, by_operation: {}, operations: [] });
    expect([shown.from, shown.to]).toEqual(["2026-10-22", "2026-11-20"]);
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

  it("is not counted by an operation all of whose requests were refunded", async () => {
    const shown = await show("2026-11-20T10:00:00Z", {
      [dayOf("2026-11-20")]: 1,
      [`${dayOf("2026-11-20")}:translate`]: 0,
    });
    expect(shown.days.at(-1)).toEqual({ date: "2026-11-20", total: 0, by_operation: {}, operations: [] });
  });

  it("is missing when there is no such account", async () => {
    const repository = createUsageRepository(
      fakeTable(async () => ({})),
      0.1,
    );
    await expect(getUsage(7, { format: "json" }, { usage: repository, taskPaths })).rejects.toMatchObject({
      code: "unauthenticated",
    });
  });
});

describe("What was used on a day", () => {
  const day = dayOf("2026-11-20").replace("d", "u");
  const counters = {
    [`${day}:translate:-:r`]: 3,
    [`${day}:translate:-:c`]: 120,
    [`${day}:translate:-:e`]: 1,
    [`${day}:translate:aKey:r`]: 2,
    [`${day}:createChatCompletion:-:r`]: 1,
    [`${day}:createChatCompletion:-:p`]: 44,
    [`${day}:createChatCompletion:-:t`]: 15,
    [`${day}:synthesizeSpeech:-:r`]: 0,
    [`${day}:synthesizeSpeech:-:a`]: 0,
    [`${day}:transcribe:-:a`]: 61_234,
    "d20776:translate": 9,
  };

  it("is listed by path and key, with tokens summed up and seconds of audio", async () => {
    const shown = await show("2026-11-20T10:00:00Z", counters);
    expect(shown.days.at(-1)).toEqual({
      date: "2026-11-20",
      total: 6,
      by_operation: { translate: 5, createChatCompletion: 1 },
      operations: [
        {
          method: "POST",
          path: "/tasks/translate",
          key: null,
          requests: 3,
          errors: 1,
          characters: 120,
          prompt_tokens: 0,
          completion_tokens: 0,
          tokens: 0,
          audio_seconds: 0,
        },
        expect.objectContaining({ path: "/tasks/translate", key: "aKey", requests: 2, characters: 0 }),
        // A removed operation keeps its name.
        expect.objectContaining({
          method: null,
          path: "createChatCompletion",
          prompt_tokens: 44,
          completion_tokens: 15,
          tokens: 59,
        }),
        expect.objectContaining({ path: "transcribe", requests: 0, audio_seconds: 61.234 }),
      ],
    });
    // An older version counted requests in another way.
    expect(shown.days.at(-2)).toMatchObject({
      total: 9,
      operations: [{ path: "/tasks/translate", requests: 9 }],
    });
  });

  const ask = async (query: { from?: string; to?: string; format?: "json" | "csv" }) => {
    const Item = { ...access, account_type: "Free", email_verified: true, ...counters };
    const table = fakeTable(async ({ name }) => (name === "Query" ? { Items: [] } : { Item }));
    return getUsage(
      7,
      { format: "json", ...query },
      { usage: createUsageRepository(table, 0.1), taskPaths },
      Date.parse("2026-11-20T10:00:00Z"),
    );
  };

  it("is listed for every day of the requested range", async () => {
    const daysOf = async (query: object) => {
      const { from, to, days } = usage.parse(await ask(query));
      expect([days[0]?.date, days.at(-1)?.date]).toEqual([from, to]);
      return [from, to, days.length];
    };
    expect(await daysOf({ from: "2026-11-20", to: "2026-11-20" })).toEqual(["2026-11-20", "2026-11-20", 1]);
    expect(await daysOf({ from: "2026-11-01" })).toEqual(["2026-11-01", "2026-11-20", 20]);
    expect(await daysOf({ to: "2026-03-30" })).toEqual(["2026-03-01", "2026-03-30", 30]);
    expect(await daysOf({ from: "2026-08-21" })).toEqual(["2026-08-21", "2026-11-20", 92]);
  });

  it.each([
    [{ from: "2026-08-20" }, "to", "Value error, at most 92 days can be requested at once"],
    [{ from: "2026-11-21" }, "from", "Value error, the first day is after the last"],
    [{ from: "2026-11-02", to: "2026-11-01" }, "from", "Value error, the first day is after the last"],
  ])("is refused for the range %j", async (query, field, msg) => {
    await expect(ask(query)).rejects.toMatchObject({
      issues: [{ loc: ["query", field], msg, type: "value_error" }],
    });
  });

  it("is CSV on request, for the days with use", async () => {
    const reply = await ask({ from: "2026-11-19", format: "csv" });
    expect(reply).toMatchObject({
      contentType: "text/csv; charset=utf-8",
      headers: { "Content-Disposition": 'attachment; filename="usage-2026-11-19-2026-11-20.csv"' },
      body: [
        "date,method,path,key,requests,errors,characters,prompt_tokens,completion_tokens,tokens,audio_seconds",
        "2026-11-19,POST,/tasks/translate,,9,0,0,0,0,0,0",
        "2026-11-20,POST,/tasks/translate,,3,1,120,0,0,0,0",
        "2026-11-20,POST,/tasks/translate,aKey,2,0,0,0,0,0,0",
        "2026-11-20,,createChatCompletion,,1,0,0,44,15,59,0",
        "2026-11-20,,transcribe,,0,0,0,0,0,0,61.234",
        "",
      ].join("\r\n"),
    });
  });

  it("is listed for paths with a provider's name as the stage names it", () => {
    const paths = { vendorSpeech: { method: "POST", path: "/tasks/modal/tts" } };
    expect(withVendorsNames(paths, { a: "acme", b: "runpod" })).toEqual({
      vendorSpeech: { method: "POST", path: "/tasks/acme/tts" },
    });
  });

  it("is read consistently, from the access item and from those of the requested months", async () => {
    const Item = { ...access, account_type: "Free", email_verified: true };
    const read = vi.fn(async ({ name }: TableCall) => (name === "Query" ? { Items: [] } : { Item }));
    const repository = createUsageRepository(fakeTable(read), 0.1);
    const range = { from: 20_755, to: 20_777 };
    await repository.find(7, range, Date.parse("2026-11-20T10:00:00Z"));
    const ofMonth = (month: string) => ({
      name: "Query",
      input: expect.objectContaining({
        ConsistentRead: true,
        ExpressionAttributeValues: {
          ":partition": `USAGE#${month}`,
          ":first": "7#2026-10-29",
          ":last": "7#2026-11-20",
        },
      }),
    });
    expect(read.mock.calls.map(([call]) => call)).toEqual([
      {
        name: "GetItem",
        input: expect.objectContaining({ Key: { PK: "ACCESS#7", SK: "ACCESS" }, ConsistentRead: true }),
      },
      ofMonth("2026-10"),
      ofMonth("2026-11"),
    ]);
  });

  it("is counted once although it is moved during the read", async () => {
    const before = { ...access, account_type: "Free", email_verified: true, "u20776:translate:-:r": 5 };
    const { "u20776:translate:-:r": _moved, ...after } = before;
    const moved = { PK: "USAGE#2026-11", SK: "7#2026-11-19", "translate:-:r": 5, expires_at: 1 };
    let reads = 0;
    // The first look at the month comes too early to see them, the second look at the access item too late.
    const table = fakeTable(async ({ name }) => {
      if (name !== "Query") return { Item: reads++ === 0 ? before : after };
      return { Items: reads === 1 ? [] : [moved] };
    });
    const range = { from: 20_776, to: 20_777 };
    const found = await createUsageRepository(table, 1).find(7, range, Date.parse("2026-11-20T10:00:00Z"));
    expect(found?.rows).toMatchObject([{ day: 20_776, operationId: "translate", requests: 5 }]);
  });
});

describe("What an account may use", () => {
  const at = "2026-11-20T10:00:00Z";
  const unverified = { email_verified: false };

  it("is a tenth of its tier's quota until its address is verified, and says so", async () => {
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
  ])("is the stage's share: %d", async (share, perDay, perMonth) => {
    const shown = await show(at, {}, unverified, share);
    expect([shown.today.limit, shown.this_month.limit]).toEqual([perDay, perMonth]);
  });
});
