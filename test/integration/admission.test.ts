import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AccountAccess } from "../../shared/accounts/access/account-access.ts";
import type { Scope } from "../../shared/accounts/access/api-keys.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import type { TokenClaims } from "../../shared/accounts/access/tokens.ts";
import { createLimitCounters, createLimiter } from "../../shared/accounts/limits/limiter.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { createLinksRepository } from "../../shared/accounts/repositories/links-repository.ts";
import { createTokensRepository } from "../../shared/accounts/repositories/tokens-repository.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { RequestTable } from "../../shared/platform/storage/table.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

/** These tests are about what is counted; a table on a busy machine may take longer than a request would wait for it. */
const timeoutMilliseconds = 20_000;

let table: TestTable;
/** The table for several instances of functions: each has connections of its own. */
let instances: readonly RequestTable[];
beforeAll(async () => {
  table = await startTestTable();
  instances = Array.from({ length: 4 }, () => table.openForRequests());
});
afterAll(() => table.close());

const accounts = () => createAccountsRepository(table.open());
const start = Date.parse("2026-11-20T10:00:30Z");

const newAccount = async () => {
  const username = `user-${crypto.randomUUID()}`;
  const { id } = await accounts().create({
    username,
    email: `${username}@example.com`,
    password_hash: "$argon2id$the-hash",
    organization: "Unknown",
    full_name: undefined,
    organization_type: undefined,
    sector: undefined,
  });
  return { id, username, token: { userId: id, tokenId: "first", tokenEpoch: 0 } };
};
const stored = (userId: number) => table.read(accountKeys.access(userId));

