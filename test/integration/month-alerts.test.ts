import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alertOwners } from "../../functions/request-log/alert-owners.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { accountCounters } from "../../shared/accounts/limits/keys.ts";
import { accountPoliciesWith } from "../../shared/accounts/limits/policies.ts";
import { windowsAt } from "../../shared/accounts/limits/windows.ts";
import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let server: TestTable;
beforeAll(async () => {
  server = await startTestTable();
});
afterAll(() => server.close());

const now = Date.parse("2026-11-20T10:00:00Z");
const counter = accountCounters.month(windowsAt(now).month);

/** A verified Free account, with 5,000 requests a month, and a key with a limit of 10. */
const start = async () => {
  const table = server.open();
  const userId = await createTestAccount(table);
  const Key = accountKeys.access(userId);
  const mails: MailRequest[] = [];
  const dependencies = {
    table,
    policyOf: accountPoliciesWith(1),
    mailQueue: { send: async (mail: MailRequest) => void mails.push(mail) },
  };
  const useMonth = async (ofAccount: number, ofKey: number, sent = dependencies): Promise<void> => {
    const api_keys = { k1: { h: "digest", l: 10, [counter]: ofKey }, k2: { h: "digest", [counter]: 4_000 } };
    await table.put({ ...(await table.read({ Key })), ...Key, [counter]: ofAccount, api_keys });
    const item = await table.read({ Key });
    if (!item) throw new Error("There is no such account.");
    await alertOwners(new Map([[userId, item]]), sent, now);
  };
  const told = () => mails.splice(0).map((mail) => ({ ...mail }));
  return { userId, useMonth, told, dependencies };
};

describe("The mails about a used month", () => {
  it("come at 80 and at 100% of the account's month, once each, however often requests come", async () => {
    const { userId, useMonth, told } = await start();
    await useMonth(3_999, 0);
    expect(told()).toEqual([]);
    await useMonth(4_000, 0);
    await useMonth(4_500, 0);
    const common = { kind: "month-used", userId, limit: 5_000, until: "2026-12-01" };
    expect(told()).toEqual([{ ...common, percent: 80, used: 4_000 }]);
    await useMonth(5_000, 0);
    await useMonth(4_999, 0);
    await useMonth(5_000, 0);
    expect(told()).toEqual([{ ...common, percent: 100, used: 5_000 }]);
  });

  it("come for a key with a limit of its own, and for no other", async () => {
    const { userId, useMonth, told } = await start();
    await useMonth(20, 10);
    expect(told()).toEqual([
      { kind: "month-used", userId, percent: 100, used: 10, limit: 10, until: "2026-12-01", keyId: "k1" },
    ]);
    await useMonth(20, 9);
    expect(told()).toEqual([]);
  });

  it("come with the next request when the queue did not take one", async () => {
    const { useMonth, told, dependencies } = await start();
    const mailQueue = { send: () => Promise.reject(new Error("SQS does not respond.")) };
    await expect(useMonth(4_100, 0, { ...dependencies, mailQueue })).rejects.toThrow("SQS");
    await useMonth(4_101, 0);
    expect(told()).toMatchObject([{ percent: 80, used: 4_101 }]);
  });
});
