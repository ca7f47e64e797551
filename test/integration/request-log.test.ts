import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestKeys } from "../../shared/accounts/requests/keys.ts";
import { createRequestLog, type LoggedRequest } from "../../shared/accounts/requests/request-log.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

const request = (id: string, second: number): LoggedRequest => ({
  at: `2026-11-20T10:00:${String(second).padStart(2, "0")}.000Z`,
  id,
  operation: "translate",
  status: 200,
  milliseconds: 412,
});

describe("The log of requests in the table", () => {
  it("stores more than a batch, lists the newest first, page by page, and finds each by its id", async () => {
    const [userId, log] = [
      await createTestAccount(table.open(), "Free"),
      createRequestLog(table.openForRequests()),
    ];
    const sent = Array.from({ length: 40 }, (_, index) => request(`r${index}`, index));
    await log.add(sent.map((each) => ({ userId, request: each })));
    const newest = await log.list(userId, 25);
    expect(newest).toEqual(sent.toReversed().slice(0, 25));
    expect(await log.list(userId, 25, newest.at(-1))).toEqual(sent.toReversed().slice(25));
    expect(await log.find(userId, "r7", 5)).toEqual([sent[7]]);
    // No id is found by its beginning.
    expect(await log.find(userId, "r", 5)).toEqual([]);
  });

  it("stores repeated lines once, and several requests with an id", async () => {
    const [userId, log] = [
      await createTestAccount(table.open(), "Free"),
      createRequestLog(table.openForRequests()),
    ];
    const [first, second] = [request("same", 1), request("same", 2)];
    await log.add([first, first, second].map((each) => ({ userId, request: each })));
    await log.add([{ userId, request: first }]);
    expect(await log.find(userId, "same", 5)).toEqual([second, first]);
    expect(await log.list(userId, 5)).toEqual([second, first]);
  });

  it("ends after 30 days, and has nothing of other accounts or of deleted ones", async () => {
    const [userId, log] = [
      await createTestAccount(table.open(), "Free"),
      createRequestLog(table.openForRequests()),
    ];
    const [other, deleted] = [await createTestAccount(table.open(), "Free"), 999_999];
    await log.add([userId, deleted].map((each) => ({ userId: each, request: request("mine", 1) })));
    for (const key of [
      requestKeys.byTime(userId, request("mine", 1).at, "mine"),
      requestKeys.byId(userId, request("mine", 1).at, "mine"),
    ])
      expect((await table.read(key))?.["expires_at"]).toBe(Date.parse("2026-12-20T10:00:01Z") / 1_000);
    for (const someone of [other, deleted]) {
      expect(await log.find(someone, "mine", 5)).toEqual([]);
      expect(await log.list(someone, 5)).toEqual([]);
    }
  });
});
