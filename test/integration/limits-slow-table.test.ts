import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Credential } from "../../shared/accounts/access/api-keys.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import type { Admission } from "../../shared/accounts/limits/admission.ts";
import { createLimitCounters, createLimiter, type Limiter } from "../../shared/accounts/limits/limiter.ts";
import { windowsAt } from "../../shared/accounts/limits/windows.ts";
import { AwsCallError } from "../../shared/platform/outbound/aws-json.ts";
import type { ItemUpdate, RequestTable } from "../../shared/platform/storage/table.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());
beforeEach(() => {
  vi.spyOn(logger, "error").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const now = Date.parse("2026-11-20T10:00:30Z");
const windows = windowsAt(now);
const [minute, day, month] = [`m${windows.minute}`, `d${windows.day}`, `M${windows.month}`];

/** Longer than an ordinary request would wait. */
const slowMilliseconds = 700;
const slow = async <Result>(write: () => Promise<Result>): Promise<Result> => {
  await pause(slowMilliseconds);
  return write();
};
const throttled = () => Promise.reject(new AwsCallError("ThrottlingException", "The item is throttled.", {}));

/** Limiters of several processes, over a table whose writes go through `through`. */
const processes = (
  through: <Result>(write: () => Promise<Result>) => Promise<Result>,
  count = 8,
): readonly Limiter[] =>
  Array.from({ length: count }, () => {
    const own = table.openForRequests();
    const behind: RequestTable = {
      ...own,
      update: (update: ItemUpdate, signal) => through(() => own.update(update, signal)),
      updateWithFallback: (update, fallback, signal) =>
        through(() => own.updateWithFallback(update, fallback, signal)),
    };
    return createLimiter(createLimitCounters(behind), { now: () => now });
  });

const ownToken = (userId: number): Credential => ({ userId, tokenId: "a-token", tokenEpoch: 0 });
const keyOf = (userId: number): Credential => ({ userId, keyId: "k0", keyDigest: "digest" });

/** An account whose access item has these attributes too. */
const accountWith = async (attributes: Readonly<Record<string, unknown>> = {}): Promise<number> => {
  const userId = await createTestAccount(table.open());
  const key = accountKeys.access(userId);
  await table.open().put({ ...(await table.read(key)), ...key, ...attributes });
  return userId;
};

const send = (limiters: readonly Limiter[], credential: Credential, requests: number): Promise<Admission[]> =>
  Promise.all(
    Array.from({ length: requests }, (_, index) => {
      const limiter = limiters[index % limiters.length];
      if (!limiter) throw new Error("There are no processes.");
      return limiter.admit({ limitClass: "task", credential, scope: "translate", operationId: "translate" });
    }),
  );

const admittedOf = (admissions: readonly Admission[]): number =>
  admissions.filter(({ refusal }) => refusal === undefined).length;
const codesOf = (admissions: readonly Admission[]) =>
  new Set(admissions.map(({ refusal }) => refusal?.code ?? "admitted"));

describe("200 parallel requests while the table is slow", () => {
  it("are admitted exactly as often as the minute allows, and each of these is counted once", async () => {
    const userId = await accountWith({ email_verified: true });
    expect(admittedOf(await send(processes(slow), ownToken(userId), 200))).toBe(50);
    expect(await table.read(accountKeys.access(userId))).toMatchObject({
      [minute]: 50,
      [day]: 50,
      [month]: 50,
      [`u${windows.day}:translate:-:r`]: 50,
    });
  }, 20_000);

  it("are admitted exactly as often as the rest of a key's limit allows", async () => {
    const key = { h: "digest", l: 10, [month]: 7 };
    const userId = await accountWith({ email_verified: true, api_keys: { k0: key } });
    const admissions = await send(processes(slow), keyOf(userId), 200);
    expect(admittedOf(admissions)).toBe(3);
    expect(codesOf(admissions)).toEqual(new Set(["admitted", "quota_exceeded"]));
    expect(await table.read(accountKeys.access(userId))).toMatchObject({ api_keys: { k0: { [month]: 10 } } });
  }, 20_000);

  it("are refunded each", async () => {
    const userId = await accountWith({ email_verified: true });
    const limiters = processes(slow);
    const admissions = await send(limiters, ownToken(userId), 40);
    await Promise.all(
      admissions.map((admission, index) => limiters[index % limiters.length]?.refund(admission)),
    );
    expect(await table.read(accountKeys.access(userId))).toMatchObject({
      [minute]: 40,
      [day]: 0,
      [month]: 0,
    });
  }, 20_000);
});

describe("200 parallel requests while the table counts nothing", () => {
  const ofKey = { h: "digest", l: 2, [month]: 2 };

  it.each([
    ["the minute", ownToken, { [minute]: 50 }, "rate_limited", "Rate limit exceeded: 50 per 1 minute"],
    ["the day", ownToken, { [day]: 500 }, "quota_exceeded", "Daily quota exceeded"],
    ["the month", ownToken, { [month]: 5_000 }, "quota_exceeded", "Monthly quota exceeded"],
    [
      "the key",
      keyOf,
      { api_keys: { k0: ofKey } },
      "quota_exceeded",
      "Monthly limit of this key exceeded; its owner has set it to 2 a month.",
    ],
  ] as const)(
    "are refused by the limit of %s that was reached before",
    async (_of, by, used, code, message) => {
      const userId = await accountWith({ email_verified: true, ...used });
      const admissions = await send(processes(throttled), by(userId), 200);
      expect(admittedOf(admissions)).toBe(0);
      expect(admissions[0]?.refusal).toMatchObject({ status: 429, code, message });
      expect(codesOf(admissions)).toEqual(new Set([code]));
    },
  );

  it("are not executed below a limit either, in any number of processes, and may be sent again", async () => {
    const userId = await accountWith({ email_verified: true, [day]: 20 });
    const admissions = await send(processes(throttled), ownToken(userId), 200);
    expect(codesOf(admissions)).toEqual(new Set(["service_unavailable"]));
    expect(admissions[0]?.refusal?.retryAfterSeconds).toBeGreaterThan(0);
    expect(admissions[0]?.statuses).toMatchObject([{ remaining: 50 }, { window: "day", remaining: 480 }]);
    expect(await table.read(accountKeys.access(userId))).toMatchObject({ [day]: 20 });
  });
});
