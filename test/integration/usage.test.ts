import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { getUsage } from "../../functions/auth/get-usage.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { limitKeys } from "../../shared/accounts/limits/keys.ts";
import { createLimitCounters, createLimiter, type Limiter } from "../../shared/accounts/limits/limiter.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { accountsInMonth, createUsageRepository, readUsage } from "../../shared/accounts/usage/read-usage.ts";
import taskPaths from "../../shared/accounts/usage/task-paths.json" with { type: "json" };
import { usage as usageResponse } from "../../shared/accounts/usage/usage.ts";
import { AwsCallError } from "../../shared/platform/outbound/aws-json.ts";
import type { RequestTable } from "../../shared/platform/storage/table.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import type { Use } from "../../shared/platform/telemetry/used-units.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
let instances: readonly RequestTable[];
beforeAll(async () => {
  table = await startTestTable();
  instances = Array.from({ length: 4 }, () => table.openForRequests());
});
afterAll(() => table.close());

let now: number;
beforeEach(() => {
  now = Date.parse("2026-11-20T10:00:30Z");
});
afterEach(() => {
  vi.restoreAllMocks();
});

const newAccount = (): Promise<number> => createTestAccount(table.open(), "Admin");

/** The limiter of one execution environment, whose clock may be a little off. */
const environment = (over: RequestTable = instance(0), clockIsAhead = 0): Limiter =>
  createLimiter(createLimitCounters(over), { now: () => now + clockIsAhead, timeoutMilliseconds: 20_000 });

const instance = (index: number): RequestTable => {
  const chosen = instances[index % instances.length];
  if (!chosen) throw new Error("There are no instances.");
  return chosen;
};

const admit = (limiter: Limiter, userId: number, operationId = "translate", mayStream = false) =>
  limiter.admit({
    limitClass: "task",
    credential: { userId, tokenId: "a-token", tokenEpoch: 0 },
    operationId,
    mayStream,
  });

/** A request that is admitted, runs and ends. */
const request = async (limiter: Limiter, userId: number, use: Use = {}, operationId = "translate") => {
  const admission = await admit(limiter, userId, operationId);
  expect(admission.refusal).toBeUndefined();
  await limiter.release(admission, { use, hasFailed: false });
};

const dayOf = (date: string) => Date.parse(date) / 86_400_000;
const storedOf = (userId: number) => table.read(accountKeys.access(userId));
const itemOf = (userId: number, date: string) => table.read(limitKeys.usage(date, userId));
const countersOf = (item: Record<string, unknown> | undefined) =>
  Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => name.includes(":")));

/** An account's usage, wherever it is stored, summed up by operation. */
const usedBy = async (userId: number, date = "2026-11-20") => {
  const range = { from: dayOf("2026-11-01"), to: dayOf("2026-12-31") };
  const { rows } = await readUsage(table.open(), userId, range, dayOf(date));
  return rows.map(({ day, operationId, ...units }) => ({
    day: day - dayOf("2026-11-20"),
    operationId,
    ...Object.fromEntries(Object.entries(units).filter(([, amount]) => amount)),
  }));
};

