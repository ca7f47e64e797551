import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeApiKey, readApiKey, type Scope } from "../../shared/accounts/access/api-keys.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { createLimitCounters, createLimiter, type Limiter } from "../../shared/accounts/limits/limiter.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import {
  createApiKeysRepository,
  type KeyChoices,
  maxKeys,
} from "../../shared/accounts/repositories/api-keys-repository.ts";
import { createTokensRepository } from "../../shared/accounts/repositories/tokens-repository.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { RequestTable } from "../../shared/platform/storage/table.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

/** A table on a busy machine may take longer than a request would wait for it. */
const timeoutMilliseconds = 20_000;
const start = Date.parse("2026-11-20T10:00:30Z");

let table: TestTable;
/** The table for several instances of functions: each has connections of its own. */
let instances: readonly RequestTable[];
beforeAll(async () => {
  table = await startTestTable();
  instances = Array.from({ length: 4 }, () => table.openForRequests());
});
afterAll(() => table.close());

const accounts = () => createAccountsRepository(table.open());
const keys = (now = start) => createApiKeysRepository(table.open(), () => now);
const stored = (userId: number) => table.read(accountKeys.access(userId));

const newOwner = async () => {
  const username = `user-${crypto.randomUUID()}`;
  const { id: userId } = await accounts().create({
    username,
    email: `${username}@example.com`,
    password_hash: "$argon2id$the-hash",
    organization: "Unknown",
    full_name: undefined,
    organization_type: undefined,
    sector: undefined,
  });
  // A paying account, so that its own limits are far away.
  await accounts().setAccountType(userId, "Admin");
  return { userId, tokenEpoch: 0 };
};
type Owner = Awaited<ReturnType<typeof newOwner>>;

const noChoices: KeyChoices = {
  name: "a program",
  scopes: undefined,
  expiresAt: undefined,
  monthlyLimit: undefined,
};
const makeKey = (owner: Owner, choices: Partial<KeyChoices> = {}, now = start) =>
  keys(now).create(owner, { ...noChoices, ...choices });

const limiterAt = (instance = 0, now = start): Limiter => {
  const chosen = instances[instance % instances.length];
  if (!chosen) throw new Error("There are no instances.");
  return createLimiter(createLimitCounters(chosen), { now: () => now, timeoutMilliseconds });
};

interface Use {
  readonly scope?: Scope | "any" | undefined;
  readonly instance?: number;
  readonly now?: number;
}

const admit = (key: string, { scope = "translate", instance, now }: Use = {}) => {
  const credential = readApiKey(key);
  if (!credential) throw new Error("That is no key.");
  return limiterAt(instance, now).admit({
    limitClass: "task",
    credential,
    scope,
    operationId: "translate",
  });
};

