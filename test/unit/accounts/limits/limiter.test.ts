import { afterEach, describe, expect, it, vi } from "vitest";
import type { CredentialAccess } from "../../../../shared/accounts/access/access.ts";
import type { AccountType } from "../../../../shared/accounts/access/account-access.ts";
import type { Counts } from "../../../../shared/accounts/limits/limit-counters.ts";
import { createLimiter, type LimitedRequest } from "../../../../shared/accounts/limits/limiter.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import { fakeCounters } from "../../../support/fake-counters.ts";

const now = Date.parse("2026-11-20T23:00:15Z");
const token = { userId: 7, tokenId: "a-token", tokenEpoch: 0 };
const task = (userId = token.userId) => ({
  limitClass: "task" as const,
  credential: { ...token, userId },
  operationId: "translate",
});

const admit = (counts: Counts, access: Partial<CredentialAccess> = {}) =>
  createLimiter(
    fakeCounters(async () => counts, access),
    { now: () => now },
  ).admit(task());

afterEach(() => {
  vi.restoreAllMocks();
});

describe("an admitted request", () => {
  it("shows what the month leaves for the day, when that is less", async () => {
    const { statuses } = await admit({ counted: true, minute: 1, day: 12, month: 4_997 });
    expect(statuses[1]).toMatchObject({ window: "day", limit: 500, remaining: 3 });
  });

  it.each([
    ["Premium", 100, 5_000],
    ["Free", 50, 500],
  ] as const)("of a %s account has that tier's limits", async (type, perMinute, perDay) => {
    const { statuses } = await admit({ counted: true, minute: 1, day: 1, month: 1 }, { account_type: type });
    expect(statuses.map(({ limit }) => limit)).toEqual([perMinute, perDay]);
  });

  it("of an Admin account has a minute's limit and no quota", async () => {
    const { statuses } = await admit(
      { counted: true, minute: 1, day: 9_999, month: 999_999 },
      { account_type: "Admin" },
    );
    expect(statuses).toEqual([{ window: "minute", limit: 1_000, remaining: 999, resetSeconds: 45 }]);
  });

  it("that is no task is limited by the minute only, and takes nothing from the quota", async () => {
    const counters = fakeCounters();
    const request = { ...task(), limitClass: "account" } as const;
    const { statuses } = await createLimiter(counters, { now: () => now }).admit(request);
    expect(statuses.map(({ window }) => window)).toEqual(["minute"]);
    expect(counters.accounts).toMatchObject([{ credential: token, task: undefined }]);
  });

  it("names its account", async () => {
    const { caller } = await admit(
      { counted: true, minute: 1, day: 1, month: 1 },
      { account_type: "Premium" },
    );
    expect(caller).toEqual({ userId: 7, accountType: "Premium", defaultLanguages: [], token });
  });
});

describe("a refused request", () => {
  it("names the month's quota", async () => {
    const { refusal, statuses } = await admit({ counted: false, minute: 3, day: 20, month: 5_000 });
    expect(refusal).toMatchObject({
      status: 429,
      code: "quota_exceeded",
      message: "Monthly quota exceeded",
      retryAfterSeconds: 10 * 86_400 + 3_585,
    });
    expect(statuses[1]?.remaining).toBe(0);
  });
});

describe("an account with an unverified email address", () => {
  const unverified = (type: AccountType) => ({ account_type: type, email_verified: false });

  it.each([
    ["Free", 50, 50],
    ["Premium", 100, 500],
  ] as const)(
    "of the tier %s has the whole minute and a tenth of the day",
    async (type, perMinute, perDay) => {
      const { statuses } = await admit({ counted: true, minute: 1, day: 1, month: 1 }, unverified(type));
      expect(statuses.map(({ limit }) => limit)).toEqual([perMinute, perDay]);
    },
  );

  it("of an operator has no quota", async () => {
    const { statuses } = await admit({ counted: true, minute: 1, day: 1, month: 1 }, unverified("Admin"));
    expect(statuses.map(({ limit }) => limit)).toEqual([1_000]);
  });

  it.each([
    [{ day: 50, month: 60 }, "Daily quota exceeded; verify your email address to get 500 a day"],
    [{ day: 20, month: 500 }, "Monthly quota exceeded; verify your email address to get 5000 a month"],
  ])("explains beyond its quota what verifying it adds: %j", async (used, message) => {
    const { refusal } = await admit({ counted: false, minute: 1, ...used }, unverified("Free"));
    expect(refusal).toMatchObject({ status: 429, code: "quota_exceeded", message });
  });
});

