import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { getUsage } from "../../functions/auth/get-usage.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { createAccountCounters } from "../../shared/accounts/limits/account-counters.ts";
import { limitKeys } from "../../shared/accounts/limits/keys.ts";
import { createAddressCounters } from "../../shared/accounts/limits/limit-counters.ts";
import {
  createLimitCounters,
  createLimiter,
  type LimitedRequest,
} from "../../shared/accounts/limits/limiter.ts";
import type { AccountPolicy } from "../../shared/accounts/limits/policies.ts";
import { windowsAt } from "../../shared/accounts/limits/windows.ts";
import { createUsageRepository } from "../../shared/accounts/usage/read-usage.ts";
import { usage as usageResponse } from "../../shared/accounts/usage/usage.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import type { RequestTable } from "../../shared/platform/storage/table.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
/** The table for several instances of functions: each has connections of its own. */
let instances: readonly RequestTable[];
beforeAll(async () => {
  table = await startTestTable();
  instances = Array.from({ length: 4 }, () => table.openForRequests());
});
afterAll(() => table.close());
afterEach(() => {
  vi.restoreAllMocks();
});

const newUserId = async (): Promise<number> => {
  const id = await createTestAccount(table.open());
  table.calls.length = 0;
  return id;
};
const instance = (index: number): RequestTable => {
  const chosen = instances[index % instances.length];
  if (!chosen) throw new Error("There are no instances.");
  return chosen;
};
const never = new AbortController().signal;
const at = (text: string) => windowsAt(Date.parse(text));
const generous: AccountPolicy = { perMinute: 1_000, perDay: undefined, perMonth: undefined };
const tokenOf = (userId: number) => ({ userId, tokenId: "a-token", tokenEpoch: 0 });
const storedOf = (userId: number) => table.read(accountKeys.access(userId));
const minute = (moment: string) => `m${Date.parse(moment) / 60_000}`;
const day = (date: string) => `d${Date.parse(date) / 86_400_000}`;

interface Call {
  readonly userId: number;
  readonly policy?: Partial<AccountPolicy>;
  readonly at?: string;
  readonly task?: string | undefined;
  /** Whether the request also does the cleanup of its account, when it is due. */
  readonly cleansUp?: boolean;
}
const countersWith = (policy: Partial<AccountPolicy> | undefined, by = instance(0)) =>
  createAccountCounters(by, () => ({ ...generous, ...policy }));
const count = async (call: Call, by = instance(0)) => {
  const counters = countersWith(call.policy, by);
  const {
    status: _status,
    cleanup,
    ...counts
  } = await counters.countForAccount(
    {
      credential: tokenOf(call.userId),
      scope: "translate",
      time: 0,
      task: "task" in call ? call.task : "translate",
      windows: at(call.at ?? "2026-11-20T10:00:00Z"),
    },
    never,
  );
  if (cleanup && call.cleansUp) await counters.cleanUp(cleanup, never);
  return counts;
};
const countTimes = async (times: number, call: Call) => {
  const outcomes = await Promise.all(
    Array.from({ length: times }, (_, index) => count(call, instance(index))),
  );
  return outcomes.filter(({ counted }) => counted).length;
};

describe("parallel requests of one account", () => {
  it("are admitted as often as the limit says, no more and no less, for each limit", async () => {
    const limit = fc.integer({ min: 1, max: 12 });
    const policies = fc.record({
      perMinute: limit,
      perDay: fc.option(limit, { nil: undefined }),
      perMonth: fc.option(limit, { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(policies, fc.integer({ min: 1, max: 40 }), async (policy, requests) => {
        const min = Math.min(policy.perMinute, policy.perDay ?? 99, policy.perMonth ?? 99);
        const admitted = await countTimes(requests, { userId: await newUserId(), policy });
        expect(admitted).toBe(Math.min(requests, min));
      }),
      { numRuns: 25 },
    );
  });

  it("are numbered without a gap: no two get the same number", async () => {
    const userId = await newUserId();
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        count({ userId, policy: { perMinute: 50, perDay: 500 } }, instance(index)),
      ),
    );
    const minutes = outcomes.flatMap(({ counted, minute }) => (counted ? [minute] : []));
    expect(minutes.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(outcomes.filter(({ counted }) => !counted)).toEqual(
      Array.from({ length: 10 }, () => ({ counted: false, minute: 50, day: 50, month: 50 })),
    );
  });

  it("do not take from each other's account or address", async () => {
    const policy = { perMinute: 3 };
    const [one, other] = [await newUserId(), await newUserId()];
    expect(
      await Promise.all([countTimes(5, { userId: one, policy }), countTimes(5, { userId: other, policy })]),
    ).toEqual([3, 3]);
    const byAddress = (group: string, limitClass: "anonymous" | "credentials") =>
      Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          createAddressCounters(instance(index)).countForAddress(
            { group, limitClass, perMinute: 3, windows: at("2026-11-20T10:00:00Z") },
            never,
          ),
        ),
      ).then((outcomes) => outcomes.filter(({ counted }) => counted).length);
    expect(
      await Promise.all([
        byAddress("203.0.113.1", "anonymous"),
        byAddress("203.0.113.1", "credentials"),
        byAddress("203.0.113.2", "anonymous"),
      ]),
    ).toEqual([3, 3, 3]);
  });
});

