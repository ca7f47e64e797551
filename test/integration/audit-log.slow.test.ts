import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { limitKeys } from "../../shared/accounts/limits/keys.ts";
import { createAuditLog } from "../../shared/accounts/operators/audit-log.ts";
import { listEarlierNames, searchAccounts } from "../../shared/accounts/operators/find-accounts.ts";
import { accountActs } from "../../shared/accounts/operators/operate-accounts.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { accountRepositories } from "../../shared/wiring/accounts-from-environment.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let testTable: TestTable;
let table: Table;
beforeAll(async () => {
  testTable = await startTestTable();
  table = testTable.open();
});
afterAll(() => testTable.close());

const operator = { command: "amina" } as const;

const requireAccount = async (id: number) => {
  const found = await accountRepositories(table).accounts.find({ id });
  if (!found) throw new Error("The account is missing.");
  return found;
};

const actsOf = (over: Table = table) =>
  accountActs(operator, { ...accountRepositories(over), table: over, eraseAccount: async () => undefined });

const recordedOn = async (userId: number) =>
  (await createAuditLog(table).list(1_000)).filter(({ accountId }) => accountId === userId);

describe("The audit log", () => {
  it("lists acts over months, newest first, in pages", async () => {
    const times = ["2025-11-30T23:59:59.000Z", "2026-01-01T00:00:00.000Z", "2026-03-15T12:00:00.000Z"];
    const detail = "paged";
    for (const time of times) {
      await createAuditLog(table, () => Date.parse(time)).record(operator, { act: "disable", detail });
      await createAuditLog(table, () => Date.parse(time)).record(operator, { act: "enable", detail });
    }
    const log = createAuditLog(table, () => Date.parse("2026-03-20T00:00:00.000Z"));
    const listed: string[] = [];
    for (let before: string | undefined; ; ) {
      const page = await log.list(2, before);
      listed.push(...page.map(({ time }) => time));
      before = page.at(-1)?.id;
      if (page.length < 2) break;
    }
    expect(listed).toEqual(times.flatMap((time) => [time, time]).toReversed());
  });

  it("keeps an act for 400 days, with a shortened address and no name", async () => {
    const now = Date.parse("2026-11-20T10:00:00.000Z");
    const log = createAuditLog(table, () => now);
    for (const [sourceAddress, from] of [
      ["203.0.113.77", "203.0.113.0/24"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
      ["::ffff:203.0.113.77", "203.0.113.0/24"],
    ] as const) {
      const record = log.recordOf({ accountId: 7, sourceAddress }, { act: "disable", accountId: 8 });
      expect(record).toEqual({
        put: {
          PK: "AUDIT#2026-11",
          SK: expect.stringMatching(/^2026-11-20T10:00:00\.000Z#/),
          time: "2026-11-20T10:00:00.000Z",
          act: "disable",
          by_account: 7,
          from,
          account: 8,
          expires_at: now / 1_000 + 400 * daySeconds,
        },
      });
    }
  });

  it("has every act on an account, whether a page or a command did it", async () => {
    const userId = await createTestAccount(table);
    const account = await requireAccount(userId);
    await table.put({ ...limitKeys.withheldMail(account.email), reason: "bounce", since: "2026-11-20" });
    const acts = actsOf();
    expect(await acts.changeTier(account, "Premium")).toBe(true);
    expect(await acts.setDisabled(account, true)).toBe(true);
    expect(await acts.setDisabled(account, false)).toBe(true);
    await acts.allowMail(account);
    await acts.revokeKeys(account);
    expect((await recordedOn(userId)).map(({ act }) => act).toSorted()).toEqual([
      "allow-mail",
      "change-tier",
      "disable",
      "enable",
      "revoke-keys",
    ]);
    expect(await table.read({ Key: limitKeys.withheldMail(account.email) })).toBeUndefined();
  });

  it("has no act that did not happen, and lets none happen without it", async () => {
    const account = await requireAccount(await createTestAccount(table));
    const gone = { ...account, id: 987_654 };
    expect(await actsOf().changeTier(gone, "Admin")).toBe(false);
    expect(await actsOf().revokeKey(account, "k000000000000")).toBe(false);
    expect(await recordedOn(gone.id)).toEqual([]);
    expect(await recordedOn(account.id)).toEqual([]);
    const refusing: Table = {
      ...table,
      transact: () => Promise.reject(new Error("The table does not respond.")),
    };
    await expect(actsOf(refusing).setDisabled(account, true)).rejects.toThrow("respond");
    await expect(actsOf(refusing).revokeKeys(account)).rejects.toThrow("respond");
    expect((await requireAccount(account.id)).disabled).toBe(false);
  });
});

describe("Accounts from before the search", () => {
  it("are found by the beginnings of their names once these are listed", async () => {
    const userId = await createTestAccount(table);
    const { username, email } = await requireAccount(userId);
    await table.deleteAll([accountKeys.listedUsername(username), accountKeys.listedEmail(email)]);
    const dependencies = { table, ...accountRepositories(table) };
    const find = async (text: string) =>
      (await searchAccounts(text, { limit: 25, position: undefined }, dependencies)).accounts.map(
        ({ id }) => id,
      );
    expect(await find(username)).toEqual([userId]);
    expect(await find(username.slice(0, -1))).toEqual([]);
    expect(await listEarlierNames(table, dependencies.accounts)).toBeGreaterThan(0);
    expect(await find(username.slice(0, -1))).toEqual([userId]);
    expect(await find(email.slice(0, -1))).toEqual([userId]);
  });
});