describe("a request with a key", () => {
  const credential = { userId: 7, keyId: "k3f0a2c1e9b7d", keyDigest: "digest" };
  const entry = { h: "digest", l: 100 };
  const limited = (counts: Counts, access: Partial<CredentialAccess> = {}) => {
    const counters = fakeCounters(async () => counts, { key: entry, ...access });
    return { counters, limiter: createLimiter(counters, { now: () => now }) };
  };
  const request = { ...task(), credential, scope: "translate" } as const;

  it("names its account and key, and is counted with the key's conditions of the operation", async () => {
    const { counters, limiter } = limited({ counted: true, minute: 1, day: 1, month: 1, ofKey: 1 });
    const { caller, countedTask } = await limiter.admit(request);
    expect(caller).toEqual({ userId: 7, accountType: "Free", defaultLanguages: [], keyId: "k3f0a2c1e9b7d" });
    expect(countedTask).toMatchObject({ userId: 7, keyId: "k3f0a2c1e9b7d", tasks: 1 });
    expect(counters.accounts).toMatchObject([{ credential, scope: "translate", time: now }]);
  });

  it("shows what the key's own limit leaves for the day, when that is less", async () => {
    const { limiter } = limited({ counted: true, minute: 1, day: 12, month: 340, ofKey: 97 });
    expect((await limiter.admit(request)).statuses[1]).toMatchObject({ window: "day", remaining: 3 });
  });

  it.each([
    ["the key's own limit", { minute: 1, day: 1, month: 100, ofKey: 100 }, "quota_exceeded", /this key/],
    [
      "the month, which is the account's",
      { minute: 1, day: 1, month: 5_000, ofKey: 100 },
      "quota_exceeded",
      /^Monthly quota/,
    ],
    [
      "the day, which ends sooner",
      { minute: 1, day: 500, month: 5_000, ofKey: 100 },
      "quota_exceeded",
      /^Daily quota/,
    ],
    [
      "the minute, which ends first",
      { minute: 50, day: 500, month: 5_000, ofKey: 100 },
      "rate_limited",
      /per 1 minute/,
    ],
  ] as const)("is refused for %s", async (_limit, counts, code, message) => {
    const { limiter } = limited({ counted: false, ...counts });
    const { refusal } = await limiter.admit(request);
    expect(refusal).toMatchObject({ status: 429, code, message: expect.stringMatching(message) });
  });

  it("is refused for the other tasks of a batch by what they pass", async () => {
    const { limiter } = limited({ counted: false, minute: 1, day: 10, month: 10, ofKey: 99 });
    const { limiter: admitting } = limited({ counted: true, minute: 1, day: 10, month: 10, ofKey: 99 });
    const admission = await admitting.admit(request);
    expect((await limiter.admitTasks(admission, 3)).refusal).toMatchObject({
      code: "quota_exceeded",
      message:
        "Monthly limit of this key exceeded: the request counts as 3 tasks; its owner has set it to 100 a month.",
      retryAfterSeconds: 10 * 24 * 60 * 60 + 3_585,
    });
  });

  it("is not counted for what no key may do: one read says whether it hears 403 or 401", async () => {
    const { counters, limiter } = limited({ counted: true, minute: 1, day: 1, month: 1 });
    const ofAccount = { limitClass: "account", credential, operationId: "getUsage" } as const;
    await expect(limiter.admit(ofAccount)).rejects.toMatchObject({ code: "insufficient_scope", status: 403 });
    const { limiter: other } = limited({ counted: true, minute: 1, day: 1, month: 1 }, { isValid: false });
    await expect(other.admit(ofAccount)).rejects.toMatchObject({ code: "unauthenticated" });
    expect(counters.accounts).toEqual([]);
  });
});