/** Sends a task with a token at a given time, through one of the instances. @returns the outcome in a word. */
const use = async (token: TokenClaims, instance = 0, now = start, scope?: Scope): Promise<string> => {
  const chosen = instances[instance % instances.length];
  if (!chosen) throw new Error("There are no instances.");
  const limiter = createLimiter(createLimitCounters(chosen), { now: () => now, timeoutMilliseconds });
  try {
    const { refusal } = await limiter.admit({
      limitClass: "task",
      credential: token,
      operationId: "translate",
      scope,
    });
    return refusal?.code ?? "admitted";
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
};

/** The state of a token after a change of its account; `undefined` while it still opens everything. */
type Revocation = readonly [string, (userId: number, token: TokenClaims) => Promise<unknown>, string];

const verify = async (userId: number): Promise<boolean> => {
  const links = createLinksRepository(table.open());
  const secret = await links.create({ userId, tokenEpoch: 0 }, "verify-email");
  return links.verifyEmail(secret, userId);
};

const revocations: readonly Revocation[] = [
  ["is replaced", (_id, token) => createTokensRepository(table.open()).revoke(token), "unauthenticated"],
  [
    "is ended by a new password",
    (userId) => accounts().changePassword({ userId, tokenEpoch: 0 }, "$argon2id$new"),
    "unauthenticated",
  ],
  ["loses its account to an operator", (userId) => accounts().setDisabled(userId, true), "forbidden"],
  ["gets another tier", (userId) => accounts().setAccountType(userId, "Premium"), "admitted"],
  ["has its address verified", verify, "admitted"],
];

describe("a token that is used while it", () => {
  it.each(revocations)("%s: each use is wholly before it or after it", async (_case, revoke, after) => {
    const { id, token } = await newAccount();
    const uses = Array.from({ length: 12 }, (_, index) => use(token, index));
    const [, ...outcomes] = await Promise.all([revoke(id, token), ...uses]);
    for (const outcome of outcomes) expect(["admitted", after]).toContain(outcome);
    expect(await use(token)).toBe(after);
    // What was counted is exactly what was admitted.
    const admitted = outcomes.filter((outcome) => outcome === "admitted").length;
    const last = after === "admitted" ? 1 : 0;
    // Nothing is written for one that comes too late altogether.
    expect({ "M2026-11": 0, ...(await stored(id)) }).toMatchObject({ "M2026-11": admitted + last });
  });
});

describe("a token for some tasks", () => {
  it("is admitted for those, refused others uncounted, and ends with a new password", async () => {
    const { id, token } = await newAccount();
    const limited = { ...token, scopes: ["translate"] };
    expect(await use(limited, 0, start, "translate")).toBe("admitted");
    const before = await stored(id);
    expect(await use(limited, 0, start, "speech")).toBe("insufficient_scope");
    expect(await stored(id)).toEqual(before);
    await accounts().changePassword({ userId: id, tokenEpoch: 0 }, "$argon2id$new");
    expect(await use(limited, 0, start, "translate")).toBe("unauthenticated");
    expect(await use(limited, 0, start, "speech")).toBe("unauthenticated");
  });
});

describe("parallel requests of an account", () => {
  it("are admitted up to the limit, no more and no less: 50 a minute, with an unverified address 50 a day", async () => {
    const { id, token } = await newAccount();
    const outcomes = await Promise.all(Array.from({ length: 70 }, (_, index) => use(token, index)));
    expect(outcomes.filter((outcome) => outcome === "admitted")).toHaveLength(50);
    expect(outcomes.filter((outcome) => outcome === "rate_limited")).toHaveLength(20);
    expect(await use(token, 0, start + 60_000)).toBe("quota_exceeded");
    await verify(id);
    expect(await use(token, 0, start + 60_000)).toBe("admitted");
    expect(await stored(id)).toMatchObject({ "M2026-11": 51 });
  });

  it("have the limits of the tier that the account has at that moment", async () => {
    const { id, token } = await newAccount();
    await Promise.all(Array.from({ length: 50 }, (_, index) => use(token, index)));
    expect(await use(token)).toBe("rate_limited");
    await accounts().setAccountType(id, "Premium");
    expect(await use(token)).toBe("admitted");
    await accounts().setAccountType(id, "Free");
    expect(await use(token)).toBe("rate_limited");
  });

  it("count each in the window of its own moment", async () => {
    const { id, token } = await newAccount();
    const moments = ["2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00.000Z"].map((text) => Date.parse(text));
    for (const now of moments) expect(await use(token, 0, now)).toBe("admitted");
    expect(await stored(id)).toMatchObject({ "M2026-11": 1, "M2026-12": 1 });
  });
});

describe("a token", () => {
  it("is replaced once by many simultaneous requests; the others learn that it is gone", async () => {
    const { id, token } = await newAccount();
    const revoke = async () => {
      try {
        return (await createTokensRepository(table.open()).revoke(token)).kind;
      } catch (error) {
        return error instanceof AppError ? error.code : "failed";
      }
    };
    const outcomes = await Promise.all(Array.from({ length: 8 }, revoke));
    expect(outcomes.toSorted()).toEqual(["revoked", ...Array(7).fill("unauthenticated")]);
    expect(await use({ ...token, tokenId: "second" })).toBe("admitted");
    expect(await stored(id)).toMatchObject({ revoked: { first: 0 } });
  });

  it.each(["unauthenticated", "forbidden"])(
    "that is refused with %s cannot be replaced either",
    async (code) => {
      const { id, token } = await newAccount();
      if (code === "forbidden") await accounts().setDisabled(id, true);
      else await accounts().changePassword({ userId: id, tokenEpoch: 0 }, "$argon2id$new");
      await expect(createTokensRepository(table.open()).revoke(token)).rejects.toMatchObject({ code });
    },
  );

  it("of a missing account opens nothing, and creates no account", async () => {
    const token = { userId: 99_999, tokenId: "first", tokenEpoch: 0 };
    expect(await use(token)).toBe("unauthenticated");
    await expect(createTokensRepository(table.open()).revoke(token)).rejects.toMatchObject({
      code: "unauthenticated",
    });
    expect(await stored(99_999)).toBeUndefined();
  });

  it("may be one of 200 that were replaced and have not expired; time, or a new password, makes room", async () => {
    const { id, token } = await newAccount();
    const seconds = Math.floor(start / 1_000);
    const revoke = (tokenId: string, tokenExpiresAt: number, now = start, tokenEpoch = 0) =>
      createTokensRepository(table.open(), () => now).revoke({
        ...token,
        tokenId,
        tokenExpiresAt,
        tokenEpoch,
      });
    for (let count = 0; count < 200; count += 1) await revoke(`t${count}`, seconds + 60 + count);
    expect(await revoke("one-more", seconds + 600)).toEqual({ kind: "too-many", endsIn: 60 });
    expect(await use({ ...token, tokenId: "one-more" })).toBe("admitted");
    expect(await revoke("one-more", seconds + 600, start + 61_000)).toEqual({ kind: "revoked" });
    expect(Object.keys(Object((await stored(id))?.["revoked"]))).toHaveLength(199);

    await accounts().changePassword({ userId: id, tokenEpoch: 0 }, "$argon2id$new");
    expect(await stored(id)).toMatchObject({ revoked: {}, token_epoch: 1 });
    expect(await use({ ...token, tokenId: "t150" })).toBe("unauthenticated");
    expect(await revoke("of-the-next-epoch", seconds + 600, start, 1)).toEqual({ kind: "revoked" });
  });
});

describe("expired entries", () => {
  it("is removed by a request that comes later: minutes, days, months after two, expired tokens", async () => {
    const { id, token } = await newAccount();
    const day = Math.floor(start / 86_400_000);
    const minute = Math.floor(start / 60_000);
    const past = Object.fromEntries(
      Array.from({ length: 70 }, (_, index) => [`m${minute - 100 - index}`, 1]),
    );
    const remaining = {
      [`m${minute - 1}`]: 1,
      [`d${day - 1}`]: 1,
      "M2026-10": 3,
      "M2026-09": 2,
    };
    const over = { [`d${day - 2}`]: 1, [`d${day - 35}`]: 1, "M2026-08": 4 };
    const revoked = { gone: start / 1_000 - 120, still: start / 1_000 + 120, endless: 0 };
    const Item = { ...(await stored(id)), ...past, ...remaining, ...over, revoked };
    await table.open().put(Item);
    const limiter = createLimiter(createLimitCounters(table.openForRequests()), {
      now: () => start,
      timeoutMilliseconds,
    });
    await limiter.release(
      await limiter.admit({ limitClass: "task", credential: token, operationId: "translate" }),
    );
    const counters = Object.entries((await stored(id)) ?? {}).filter(([attribute]) =>
      /^[mdM]\d/.test(attribute),
    );
    expect(Object.fromEntries(counters)).toEqual({
      ...remaining,
      [`m${minute}`]: 1,
      [`d${day}`]: 1,
      "M2026-11": 1,
    });
    expect((await stored(id))?.["revoked"]).toEqual({ still: revoked.still, endless: 0 });
  });
});

describe("a refunded task", () => {
  it("does not bring back an account that was deleted meanwhile", async () => {
    const { id, token } = await newAccount();
    const limiter = createLimiter(createLimitCounters(table.openForRequests()), {
      now: () => start,
      timeoutMilliseconds,
    });
    const admission = await limiter.admit({
      limitClass: "task",
      credential: token,
      operationId: "translate",
    });
    await table.openForRequests().delete(accountKeys.access(id));
    await limiter.refund(admission);
    await limiter.admitTasks(admission, 3);
    expect(await stored(id)).toBeUndefined();
  });
});

describe("an account that an older version has stored", () => {
  const older: AccountAccess = {
    account_type: "Premium",
    disabled: false,
    token_epoch: 4,
    email_verified: true,
  };

  /** Stores both kinds of items in their earlier shape: the profile contained what decides about requests. */
  const newOlderAccount = async (changes: Partial<AccountAccess> = {}) => {
    const { id, username } = await newAccount();
    const profile = await table.read(accountKeys.profile(id));
    await table.openForRequests().delete(accountKeys.access(id));
    await table.openForRequests().put({ ...profile, ...older, ...changes });
    return { id, username };
  };

  it("gets its access item when it is read, and keeps nothing of it in its profile", async () => {
    const { id, username } = await newOlderAccount();
    const found = await accounts().findWithPassword({ username });
    expect(found).toMatchObject({ id, username, ...older, password_hash: "$argon2id$the-hash" });
    expect(await stored(id)).toEqual({ ...accountKeys.access(id), ...older, revoked: {} });
    for (const name of Object.keys(older)) {
      expect(await table.read(accountKeys.profile(id))).not.toHaveProperty(name);
    }
    expect(await use({ userId: id, tokenId: "new", tokenEpoch: 4 })).toBe("admitted");
  });

  it("gets one, however many read it at the same moment, and all see the same", async () => {
    const { id } = await newOlderAccount({ disabled: true });
    const found = await Promise.all(Array.from({ length: 6 }, () => accounts().find({ id })));
    for (const account of found) expect(account).toMatchObject({ id, ...older, disabled: true });
  });

  it("opens nothing from before, despite what its tokens say", async () => {
    const { id } = await newOlderAccount();
    expect(await use({ userId: id, tokenId: "new", tokenEpoch: 4 })).toBe("unauthenticated");
  });
});
