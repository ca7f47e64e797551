import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLimiter } from "../../../../shared/accounts/limits/limiter.ts";
import { createPendingUsage } from "../../../../shared/accounts/limits/pending-usage.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import { fakeCounters } from "../../../support/fake-counters.ts";

const account = { userId: 7, day: 20_777, operationId: "translate", keyId: undefined };
const characters = "u20777:translate:-:c";

let now: number;
let counted: (readonly [number, Record<string, number>])[];
const pendingUsage = () =>
  createPendingUsage(
    () => now,
    async (userId, pending) => {
      counted.push([userId, Object.fromEntries(pending)]);
    },
  );
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  now = Date.parse("2026-11-20T10:00:00Z");
  counted = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pass = async (milliseconds: number) => {
  now += milliseconds;
  await vi.advanceTimersByTimeAsync(milliseconds);
};

describe("pending usage of an account", () => {
  it("is summed up until a write takes it, and is that write's from then on", () => {
    const pending = pendingUsage();
    for (let request = 0; request < 3; request += 1) {
      pending.begin(7);
      pending.end(account, { use: { characters: 5 }, hasFailed: request === 2 });
    }
    expect(pending.take(7)).toEqual(
      new Map([
        [characters, 15],
        ["u20777:translate:-:e", 1],
      ]),
    );
    expect(pending.take(7)).toBeUndefined();
    expect(pending.take(8)).toBeUndefined();
  });

  it("is pending again when the write was refused", () => {
    const pending = pendingUsage();
    pending.begin(7);
    pending.end(account, { use: { characters: 5 }, hasFailed: false });
    const taken = pending.take(7);
    pending.begin(7);
    pending.end(account, { use: { characters: 1 }, hasFailed: false });
    pending.putBack(7, taken ?? new Map());
    expect(pending.take(7)).toEqual(new Map([[characters, 6]]));
  });

  it("is nothing when the request was refunded, or has used nothing", () => {
    const pending = pendingUsage();
    pending.begin(7);
    pending.end(account, undefined);
    pending.begin(7);
    pending.end(account, { use: { characters: 0 }, hasFailed: false });
    expect(pending.take(7)).toBeUndefined();
  });

  it("goes into one write only as far as its expressions stay short", () => {
    const pending = pendingUsage();
    for (let key = 0; key < 40; key += 1) {
      pending.begin(7);
      pending.end({ ...account, keyId: `key${key}` }, { use: { characters: 1 }, hasFailed: false });
    }
    expect(pending.take(7)?.size).toBe(30);
    expect(pending.take(7)?.size).toBe(10);
  });

  it("can be written at once where none of its requests is in progress, and none was within two seconds", () => {
    const pending = pendingUsage();
    const end = { use: { characters: 1 }, hasFailed: false };
    pending.begin(7);
    pending.begin(7);
    expect(pending.end(account, end)).toBe(false);
    expect(pending.end(account, end)).toBe(false);
    now += 1_999;
    pending.begin(7);
    expect(pending.end(account, end)).toBe(false);
    now += 2_000;
    pending.begin(7);
    expect(pending.end(account, end)).toBe(true);
  });

  it("is written when its account has been quiet for two seconds, each account separately", async () => {
    const pending = pendingUsage();
    pending.begin(7);
    pending.end(account, { use: { characters: 1 }, hasFailed: false });
    await pass(1_500);
    pending.begin(8);
    pending.end({ ...account, userId: 8 }, { use: { characters: 2 }, hasFailed: false });
    await pass(1_500);
    expect(counted).toEqual([[7, { [characters]: 1 }]]);
    await pass(2_000);
    expect(counted).toEqual([
      [7, { [characters]: 1 }],
      [8, { [characters]: 2 }],
    ]);
    // Nothing is remembered of accounts that are gone quiet, and no timer is left.
    await pass(4_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("delays anything that ends during its write", async () => {
    const response = Promise.withResolvers<void>();
    const pending = createPendingUsage(
      () => now,
      () => response.promise,
    );
    pending.begin(7);
    pending.end(account, { use: { characters: 1 }, hasFailed: false });
    pending.write(7);
    let isOver = false;
    const over = pending.written().then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(isOver).toBe(false);
    response.resolve();
    await over;
    expect(isOver).toBe(true);
  });
});

describe("a request whose usage cannot be counted", () => {
  const request = {
    limitClass: "task" as const,
    credential: { userId: 7, tokenId: "a-token", tokenEpoch: 0 },
    operationId: "translate",
  };

  it.each([
    ["addUsage", "limits.usage_not_counted", {}],
    ["cleanUp", "limits.not_kept_up", { cleanup: true }],
  ] as const)(
    "ends anyway when %s fails, which is logged",
    async (method, event, { cleanup = false }: { cleanup?: boolean }) => {
      const log = vi.spyOn(logger, "error").mockReturnValue();
      const counters = fakeCounters();
      counters[method] = () => Promise.reject(new Error("The table is on fire."));
      const limiter = createLimiter(counters, { now: () => now });
      const admission = await limiter.admit(request);
      const windows = { minute: 0, day: 0, month: "", ends: { minute: 0, day: 0, month: 0 } };
      await limiter.release(
        cleanup ? { ...admission, cleanup: { userId: 7, item: {}, windows, beginsDay: false } } : admission,
        { use: { characters: 3 }, hasFailed: false },
      );
      expect(log).toHaveBeenCalledExactlyOnceWith(event, {
        limit_class: "task",
        reason: expect.objectContaining({ message: "The table is on fire." }),
      });
    },
  );

  it("is never counted twice: usage in an admission without a response is not pending again", async () => {
    vi.spyOn(logger, "error").mockReturnValue();
    const counters = fakeCounters();
    const limiter = createLimiter(counters, { now: () => now });
    const once = async () =>
      limiter.release(await limiter.admit(request), { use: { characters: 3 }, hasFailed: false });
    await once();
    await once();
    const { countForAccount } = counters;
    counters.countForAccount = (requested) => {
      counters.accounts.push(requested);
      return Promise.reject(new Error("No answer."));
    };
    await limiter.admit(request);
    counters.countForAccount = countForAccount;
    await limiter.admit(request);
    expect(counters.usage).toEqual([{ "u20777:translate:-:c": 3 }]);
    expect(counters.accounts.map(({ pending }) => pending?.size ?? 0)).toEqual([0, 0, 1, 0]);
  });
});

describe("a refund", () => {
  it.each([
    [undefined, { "u20777:translate:-:e": 1 }],
    [{ isError: false }, undefined],
  ])("counts an error unless there was none: %j", async (options, usage) => {
    const counters = fakeCounters();
    const limiter = createLimiter(counters, { now: () => now });
    const admission = await limiter.admit({
      limitClass: "task",
      credential: { userId: 7, tokenId: "a-token", tokenEpoch: 0 },
      operationId: "translate",
    });
    const refunded = await limiter.refund(admission, options);
    await limiter.release(refunded, { use: { characters: 3 }, hasFailed: true });
    expect(counters.usage).toEqual(usage ? [usage] : []);
  });
});