describe("at the turn of a window", () => {
  const policy = { perMinute: 2, perDay: 4, perMonth: 6 };
  const moments = [
    ["2026-11-29T23:58:59.999Z", 2, "the minute is full"],
    ["2026-11-29T23:59:00.000Z", 2, "a new minute; then the day is full"],
    ["2026-11-29T23:59:59.999Z", 0, "still that day"],
    ["2026-11-30T00:00:00.000Z", 2, "a new day; then the month is full"],
    ["2026-11-30T23:59:59.999Z", 0, "still that month"],
    ["2026-12-01T00:00:00.000Z", 2, "a new month"],
  ] as const;

  it("counting restarts, to the millisecond, in one write", async () => {
    const userId = await newUserId();
    for (const [moment, admitted, why] of moments) {
      table.calls.length = 0;
      expect(await countTimes(5, { userId, policy, at: moment }), `${moment}: ${why}`).toBe(admitted);
      expect(table.calls, moment).toEqual(Array.from({ length: 5 }, () => "UpdateItem"));
    }
  });

  it("the windows of an account that calls once in a while do not run into each other", async () => {
    const userId = await newUserId();
    const onceInAWhile = [
      "2026-11-01T09:00:00Z",
      "2026-11-02T09:00:00Z",
      "2026-12-01T09:00:00Z",
      "2027-11-01T09:00:00Z",
    ];
    for (const moment of onceInAWhile) {
      expect(await countTimes(2, { userId, policy: { perMinute: 1 }, at: moment })).toBe(1);
    }
  });
});

describe("a refused request", () => {
  it("costs nothing: neither the minute that refuses it nor the quota counts it", async () => {
    const userId = await newUserId();
    const policy = { perMinute: 2, perDay: 3 };
    await countTimes(10, { userId, policy });
    expect(await count({ userId, policy, at: "2026-11-20T10:01:00Z" })).toMatchObject({
      counted: true,
      day: 3,
    });
    await countTimes(10, { userId, policy, at: "2026-11-20T10:01:00Z" });
    expect(await storedOf(userId)).toMatchObject({
      "M2026-11": 3,
      [day("2026-11-20")]: 3,
      [`u${Date.parse("2026-11-20") / 86_400_000}:translate:-:r`]: 3,
      [minute("2026-11-20T10:00:00Z")]: 2,
      [minute("2026-11-20T10:01:00Z")]: 1,
    });
  });
});

describe("a request that is no task", () => {
  it("counts in the minute only, together with tasks", async () => {
    const userId = await newUserId();
    const policy = { perMinute: 3, perDay: 1 };
    await count({ userId, policy });
    expect(await countTimes(5, { userId, policy, task: undefined })).toBe(2);
    expect(await storedOf(userId)).toMatchObject({
      [day("2026-11-20")]: 1,
      [minute("2026-11-20T10:00:00Z")]: 3,
    });
  });
});

describe("what is stored", () => {
  it("expires automatically for an address's minute, and stays for an account", async () => {
    const userId = await newUserId();
    await count({ userId });
    expect(await storedOf(userId)).not.toHaveProperty("expires_at");

    const windows = at("2026-11-20T10:00:30Z");
    await createAddressCounters(instance(0)).countForAddress(
      { group: "198.51.100.9", limitClass: "anonymous", perMinute: 9, windows },
      never,
    );
    const ofAddress = Date.parse("2026-11-20T10:00:00Z") / 60_000;
    expect(await table.read(limitKeys.address("198.51.100.9", "anonymous", ofAddress))).toMatchObject({
      requests: 1,
      expires_at: Date.parse("2026-11-20T10:01:00Z") / 1_000,
    });
  });

  it("does not grow with the minutes of the month", async () => {
    const userId = await newUserId();
    table.calls.length = 0;
    const start = Date.parse("2026-11-02T00:00:00Z");
    const minutes = 200;
    for (let passed = 0; passed < minutes; passed += 1) {
      await count({ userId, at: new Date(start + passed * 600_000).toISOString(), cleansUp: true });
    }
    const item = await storedOf(userId);
    expect(item).toMatchObject({ "M2026-11": minutes });
    expect(Object.keys(item ?? {}).filter((name) => /^m\d/.test(name)).length).toBeLessThanOrEqual(66);
    // The first task of each of the two days notes it, and one moves what was used on the first.
    const ofDays = 3;
    expect(table.calls.length).toBeLessThan(minutes * 1.02 + ofDays);
  });
});

const usageOf = async (userId: number, now: number) =>
  usageResponse.parse(
    await getUsage(
      userId,
      { format: "json" },
      { usage: createUsageRepository(table.open(), 1), taskPaths: {} },
      now,
    ),
  );

