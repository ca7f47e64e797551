import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { noticeDue, notifyAccounts } from "../../functions/sunset/notify-accounts.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { limitKeys } from "../../shared/accounts/limits/keys.ts";
import { dayCounter } from "../../shared/accounts/limits/usage-counters.ts";
import { dayOfDate } from "../../shared/accounts/limits/windows.ts";
import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import { noticeKeys } from "../../shared/accounts/notices/keys.ts";
import taskPaths from "../../shared/accounts/usage/task-paths.json" with { type: "json" };
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

const sunset = "2027-12-01";
const deprecated = Object.entries(taskPaths).find(([, path]) => "deprecated" in path);
if (!deprecated) throw new Error("No route of version 1 is deprecated.");
const [deprecatedId, { method, path }] = deprecated;

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

let mails: MailRequest[];
let isQueueDown: boolean;
beforeEach(() => {
  mails = [];
  isQueueDown = false;
});

const run = (date: string, signal = new AbortController().signal) =>
  notifyAccounts(
    {
      table: table.openForRequests(),
      mailQueue: {
        send: async (mail) => {
          if (isQueueDown) throw new Error("SQS does not respond.");
          mails.push(mail);
        },
      },
      taskPaths,
      sunset,
    },
    signal,
    Date.parse(`${date}T03:00:00Z`),
  );

/** An account that has called an operation on a day. */
const calling = async (operationId: string, date: string): Promise<number> => {
  const userId = await createTestAccount(table.open(), "Free");
  const counter = dayCounter({ day: dayOfDate(date), operationId, keyId: undefined, unit: "requests" });
  await table.open().put({ ...limitKeys.usage(date, userId), [counter]: 3 });
  return userId;
};

const toAccount = (userId: number) => mails.filter((mail) => "userId" in mail && mail.userId === userId);

describe("The mail about the end of version 1", () => {
  it.each([
    ["2027-09-01", undefined],
    ["2027-09-02", 90],
    ["2027-11-16", 90],
    ["2027-11-17", 14],
    ["2027-11-30", 14],
    ["2027-12-01", undefined],
  ])("on %s is the one of %s days before", (date, days) => {
    expect(noticeDue(sunset, dayOfDate(date))).toBe(days);
  });

  it("goes once in each time to accounts that call such routes, with the routes", async () => {
    const userId = await calling(deprecatedId, "2027-09-20");
    const others = [await calling("translate", "2027-09-20"), await calling(deprecatedId, "2027-07-01")];
    await run("2027-10-01");
    expect(toAccount(userId)).toEqual([
      { kind: "routes-end", userId, sunset, routes: [`${method} ${path}`] },
    ]);
    for (const other of others) expect(toAccount(other)).toEqual([]);
    await run("2027-10-02");
    expect(toAccount(userId)).toHaveLength(1);
    // It has stopped: no second mail.
    await run("2027-11-20");
    expect(toAccount(userId)).toHaveLength(1);
    await table.open().put({
      ...limitKeys.usage("2027-11-18", userId),
      [dayCounter({
        day: dayOfDate("2027-11-18"),
        operationId: deprecatedId,
        keyId: "k1",
        unit: "errors",
      })]: 1,
    });
    await run("2027-11-20");
    expect(toAccount(userId)).toHaveLength(2);
    const notice = await table.read(noticeKeys.routesEnd(userId, sunset, 14));
    expect(notice?.["expires_at"]).toBe(Date.parse("2027-12-31") / 1_000);
  });

  it("reads nothing outside of these days", async () => {
    const before = table.calls.length;
    expect(await run("2027-08-01")).toBe(0);
    expect(table.calls).toHaveLength(before);
  });

  it("comes the next day when it could not be queued, and when the time had ended", async () => {
    const userId = await calling(deprecatedId, "2027-09-25");
    isQueueDown = true;
    await expect(run("2027-10-03")).rejects.toThrow("Accounts could not be mailed.");
    isQueueDown = false;
    await run("2027-10-04", AbortSignal.abort());
    expect(toAccount(userId)).toEqual([]);
    await run("2027-10-05");
    expect(toAccount(userId)).toHaveLength(1);
  });

  it("does not go to deleted or disabled accounts", async () => {
    const [deleted, disabled] = [
      await calling(deprecatedId, "2027-09-26"),
      await calling(deprecatedId, "2027-09-26"),
    ];
    await table.open().delete(accountKeys.access(deleted));
    await table.open().update({
      Key: accountKeys.access(disabled),
      UpdateExpression: "SET disabled = :yes",
      ExpressionAttributeValues: { ":yes": true },
    });
    await run("2027-10-06");
    for (const userId of [deleted, disabled]) expect(toAccount(userId)).toEqual([]);
  });
});