/** Sends a task with a key. @returns the outcome in a word. */
const use = async (key: string, options: Use = {}): Promise<string> => {
  try {
    return (await admit(key, options)).refusal?.code ?? "admitted";
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
};

const countOf = (outcomes: readonly string[], outcome: string) =>
  outcomes.filter((one) => one === outcome).length;

describe("a key that is used", () => {
  it("has its use noted and its tasks counted, together with its account's", async () => {
    const owner = await newOwner();
    const [one, other] = [await makeKey(owner), await makeKey(owner, {}, start + 1)];
    expect(await use(one.key)).toBe("admitted");
    expect(await use(one.key, { now: start + 90_000 })).toBe("admitted");
    expect(await use(other.key)).toBe("admitted");
    expect(await keys().list(owner.userId)).toMatchObject([
      { id: one.id, usedAt: Math.floor((start + 90_000) / 1_000), usedThisMonth: 2 },
      { id: other.id, usedAt: Math.floor(start / 1_000), usedThisMonth: 1 },
    ]);
    expect(await stored(owner.userId)).toMatchObject({ "M2026-11": 3 });
  });

  it("counts the items of a batch all or none against its own limit, and gets back what is refunded", async () => {
    const owner = await newOwner();
    const { key, id } = await makeKey(owner, { monthlyLimit: 5 });
    const limiter = limiterAt();
    const batch = await limiter.admitTasks(await admit(key), 4);
    expect(batch.refusal).toBeUndefined();
    const tooMany = await limiter.admitTasks(await admit(key), 2);
    expect(tooMany.refusal).toMatchObject({
      code: "quota_exceeded",
      message:
        "Monthly limit of this key exceeded: the request counts as 2 tasks; its owner has set it to 5 a month.",
    });
    await limiter.refund(tooMany);
    await limiter.refund(batch);
    expect(await keys().list(owner.userId)).toMatchObject([{ id, usedThisMonth: 0 }]);
    expect(await stored(owner.userId)).toMatchObject({ "M2026-11": 0, d20777: 0 });
  });

  it("that is revoked before its task is refunded leaves nothing behind, and the account gets its task back", async () => {
    const owner = await newOwner();
    const { key, id } = await makeKey(owner);
    const admission = await admit(key);
    await keys().revoke(owner.userId, id);
    await limiterAt().refund(admission);
    expect(await stored(owner.userId)).toMatchObject({ "M2026-11": 0, api_keys: {} });
  });

  it("starts again with the month", async () => {
    const owner = await newOwner();
    const { key } = await makeKey(owner, { monthlyLimit: 1 });
    const december = Date.parse("2026-12-01T00:00:00Z");
    expect(await use(key)).toBe("admitted");
    expect(await use(key, { now: december - 1 })).toBe("quota_exceeded");
    expect(await use(key, { now: december })).toBe("admitted");
    expect(await use(key, { now: december + 60_000 })).toBe("quota_exceeded");
  });

  it("ends with its last second", async () => {
    const owner = await newOwner();
    const expiresAt = start / 1_000 + 60;
    const { key } = await makeKey(owner, { expiresAt });
    expect(await use(key, { now: expiresAt * 1_000 - 1 })).toBe("admitted");
    expect(await use(key, { now: expiresAt * 1_000 })).toBe("unauthenticated");
    expect(await use(key)).toBe("admitted");
  });

  it("does what its scopes name, and of the rest what every key may", async () => {
    const owner = await newOwner();
    const { key } = await makeKey(owner, { scopes: ["speech", "chat"] });
    expect(await use(key, { scope: "speech" })).toBe("admitted");
    expect(await use(key, { scope: "chat" })).toBe("admitted");
    expect(await use(key, { scope: "any" })).toBe("admitted");
    const before = await stored(owner.userId);
    expect(await use(key, { scope: "translate" })).toBe("insufficient_scope");
    expect(await stored(owner.userId)).toEqual(before);
  });

  it("reports its own fault before others: 401 comes before 403, and that before 429", async () => {
    const owner = await newOwner();
    const { key, id } = await makeKey(owner, { scopes: ["speech"], monthlyLimit: 1 });
    expect(await use(key, { scope: "speech" })).toBe("admitted");
    expect(await use(key, { scope: "speech" })).toBe("quota_exceeded");
    expect(await use(key, { scope: "chat" })).toBe("insufficient_scope");
    await accounts().setDisabled(owner.userId, true);
    expect(await use(key, { scope: "chat" })).toBe("forbidden");
    await keys().revoke(owner.userId, id);
    expect(await use(key, { scope: "chat" })).toBe("unauthenticated");
  });

  it("forged for a real account is refused", async () => {
    const owner = await newOwner();
    await makeKey(owner);
    expect(await use(makeApiKey(owner.userId).key)).toBe("unauthenticated");
    expect(await use(makeApiKey(99_999).key)).toBe("unauthenticated");
  });
});

describe("keys at the same moment", () => {
  it("reach their own limit exactly, however many tasks come at once", async () => {
    const owner = await newOwner();
    const { key, id } = await makeKey(owner, { monthlyLimit: 20 });
    const outcomes = await Promise.all(Array.from({ length: 60 }, (_, instance) => use(key, { instance })));
    expect(countOf(outcomes, "admitted")).toBe(20);
    expect(countOf(outcomes, "quota_exceeded")).toBe(40);
    expect(await keys().list(owner.userId)).toMatchObject([{ id, usedThisMonth: 20 }]);
    expect(await stored(owner.userId)).toMatchObject({ "M2026-11": 20 });
  });

  it("open nothing once their revocation has returned, during any other work", async () => {
    const owner = await newOwner();
    const { key, id } = await makeKey(owner);
    let isRevoked = false;
    const late: string[] = [];
    const uses = Array.from({ length: 40 }, async (_, instance) => {
      for (let turn = 0; turn < 3; turn += 1) {
        const wasRevokedBefore = isRevoked;
        const outcome = await use(key, { instance });
        if (wasRevokedBefore) late.push(outcome);
      }
    });
    await Promise.all([
      ...uses,
      keys()
        .revoke(owner.userId, id)
        .then(() => {
          isRevoked = true;
        }),
    ]);
    expect(late.every((outcome) => outcome === "unauthenticated")).toBe(true);
    expect(await use(key)).toBe("unauthenticated");
    expect(await stored(owner.userId)).toMatchObject({ api_keys: {} });
  });

  it("are at most twenty, in any number of simultaneous requests, and the first two of an account are distinct", async () => {
    const owner = await newOwner();
    const created = await Promise.allSettled(Array.from({ length: maxKeys + 8 }, () => makeKey(owner)));
    const codes = created.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.code] : []));
    // Those that only collided inside the table have been tried again.
    const done = created.filter(({ status }) => status === "fulfilled").length;
    expect(done).toBeLessThanOrEqual(maxKeys);
    expect(done).toBeGreaterThan(1);
    expect(await keys().list(owner.userId)).toHaveLength(done);
    expect(codes.every((code) => code === "too_many_keys" || code === undefined)).toBe(true);
    while ((await keys().list(owner.userId)).length < maxKeys) await makeKey(owner);
    await expect(makeKey(owner)).rejects.toMatchObject({ code: "too_many_keys", status: 400 });
  });

  it("may have one name in two accounts, and stay distinct", async () => {
    const [one, other] = [await newOwner(), await newOwner()];
    const [first, second] = await Promise.all([
      makeKey(one, { name: "prod" }),
      makeKey(other, { name: "prod" }),
    ]);
    expect(await keys().revoke(one.userId, second.id)).toBe(false);
    expect(await keys().revoke(one.userId, first.id)).toBe(true);
    expect(await use(second.key)).toBe("admitted");
    expect(await use(first.key)).toBe("unauthenticated");
    expect(await keys().list(other.userId)).toMatchObject([{ id: second.id, name: "prod" }]);
  });

  it("leave nothing behind when a revocation that ended half-way is tried again", async () => {
    const owner = await newOwner();
    const { id } = await makeKey(owner);
    await table.open().update({
      Key: accountKeys.access(owner.userId),
      UpdateExpression: "REMOVE api_keys.#key",
      ExpressionAttributeNames: { "#key": id },
    });
    expect(await keys().revoke(owner.userId, id)).toBe(false);
    expect(await table.read(accountKeys.apiKey(owner.userId, id))).toBeUndefined();
  });

  it("all go at once, those in use as well", async () => {
    const owner = await newOwner();
    const created = await Promise.all([makeKey(owner), makeKey(owner), makeKey(owner)]);
    await Promise.all([
      keys().revokeAll(owner.userId),
      ...created.flatMap(({ key }) => [use(key, { instance: 1 }), use(key, { instance: 2 })]),
    ]);
    for (const { key } of created) expect(await use(key)).toBe("unauthenticated");
    expect(await keys().list(owner.userId)).toEqual([]);
    expect(await use((await makeKey(owner)).key)).toBe("admitted");
  });
});

