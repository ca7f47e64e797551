import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionDigest, sessionKeys } from "../../shared/accounts/sessions/keys.ts";
import {
  createSessionsRepository,
  type SessionsRepository,
  withPassword,
} from "../../shared/pages/sessions/sessions-repository.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

const hour = 60 * 60;
const day = 24 * hour;

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

let accounts = 0;

/** A person's sessions at a time that the test sets, in seconds. */
const startAt = (begin = 1_795_000_000) => {
  accounts += 1;
  const clock = { seconds: begin };
  const sessions: SessionsRepository = createSessionsRepository(table.open(), () => clock.seconds * 1_000);
  return { account: { userId: accounts, tokenEpoch: 2 }, clock, sessions };
};

describe("A session of the console", () => {
  it("is found by its secret, which is not in the table", async () => {
    const { account, clock, sessions } = startAt();
    const { secret, session } = await sessions.begin(account, withPassword, "A browser ".repeat(50));
    expect(secret).toMatch(new RegExp(`^${account.userId}\\.[\\w-]{43}$`));
    expect(await sessions.find(secret)).toEqual(session);
    const item = await table.read({ ...sessionKeys.session(account.userId, sessionDigest(secret)) });
    expect(item).toMatchObject({ token_epoch: 2, expires_at: clock.seconds + 7 * day });
    expect(item?.["user_agent"]).toHaveLength(200);
    expect(JSON.stringify(item)).not.toContain(secret.split(".")[1]);
  });

  it("is another one each time, and is not found by the secret with another account's number", async () => {
    const { account, sessions } = startAt();
    const secrets = await Promise.all(
      [1, 2, 3].map(async () => (await sessions.begin(account, withPassword, undefined)).secret),
    );
    expect(new Set(secrets).size).toBe(3);
    const [, random] = secrets[0]?.split(".") ?? [];
    for (const secret of [
      `${account.userId + 1}.${random}`,
      `0${account.userId}.${random}`,
      random ?? "",
      "",
      "x",
    ])
      expect(await sessions.find(secret)).toBeUndefined();
  });

  it("ends after a week without use, and after thirty days in any case", async () => {
    const { account, clock, sessions } = startAt();
    const [used, left] = await Promise.all([
      sessions.begin(account, withPassword, "used"),
      sessions.begin(account, withPassword, "left"),
    ]);
    for (let days = 6; days < 30; days += 6) {
      clock.seconds += 6 * day;
      expect(await sessions.find(used.secret)).toMatchObject({ id: used.session.id });
    }
    expect(await sessions.find(left.secret)).toBeUndefined();
    expect(await sessions.list(account)).toMatchObject([{ id: used.session.id }]);
    clock.seconds += 6 * day;
    expect(await sessions.find(used.secret)).toBeUndefined();
  });

  it("is written once an hour, not with each page", async () => {
    const { account, clock, sessions } = startAt();
    const { secret } = await sessions.begin(account, withPassword, undefined);
    const writes = () => table.calls.filter((name) => name === "UpdateItem").length;
    const before = writes();
    clock.seconds += hour - 1;
    await sessions.find(secret);
    expect(writes()).toBe(before);
    clock.seconds += 1;
    await sessions.find(secret);
    await sessions.find(secret);
    expect(writes()).toBe(before + 1);
  });

  it("is listed to its owner, that used last first, unless the password was changed since", async () => {
    const { account, clock, sessions } = startAt();
    const first = await sessions.begin(account, withPassword, "first");
    clock.seconds += hour;
    await sessions.begin(account, withPassword, "second");
    clock.seconds += hour;
    await sessions.find(first.secret);
    expect(await sessions.list(account)).toMatchObject([
      { userAgent: "first", createdAt: clock.seconds - 2 * hour, seenAt: clock.seconds },
      { userAgent: "second" },
    ]);
    expect(await sessions.list({ ...account, tokenEpoch: 3 })).toEqual([]);
  });

  it("says how it started; one of an older version counts as started with the password alone", async () => {
    const { account, clock, sessions } = startAt();
    const start = { with: "provider", showedFactor: true, provedAt: clock.seconds } as const;
    const { secret, session } = await sessions.begin(account, start, undefined);
    expect(await sessions.find(secret)).toMatchObject({ start });
    await table.open().update({
      Key: sessionKeys.session(account.userId, session.id),
      UpdateExpression: "REMOVE started_with, showed_factor, proved_at",
    });
    expect(await sessions.find(secret)).toMatchObject({ start: { ...withPassword, provedAt: undefined } });
  });

  it("can be ended alone", async () => {
    const { account, sessions } = startAt();
    const [one, two] = await Promise.all([1, 2].map(() => sessions.begin(account, withPassword, undefined)));
    if (!one || !two) throw new Error("Two sessions were started.");
    await sessions.end(account.userId, one.session.id);
    await sessions.end(account.userId, one.session.id);
    expect(await sessions.find(one.secret)).toBeUndefined();
    expect(await sessions.find(two.secret)).toBeDefined();
  });

  it("accepts a one-time form once, until it is released", async () => {
    const { account, sessions } = startAt();
    const { secret, session } = await sessions.begin(account, withPassword, undefined);
    expect(session.formsUsed).toBe(0);
    const sent = await Promise.all([1, 2, 3].map(() => sessions.useForm(session, 0)));
    expect(sent.filter(Boolean)).toHaveLength(1);
    expect(await sessions.find(secret)).toMatchObject({ formsUsed: 1 });
    expect(await sessions.useForm(session, 2)).toBe(false);
    expect(await sessions.useForm(session, 1)).toBe(true);
    await sessions.releaseForm(session, 1);
    expect(await sessions.useForm(session, 0)).toBe(false);
    expect(await sessions.useForm(session, 1)).toBe(true);
    await sessions.end(account.userId, session.id);
    for (const formsUsed of [0, 2]) expect(await sessions.useForm(session, formsUsed)).toBe(false);
    expect(await sessions.find(secret)).toBeUndefined();
  });
});