describe("what a request has used", () => {
  it("is counted at once, in a write that delays no one, when its account is quiet", async () => {
    const userId = await newAccount();
    const limiter = environment();
    table.calls.length = 0;
    const admission = await admit(limiter, userId);
    expect(table.calls).toEqual(["UpdateItem"]);
    await limiter.release(admission, { use: { characters: 12 }, hasFailed: false });
    expect(await usedBy(userId)).toEqual([{ day: 0, operationId: "translate", requests: 1, characters: 12 }]);
  });

  it("rides with the next requests of a busy account, each of which is one write", async () => {
    const userId = await newAccount();
    const limiter = environment();
    await request(limiter, userId, { characters: 1 });
    table.calls.length = 0;
    for (let sent = 0; sent < 20; sent += 1) {
      now += 100;
      await request(limiter, userId, { characters: 1, audioMilliseconds: 250 });
    }
    expect(table.calls).toEqual(Array(20).fill("UpdateItem"));
    // The last one waits: for the next, or for a quiet moment.
    expect(await usedBy(userId)).toMatchObject([
      { requests: 21, characters: 20, audioMilliseconds: 19 * 250 },
    ]);
    now += 5_000;
    await request(limiter, userId, { characters: 1 });
    expect(await usedBy(userId)).toMatchObject([{ requests: 22, characters: 22, audioMilliseconds: 5_000 }]);
  });

  it("of the last one of a busy account is counted two seconds later, without another request", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const userId = await newAccount();
      const limiter = environment();
      await request(limiter, userId, { characters: 1 });
      await request(limiter, userId, { characters: 1 });
      expect(await usedBy(userId)).toMatchObject([{ requests: 2, characters: 1 }]);
      now += 2_000;
      await vi.advanceTimersByTimeAsync(2_000);
      await request(limiter, await newAccount());
      expect(await usedBy(userId)).toMatchObject([{ requests: 2, characters: 2 }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("of a stream is counted by the write that releases its slot", async () => {
    const userId = await newAccount();
    const limiter = environment();
    await request(limiter, userId);
    table.calls.length = 0;
    const admission = await admit(limiter, userId, "createChatCompletion", true);
    await limiter.release(admission, {
      use: { promptTokens: 44, completionTokens: 15 },
      hasFailed: false,
    });
    expect(table.calls).toEqual(["UpdateItem", "UpdateItem"]);
    expect((await storedOf(userId))?.["streams"]).toBeUndefined();
    expect(await usedBy(userId)).toMatchObject([
      { operationId: "createChatCompletion", requests: 1, promptTokens: 44, completionTokens: 15 },
      { operationId: "translate" },
    ]);
  });

  it("is counted exactly, for any number of parallel requests of one account in any number of environments", async () => {
    const userId = await newAccount();
    const limiters = Array.from({ length: 4 }, (_, index) => environment(instance(index)));
    await Promise.all(
      Array.from({ length: 80 }, (_, index) =>
        request(limiters[index % 4] ?? environment(), userId, { characters: index, errors: index % 2 }),
      ),
    );
    now += 5_000;
    for (const limiter of limiters) await request(limiter, userId);
    expect(await usedBy(userId)).toMatchObject([{ requests: 84, characters: 3_160, errors: 40 }]);
  });

  it("stays pending when the next request is refused", async () => {
    const userId = await newAccount();
    const limiter = environment();
    await request(limiter, userId, { characters: 1 });
    await request(limiter, userId, { characters: 2 });
    await createAccountsRepository(table.open()).setAccountType(userId, "Free");
    const full = { ...(await storedOf(userId)), "M2026-11": 5_000 };
    await table.open().put(full);
    expect((await admit(limiter, userId)).refusal).toMatchObject({ code: "quota_exceeded" });
    await table.open().put({ ...full, "M2026-11": 2 });
    await request(limiter, userId);
    expect(await usedBy(userId)).toMatchObject([{ requests: 3, characters: 3 }]);
  });

  it("is an error when the caller saw one, once", async () => {
    const userId = await newAccount();
    const limiter = environment();
    const failed = await admit(limiter, userId);
    await limiter.release(failed, { use: { characters: 5 }, hasFailed: true });
    now += 5_000;
    const partly = await admit(limiter, userId, "synthesizeSpeechBatch");
    await limiter.release(await limiter.admitTasks(partly, 4), { use: { errors: 3 }, hasFailed: true });
    expect(await usedBy(userId)).toEqual([
      { day: 0, operationId: "synthesizeSpeechBatch", requests: 4, errors: 3 },
      { day: 0, operationId: "translate", requests: 1, errors: 1, characters: 5 },
    ]);
  });

  it("is all taken back by a refund, which is one write and leaves an error, or none when there was none", async () => {
    const userId = await newAccount();
    const limiter = environment();
    await request(limiter, userId);
    const batch = await limiter.admitTasks(await admit(limiter, userId, "synthesizeSpeechBatch"), 4);
    table.calls.length = 0;
    const refunded = await limiter.refund(batch);
    expect(table.calls).toEqual(["UpdateItem"]);
    await limiter.release(refunded, { use: { characters: 9 }, hasFailed: true });
    const replayed = await limiter.refund(await admit(limiter, userId, "identifyLanguage"), {
      isError: false,
    });
    await limiter.release(replayed, { use: {}, hasFailed: false });
    expect(await usedBy(userId)).toEqual([
      { day: 0, operationId: "synthesizeSpeechBatch", errors: 1 },
      { day: 0, operationId: "translate", requests: 1 },
    ]);
    expect(await storedOf(userId)).toMatchObject({ "M2026-11": 1 });
  });

  it("does not bring back an account that was deleted meanwhile", async () => {
    const userId = await newAccount();
    const limiter = environment();
    const admission = await admit(limiter, userId);
    await table.openForRequests().delete(accountKeys.access(userId));
    await limiter.release(admission, { use: { characters: 1 }, hasFailed: false });
    expect(await storedOf(userId)).toBeUndefined();
  });
});

/** A table of which some writes are executed, or not, and whose responses are then lost. */
const faulty = (
  over: RequestTable,
  fault: (update: string, call: number) => "lost" | "failed" | undefined,
) => {
  let calls = 0;
  const lost = () => new AwsCallError("NetworkError", "AWS did not answer.", { $retryable: {} });
  const through = async <Result>(expression: string, work: () => Promise<Result>): Promise<Result> => {
    calls += 1;
    const kind = fault(expression, calls);
    if (kind === "failed") throw lost();
    const result = await work();
    if (kind === "lost") throw lost();
    return result;
  };
  return {
    ...over,
    // What the connection below does with a lost response.
    updateWithFallback: async (update, fallback, signal) => {
      try {
        return await through(update.UpdateExpression, () => over.update(update, signal));
      } catch (error) {
        const next = fallback();
        if (!next) throw error;
        return over.update(next, signal);
      }
    },
    transact: (writes, options) => through(JSON.stringify(writes), () => over.transact(writes, options)),
  } satisfies RequestTable;
};

describe("a write whose response is lost", () => {
  it.each(["lost", "failed"] as const)(
    "counts no usage twice, whether it was executed or not: %s",
    async (kind) => {
      const log = vi.spyOn(logger, "error").mockReturnValue();
      const userId = await newAccount();
      const limiter = environment(
        // The writes that count pending usage: alone, or in addition to the request that they admit.
        faulty(instance(0), (expression) => (/^ADD #u0|:u1/.test(expression) ? kind : undefined)),
      );
      await request(limiter, userId, { characters: 7 });
      await request(limiter, userId, { characters: 7 });
      const failed = await admit(limiter, userId);
      await limiter.release(failed, { use: { characters: 7 }, hasFailed: true });
      now += 5_000;
      await request(limiter, userId);
      const [row] = await usedBy(userId);
      expect(row).toMatchObject({ operationId: "translate" });
      const used = { requests: 0, characters: 0, errors: 0, ...row };
      expect(used.requests).toBeLessThanOrEqual(4);
      expect(used.characters).toBeLessThanOrEqual(21);
      expect(used.errors).toBeLessThanOrEqual(1);
      if (kind === "lost") expect(used).toMatchObject({ requests: 4, characters: 21, errors: 1 });
      // The limits count it anyway.
      expect((await storedOf(userId))?.["M2026-11"]).toBeGreaterThanOrEqual(4);
      expect(log).toHaveBeenCalledWith("limits.usage_not_counted", expect.anything());
    },
  );
});

describe("a past day", () => {
  const until = (date: string) => {
    now = Date.parse(date);
  };

  /** Uses of a day, and the first requests of the next. */
  const useDay = async (userId: number) => {
    const limiter = environment();
    await request(limiter, userId, { characters: 10 });
    now += 5_000;
    await request(limiter, userId, { promptTokens: 3, completionTokens: 4 }, "createChatCompletion");
  };
  const usedOnDay = [
    { day: 0, operationId: "createChatCompletion", requests: 1, promptTokens: 3, completionTokens: 4 },
    { day: 0, operationId: "translate", requests: 1, characters: 10 },
  ];

  it("has an item from its first request on, which is stored for 400 days, so that bills find the account", async () => {
    const userId = await newAccount();
    await useDay(userId);
    const item = await itemOf(userId, "2026-11-20");
    expect(item).toEqual({
      ...limitKeys.usage("2026-11-20", userId),
      expires_at: (dayOf("2026-11-20") + 400) * 86_400,
    });
    expect(await accountsInMonth(table.open(), "2026-11")).toContain(userId);
    expect(await accountsInMonth(table.open(), "2026-12")).not.toContain(userId);
  });

  it("is moved to that item by the first request of a minute, once it has been over for two", async () => {
    const userId = await newAccount();
    await useDay(userId);
    until("2026-11-21T00:00:01Z");
    await request(environment(), userId);
    until("2026-11-21T00:01:59Z");
    await request(environment(), userId);
    expect(countersOf(await itemOf(userId, "2026-11-20"))).toEqual({});
    until("2026-11-21T00:02:00Z");
    await request(environment(), userId);
    expect(countersOf(await itemOf(userId, "2026-11-20"))).toEqual({
      "translate:-:r": 1,
      "translate:-:c": 10,
      "createChatCompletion:-:r": 1,
      "createChatCompletion:-:p": 3,
      "createChatCompletion:-:t": 4,
    });
    expect(countersOf(await storedOf(userId))).toEqual({ [`u${dayOf("2026-11-21")}:translate:-:r`]: 3 });
    expect(await usedBy(userId, "2026-11-21")).toEqual([
      ...usedOnDay,
      { day: 1, operationId: "translate", requests: 3 },
    ]);
  });

  it("is moved once, however many begin the day at the same moment", async () => {
    const userId = await newAccount();
    await useDay(userId);
    until("2026-11-21T09:00:00Z");
    const item = await storedOf(userId);
    const cleanup = {
      userId,
      item: item ?? {},
      windows: {
        minute: now / 60_000,
        day: dayOf("2026-11-21"),
        month: "2026-11",
        ends: { minute: 0, day: 0, month: 0 },
      },
      beginsDay: false,
    };
    const never = new AbortController().signal;
    await Promise.allSettled(
      instances.flatMap((one) => [1, 2].map(() => createLimitCounters(one).cleanUp(cleanup, never))),
    );
    await request(environment(), userId);
    expect(await usedBy(userId, "2026-11-21")).toEqual([
      ...usedOnDay,
      { day: 1, operationId: "translate", requests: 1 },
    ]);
    expect(countersOf(await storedOf(userId))).toEqual({ [`u${dayOf("2026-11-21")}:translate:-:r`]: 1 });
  });

  it.each(["lost", "failed"] as const)("is moved once although a response is lost: %s", async (kind) => {
    vi.spyOn(logger, "error").mockReturnValue();
    const userId = await newAccount();
    await useDay(userId);
    until("2026-11-21T09:00:00Z");
    const moving = faulty(instance(0), (expression) => (expression.includes("REMOVE") ? kind : undefined));
    await request(environment(moving), userId);
    until("2026-11-21T09:01:00Z");
    await request(environment(), userId);
    expect(countersOf(await storedOf(userId))).toEqual({ [`u${dayOf("2026-11-21")}:translate:-:r`]: 2 });
    expect(await usedBy(userId, "2026-11-21")).toEqual([
      ...usedOnDay,
      { day: 1, operationId: "translate", requests: 2 },
    ]);
  });

  it("gets what is counted late, by a stream that outlived it or a clock that is behind", async () => {
    const userId = await newAccount();
    until("2026-11-20T23:58:30Z");
    const limiter = environment();
    const stream = await admit(limiter, userId, "createChatCompletion", true);
    until("2026-11-21T00:02:30Z");
    await request(environment(), userId);
    expect(countersOf(await itemOf(userId, "2026-11-20"))).toEqual({ "createChatCompletion:-:r": 1 });
    await limiter.release(stream, { use: { completionTokens: 900 }, hasFailed: false });
    const behind = environment(instance(1), -180_000);
    await request(behind, userId);
    until("2026-11-21T00:05:00Z");
    await request(environment(), userId);
    expect(countersOf(await itemOf(userId, "2026-11-20"))).toEqual({
      "createChatCompletion:-:r": 1,
      "createChatCompletion:-:t": 900,
      "translate:-:r": 1,
    });
    expect(countersOf(await storedOf(userId))).toEqual({ [`u${dayOf("2026-11-21")}:translate:-:r`]: 2 });
  });

  it("may have more counters than one transaction takes, and counters of an older version", async () => {
    const userId = await newAccount();
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`u${dayOf("2026-11-20")}:translate:key${index}:r`, index]),
    );
    const older = { [`d${dayOf("2026-11-20")}:translate`]: 4, [`u${dayOf("2026-11-20")}:translate:-:r`]: 2 };
    await table.open().put({ ...(await storedOf(userId)), ...many, ...older });
    until("2026-11-21T09:00:00Z");
    await request(environment(), userId);
    const moved = countersOf(await itemOf(userId, "2026-11-20"));
    expect(Object.keys(moved)).toHaveLength(201);
    expect(moved).toMatchObject({ "translate:-:r": 6, "translate:key199:r": 199 });
    expect(countersOf(await storedOf(userId))).toEqual({});
  });

  it("is shown wherever it is stored", async () => {
    const userId = await newAccount();
    await useDay(userId);
    until("2026-11-21T09:00:00Z");
    await request(environment(), userId);
    const shown = usageResponse.parse(
      await getUsage(
        userId,
        { format: "json", from: "2026-11-20" },
        { usage: createUsageRepository(table.open(), 1), taskPaths },
        now,
      ),
    );
    expect(shown.days).toMatchObject([
      {
        date: "2026-11-20",
        total: 2,
        by_operation: { translate: 1, createChatCompletion: 1 },
        operations: [
          { method: "POST", path: "/tasks/chat/completions", key: null, requests: 1, tokens: 7 },
          { method: "POST", path: "/tasks/translate", requests: 1, characters: 10 },
        ],
      },
      { date: "2026-11-21", total: 1, by_operation: { translate: 1 } },
    ]);
    expect(shown.today.used).toBe(1);
    expect(shown.this_month.used).toBe(3);
  });
});

describe("the access item", () => {
  it("of an account whose many keys call everything is emptied during the day", async () => {
    const userId = await newAccount();
    await request(environment(), userId, { characters: 5 });
    const day = dayOf("2026-11-20");
    const put = async (count: number) => {
      const many = Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`u${day}:translate:key${index}:r`, 1]),
      );
      await table.open().put({ ...(await storedOf(userId)), ...many });
    };
    await put(100);
    now += 60_000;
    await request(environment(), userId, { characters: 5 });
    expect(countersOf(await itemOf(userId, "2026-11-20"))).toEqual({});
    await put(300);
    now += 60_000;
    await request(environment(), userId, { characters: 5 });
    expect(Object.keys(countersOf(await storedOf(userId)))).toHaveLength(0);
    expect(countersOf(await itemOf(userId, "2026-11-20"))).toMatchObject({
      "translate:-:r": 3,
      "translate:-:c": 15,
      "translate:key299:r": 1,
    });
    expect(await usedBy(userId)).toContainEqual({
      day: 0,
      operationId: "translate",
      requests: 3,
      characters: 15,
    });
  });

  it("grows by what is used on one day, and not by days", async () => {
    const sizeOf = (item: object) => JSON.stringify(item).length;
    const userId = await newAccount();
    const sizes: number[] = [];
    for (let day = 0; day < 5; day += 1) {
      const limiter = environment();
      for (const operationId of ["translate", "createChatCompletion", "identifyLanguage"]) {
        now += 5_000;
        await request(limiter, userId, { characters: 500, completionTokens: 99 }, operationId);
      }
      sizes.push(sizeOf((await storedOf(userId)) ?? {}));
      now += 86_400_000;
    }
    const [first = 0] = sizes;
    for (const size of sizes) expect(size).toBeLessThan(first * 1.35);
  });
});