describe("a key is created", () => {
  it("for no account whose token was revoked, or that is disabled, being deleted or gone", async () => {
    const owner = await newOwner();
    const change = async (expression: string, values: Record<string, unknown>) => {
      await table.open().update({
        Key: accountKeys.access(owner.userId),
        UpdateExpression: expression,
        ExpressionAttributeValues: values,
      });
    };
    await expect(makeKey({ ...owner, tokenEpoch: 1 })).rejects.toMatchObject({ code: "unauthenticated" });
    await accounts().setDisabled(owner.userId, true);
    await expect(makeKey(owner)).rejects.toMatchObject({ code: "forbidden" });
    await accounts().setDisabled(owner.userId, false);
    await change("SET deletion_began = :now", { ":now": "2026-11-20T10:00:00Z" });
    await expect(makeKey(owner)).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(makeKey({ userId: 99_999, tokenEpoch: 0 })).rejects.toMatchObject({
      code: "unauthenticated",
    });
    expect(await keys().list(owner.userId)).toEqual([]);
    expect(await keys().list(99_999)).toEqual([]);
  });

  it("at most a hundred times a day, so that counts by key stay few", async () => {
    const owner = await newOwner();
    for (let created = 0; created < 100; created += 1) {
      const { id } = await makeKey(owner);
      await keys().revoke(owner.userId, id);
    }
    await expect(makeKey(owner)).rejects.toMatchObject({ code: "rate_limited", retryAfterSeconds: 50_370 });
    expect(await makeKey(owner, {}, start + 24 * 60 * 60 * 1_000)).toMatchObject({ name: "a program" });
  });

  it("and recognised by its digest only: its text is nowhere in the table", async () => {
    const owner = await newOwner();
    const { key, id } = await makeKey(owner, { name: "kiosk", scopes: ["speech"] });
    await use(key, { scope: "speech" });
    const items = [await stored(owner.userId), await table.read(accountKeys.apiKey(owner.userId, id))];
    expect(items[1]).toMatchObject({ name: "kiosk", prefix: key.slice(0, 12) });
    const text = JSON.stringify(items, (_name, value) => (value instanceof Set ? [...value] : value));
    expect(text).not.toContain(key.slice(0, 14));
    expect(text).not.toContain(key.slice(14, 30));
  });
});