describe("the use of an account", () => {
  it("is reported by day and operation, across the turn of a month, including days without requests", async () => {
    const userId = await newUserId();
    const send = async (moment: string, task: string | undefined, times: number) => {
      for (let sent = 0; sent < times; sent += 1) await count({ userId, at: moment, task, cleansUp: true });
    };
    await send("2026-10-21T12:00:00Z", "translate", 1);
    await send("2026-10-22T00:00:00Z", "translate", 2);
    await send("2026-11-01T00:00:00Z", "createChatCompletion", 3);
    await send("2026-11-20T08:00:00Z", "translate", 1);
    await send("2026-11-20T09:00:00Z", "identifyLanguage", 2);
    await send("2026-11-20T09:00:00Z", undefined, 4);

    const usage = await usageOf(userId, Date.parse("2026-11-20T10:00:00Z"));
    expect(usage.this_month.used).toBe(6);
    expect(usage.today.used).toBe(3);
    expect(usage.days).toHaveLength(30);
    expect(usage.days.filter(({ total }) => total > 0)).toMatchObject([
      { date: "2026-10-22", total: 2, by_operation: { translate: 2 } },
      { date: "2026-11-01", total: 3, by_operation: { createChatCompletion: 3 } },
      { date: "2026-11-20", total: 3, by_operation: { translate: 1, identifyLanguage: 2 } },
    ]);
    expect([usage.days.at(0)?.date, usage.days.at(-1)?.date]).toEqual(["2026-10-22", "2026-11-20"]);
  });

  it("is nothing for an account that never sent a task", async () => {
    const usage = await usageOf(await newUserId(), Date.now());
    expect(usage.this_month.used).toBe(0);
    expect(usage.days.map(({ total }) => total)).toEqual(Array(30).fill(0));
  });
});

describe("a task refunded to the quota", () => {
  it("counts more tasks of one request, all of them or none, and refunds all of them", async () => {
    const userId = await newUserId();
    const policy = { ...generous, perDay: 10, perMonth: 12 };
    const windows = at("2026-11-20T10:00:00Z");
    const request = { userId, policy, operationId: "translate", tasks: 1, windows };
    const { countMoreTasks, refund } = countersWith(policy);
    await count({ userId, policy });
    expect(await countMoreTasks(request, 9, never)).toMatchObject({
      counted: true,
      minute: 1,
      day: 10,
      month: 10,
    });
    expect(await countMoreTasks(request, 1, never)).toMatchObject({ counted: false, day: 10 });
    await refund({ ...request, tasks: 10 }, new Map(), never);
    expect(await countMoreTasks(request, 11, never)).toMatchObject({ counted: false, day: 0 });
    const unlimited = { ...request, policy: { ...policy, perDay: undefined, perMonth: undefined } };
    expect(await countMoreTasks(unlimited, 16, never)).toMatchObject({ counted: true, day: 16 });
  });

  it("leaves the day, the month and the usage as they were; the minute has seen it", async () => {
    const userId = await newUserId();
    const request = {
      userId,
      policy: { ...generous, perDay: 2, perMonth: 2 },
      operationId: "translate",
      tasks: 1,
      windows: at("2026-11-20T10:00:00Z"),
    };
    await countTimes(2, { userId, policy: request.policy });
    await countersWith(request.policy).refund(request, new Map(), never);
    expect(await count({ userId, policy: request.policy })).toMatchObject({
      counted: true,
      minute: 3,
      day: 2,
      month: 2,
    });
    const usage = await usageOf(userId, Date.parse("2026-11-20T10:00:30Z"));
    expect(usage.today.used).toBe(2);
    expect(usage.days.at(-1)?.total).toBe(2);
  });
});

describe("a table that cannot be written to", () => {
  const request: LimitedRequest = { limitClass: "anonymous", sourceAddress: "203.0.113.7" };

  const withServer = async (listener: RequestListener, use: (endpoint: string) => Promise<void>) => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await use(`http://127.0.0.1:${port}`);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };

  const failing = (type: string, status: number): RequestListener => {
    return (_, response) => {
      response.writeHead(status, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: "No." }));
    };
  };

  it.each([
    ["is throttled", failing("ProvisionedThroughputExceededException", 400)],
    ["fails", failing("InternalServerError", 500)],
    ["is not allowed", failing("AccessDeniedException", 400)],
    ["never answers", () => undefined],
    ["hangs up", (_request, response) => response.socket?.destroy()],
  ] satisfies [string, RequestListener][])(
    "admits the first requests within the limiter's timeout when it %s",
    async (_case, listener) => {
      const log = vi.spyOn(logger, "error").mockReturnValue();
      await withServer(listener, async (endpoint) => {
        const counters = createLimitCounters(
          openLightTable("language-ai", readAwsConfig({ AWS_ENDPOINT_URL: endpoint })),
        );
        const limiter = createLimiter(counters, { timeoutMilliseconds: 50 });
        const { refusal, statuses } = await limiter.admit(request);
        expect(refusal).toBeUndefined();
        expect(statuses[0]).toMatchObject({ limit: 50, remaining: undefined });
        expect(log).toHaveBeenCalledExactlyOnceWith("limits.not_counted", expect.anything());
      });
    },
  );
});