describe("a token that does not stand", () => {
  const refused: readonly (readonly [string, Partial<CredentialAccess>, string])[] = [
    ["was revoked", { isValid: false }, "unauthenticated"],
    ["is of a disabled account", { disabled: true }, "forbidden"],
    ["is of a disabled account, and was revoked", { disabled: true, isValid: false }, "unauthenticated"],
  ];

  it.each(refused)(
    "is refused by the write that would have counted it: it %s",
    async (_case, access, code) => {
      await expect(
        admit({ counted: false, minute: 50, day: 500, month: 5_000 }, access),
      ).rejects.toMatchObject({
        code,
      });
    },
  );

  it.each(refused)("is refused while nothing can be counted: it %s", async (_case, access, code) => {
    const log = vi.spyOn(logger, "error").mockReturnValue();
    const counters = fakeCounters(() => Promise.reject(new Error("No store.")), access);
    await expect(createLimiter(counters).admit(task())).rejects.toMatchObject({ code });
    expect(log).toHaveBeenCalledOnce();
  });

  it.each([true, false])("is refused when its account is gone, counting works: %s", async (works) => {
    vi.spyOn(logger, "error").mockReturnValue();
    const counters = fakeCounters(async () => ({ counted: false, minute: 0, day: 0, month: 0 }));
    const gone = {
      ...counters,
      readCounts: async () => ({ counted: false, minute: 0, day: 0, month: 0, status: undefined }),
      countForAccount: async () => {
        if (!works) throw new Error("No store.");
        return { counted: false, minute: 0, day: 0, month: 0, status: undefined };
      },
    };
    await expect(createLimiter(gone).admit(task())).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("looks like a valid one while the store can neither count nor be read: both must wait", async () => {
    vi.spyOn(logger, "error").mockReturnValue();
    const failure = new Error("The table is on fire.");
    const counters = {
      ...fakeCounters(() => Promise.reject(failure)),
      readCounts: () => Promise.reject(failure),
    };
    await expect(createLimiter(counters).admit(task())).rejects.toMatchObject({
      code: "service_unavailable",
      retryAfterSeconds: 5,
      cause: failure,
    });
  });
});

describe("a request without a token", () => {
  const fromIpv6 = (subnet: number) =>
    ({ limitClass: "anonymous", sourceAddress: `2001:db8:1:${subnet.toString(16)}::9` }) as const;

  it("is limited with its network, by its class", async () => {
    const counters = fakeCounters();
    const limiter = createLimiter(counters, { now: () => now });
    await limiter.admit({ limitClass: "anonymous", sourceAddress: "203.0.113.7" });
    await limiter.admit({ limitClass: "credentials", sourceAddress: "2001:db8:1:2::9" });
    expect(counters.addresses).toMatchObject([
      { group: "203.0.113.7", limitClass: "anonymous", perMinute: 50 },
      { group: "2001:db8:1:2::/64", limitClass: "credentials", perMinute: 60 },
      { group: "2001:db8:1::/48", limitClass: "credentials", perMinute: 600 },
    ]);
  });

  it.each(["works", "fails"])(
    "is refused from any /64 once its /48 is spent, the table %s",
    async (table) => {
      vi.spyOn(logger, "error").mockReturnValue();
      const requests = new Map<string, number>();
      const counters = fakeCounters();
      counters.countForAddress = async ({ group, perMinute }) => {
        if (table === "fails") throw new Error("No store.");
        const minute = Math.min(perMinute, (requests.get(group) ?? 0) + 1);
        const counted = (requests.get(group) ?? 0) < perMinute;
        requests.set(group, minute);
        return { counted, minute, day: 0, month: 0 };
      };
      const limiter = createLimiter(counters, { now: () => now });
      let admitted = 0;
      for (let subnet = 0; subnet < 600; subnet += 1) {
        if (!(await limiter.admit(fromIpv6(subnet))).refusal) admitted += 1;
      }
      expect(admitted).toBe(table === "works" ? 500 : 50);
    },
  );

  it("has the limit that the stage sets", async () => {
    const counters = fakeCounters();
    const limiter = createLimiter(counters, { addressLimits: { credentials: 6_000 } });
    const { statuses } = await limiter.admit({ limitClass: "credentials", sourceAddress: "127.0.0.1" });
    expect(statuses).toMatchObject([{ window: "minute", limit: 6_000, remaining: 5_999 }]);
  });
});

describe("when the store cannot count", () => {
  const fire = () => Promise.reject(new Error("The table is on fire."));
  const used = { counted: false, minute: 3, day: 20, month: 30 };
  /** Counters that were read although nothing can be counted. */
  const failing = (read: Partial<Counts> = {}) => {
    const counters = fakeCounters(fire);
    return {
      ...counters,
      readCounts: async (request: Parameters<typeof counters.readCounts>[0], signal: AbortSignal) => ({
        ...(await counters.readCounts(request, signal)),
        ...used,
        ...read,
      }),
    };
  };
  const from = (sourceAddress: string, limitClass: "anonymous" | "credentials" = "anonymous") => ({
    limitClass,
    sourceAddress,
  });
  const untilRefused = async (limiter: ReturnType<typeof createLimiter>, request: LimitedRequest) => {
    let admitted = 0;
    while (admitted < 1_000 && !(await limiter.admit(request)).refusal) admitted += 1;
    return admitted;
  };

  it("a request of an account is not executed, and may be sent again", async () => {
    const log = vi.spyOn(logger, "error").mockReturnValue();
    const limiter = createLimiter(failing(), { now: () => now });
    const { refusal, statuses } = await limiter.admit(task());
    expect(refusal).toMatchObject({ code: "service_unavailable", status: 503, retryAfterSeconds: 5 });
    expect(statuses.map(({ remaining }) => remaining)).toEqual([47, 480]);
    expect(log).toHaveBeenCalledExactlyOnceWith("limits.not_counted", {
      limit_class: "task",
      reason: expect.objectContaining({ name: "Error", message: "The table is on fire." }),
    });
  });

  it.each([
    [{ minute: 50 }, "rate_limited"],
    [{ day: 500 }, "quota_exceeded"],
    [{ month: 5_000 }, "quota_exceeded"],
  ])("an account that has reached a limit stays refused for it: %j", async (read, code) => {
    vi.spyOn(logger, "error").mockReturnValue();
    const { refusal } = await createLimiter(failing(read), { now: () => now }).admit(task());
    expect(refusal).toMatchObject({ status: 429, code });
  });

  it.each([
    ["anonymous", 5],
    ["credentials", 6],
  ] as const)(
    "a tenth of an address's requests of the class %s is admitted, again in each minute",
    async (limitClass, admitted) => {
      vi.spyOn(logger, "error").mockReturnValue();
      let time = now;
      const limiter = createLimiter(failing(), { now: () => time });
      const request = from("203.0.113.7", limitClass);
      expect(await untilRefused(limiter, request)).toBe(admitted);
      expect((await limiter.admit(request)).refusal).toMatchObject({
        code: "rate_limited",
        message: `Requests cannot be counted now, so only ${admitted} per 1 minute are admitted; try again shortly.`,
        retryAfterSeconds: 45,
      });
      time += 45_000;
      expect(await untilRefused(limiter, request)).toBe(admitted);
    },
  );

  it("addresses are counted each on its own, networks as one", async () => {
    vi.spyOn(logger, "error").mockReturnValue();
    const limiter = createLimiter(failing(), { now: () => now });
    expect(await untilRefused(limiter, from("203.0.113.7"))).toBe(5);
    expect(await untilRefused(limiter, from("203.0.113.8"))).toBe(5);
    expect(await untilRefused(limiter, from("2001:db8:1:2::9"))).toBe(5);
    expect(await untilRefused(limiter, from("2001:db8:1:2::10"))).toBe(0);
  });

  it("callers without number are not remembered one by one: beyond a thousand they share one count", async () => {
    vi.spyOn(logger, "error").mockReturnValue();
    const limiter = createLimiter(failing(), { now: () => now });
    const isAdmitted = async (host: number) =>
      !(await limiter.admit(from(`10.0.${host >> 8}.${host & 255}`))).refusal;
    let admitted = 0;
    for (let host = 0; host < 1_100; host += 1) if (await isAdmitted(host)) admitted += 1;
    expect(admitted).toBe(1_005);
    expect(await isAdmitted(7)).toBe(true);
  });

  it.each([
    ["an account", task(), 3_000],
    ["an address", from("203.0.113.7"), 500],
  ] as const)("a store has its time to respond about %s", async (_whom, request, milliseconds) => {
    const timeout = vi.spyOn(globalThis, "setTimeout");
    await createLimiter(fakeCounters()).admit(request);
    expect(timeout).toHaveBeenCalledExactlyOnceWith(expect.any(Function), milliseconds);
  });

  it("a store that never responds is abandoned, and logged", async () => {
    const log = vi.spyOn(logger, "error").mockReturnValue();
    const given = Promise.withResolvers<AbortSignal>();
    const counters = fakeCounters((signal) => {
      given.resolve(signal);
      return new Promise(() => undefined);
    });
    const limiter = createLimiter(counters, { timeoutMilliseconds: 20 });
    expect((await limiter.admit(task())).refusal).toMatchObject({ code: "service_unavailable" });
    expect((await given.promise).aborted).toBe(true);
    expect(log).toHaveBeenCalledOnce();
  });
});

describe("a refund", () => {
  const admittedTask = async (refund?: () => Promise<void>) => {
    const counters = fakeCounters(async () => ({ counted: true, minute: 4, day: 7, month: 9 }));
    if (refund) counters.refund = refund;
    const limiter = createLimiter(counters, { now: () => now });
    return { counters, limiter, admission: await limiter.admit(task()) };
  };

  it("runs once", async () => {
    const { counters, limiter, admission } = await admittedTask();
    await limiter.refund(await limiter.refund(admission));
    expect(counters.refunded).toHaveLength(1);
  });

  it("is nothing for a request that was not counted on a quota", async () => {
    const refused = fakeCounters(async () => ({ counted: false, minute: 50, day: 7, month: 9 }));
    const broken = fakeCounters(() => Promise.reject(new Error("No store.")));
    vi.spyOn(logger, "error").mockReturnValue();
    for (const [counters, request] of [
      [refused, task()],
      [broken, task()],
      [fakeCounters(), { ...task(), limitClass: "account" as const }],
      [fakeCounters(), { limitClass: "anonymous" as const, sourceAddress: "203.0.113.7" }],
    ] as const) {
      const limiter = createLimiter(counters, { now: () => now });
      const admission = await limiter.admit(request);
      expect(await limiter.refund(admission)).toEqual(admission);
      expect(counters.refunded).toEqual([]);
    }
  });

  it("that the store cannot make is logged, and nothing is promised to the caller", async () => {
    const log = vi.spyOn(logger, "error").mockReturnValue();
    const { limiter, admission } = await admittedTask(() => Promise.reject(new Error("No store.")));
    expect((await limiter.refund(admission)).statuses).toEqual(admission.statuses);
    expect(log).toHaveBeenCalledExactlyOnceWith("limits.not_refunded", {
      limit_class: "task",
      reason: expect.objectContaining({ message: "No store." }),
    });
  });
});