describe("the access item", () => {
  it("of twenty keys that are used in one minute stays under four kilobytes", async () => {
    const owner = await newOwner();
    for (let created = 0; created < maxKeys; created += 1) {
      const { key } = await makeKey(owner, {
        name: "x".repeat(64),
        scopes: ["translate", "speech"],
        expiresAt: 4_000_000_000,
        monthlyLimit: 1_000_000,
      });
      await use(key);
    }
    const { api_keys: entries } = (await stored(owner.userId)) ?? {};
    const size = JSON.stringify(entries, (_name, value) =>
      value instanceof Set ? [...value] : value,
    ).length;
    expect(size).toBeLessThan(4_096);
  });

  it("forgets what keys have counted in months that are long over", async () => {
    const owner = await newOwner();
    const created = await Promise.all([makeKey(owner), makeKey(owner)]);
    for (let month = 0; month < 40; month += 1) {
      const now = Date.UTC(2026, 11 + month, 15, 10, 0, 1);
      // Expired entries are removed at the end of a request.
      for (const { key } of created) await limiterAt(0, now).release(await admit(key, { now }));
    }
    const [entry] = Object.values(Object((await stored(owner.userId))?.["api_keys"]));
    expect(Object.keys(Object(entry)).filter((name) => name.startsWith("M")).length).toBeLessThan(35);
    expect(await use(created[0]?.key ?? "", { now: Date.UTC(2030, 3, 15) })).toBe("admitted");
  });
});

describe("while nothing can be counted", () => {
  const broken = (reads: "work" | "fail"): Limiter => {
    const intact = table.openForRequests();
    const fails = () => Promise.reject(new Error("The table is on fire."));
    const failing: RequestTable = {
      ...intact,
      updateWithFallback: fails,
      ...(reads === "fail" ? { read: fails } : {}),
    };
    return createLimiter(createLimitCounters(failing), { now: () => start, timeoutMilliseconds });
  };
  const ask = async (limiter: Limiter, key: string, scope: Scope | "any") => {
    vi.spyOn(logger, "error").mockReturnValue();
    const credential = readApiKey(key);
    if (!credential) throw new Error("That is no key.");
    try {
      const request = { limitClass: "task", credential, scope, operationId: "translate" } as const;
      return (await limiter.admit(request)).refusal?.code ?? "admitted";
    } catch (error) {
      if (error instanceof AppError) return error.code;
      throw error;
    } finally {
      vi.restoreAllMocks();
    }
  };

  it("a key is checked by one consistent read, and a valid one may try again", async () => {
    const owner = await newOwner();
    const { key, id } = await makeKey(owner, { scopes: ["speech"] });
    const expired = await makeKey(owner, { expiresAt: 1 });
    const limiter = broken("work");
    const calls = table.calls.length;
    expect(await ask(limiter, key, "speech")).toBe("service_unavailable");
    expect(table.calls.slice(calls)).toEqual(["GetItem"]);
    expect(await ask(limiter, key, "chat")).toBe("insufficient_scope");
    expect(await ask(limiter, expired.key, "speech")).toBe("unauthenticated");
    expect(await ask(limiter, makeApiKey(owner.userId).key, "speech")).toBe("unauthenticated");
    await keys().revoke(owner.userId, id);
    expect(await ask(limiter, key, "speech")).toBe("unauthenticated");
  });

  it("a key stays refused for its own limit, which it had reached before", async () => {
    const { key } = await makeKey(await newOwner(), { monthlyLimit: 1 });
    expect(await use(key)).toBe("admitted");
    expect(await ask(broken("work"), key, "translate")).toBe("quota_exceeded");
  });

  it("nor read, no key is admitted, and none is called wrong", async () => {
    const owner = await newOwner();
    const { key } = await makeKey(owner);
    expect(await ask(broken("fail"), key, "speech")).toBe("service_unavailable");
    expect(await ask(broken("fail"), makeApiKey(owner.userId).key, "speech")).toBe("service_unavailable");
  });
});

describe("an account that had tokens before it had keys", () => {
  it("keeps them as they are, and a key outlives what ends them all", async () => {
    const owner = await newOwner();
    const { key } = await makeKey(owner);
    const token = { userId: owner.userId, tokenId: "first", tokenEpoch: 0 };
    expect(await createTokensRepository(table.open()).revoke(token)).toEqual({ kind: "revoked" });
    expect(await accounts().changePassword(owner, "$argon2id$another")).toBe(true);
    expect(await use(key)).toBe("admitted");
  });
});
