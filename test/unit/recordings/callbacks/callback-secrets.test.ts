import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  callbacksEnd,
  createCallbackSecrets,
} from "../../../../shared/recordings/callbacks/callback-secrets.ts";
import { createDeliveryLog } from "../../../../shared/recordings/callbacks/deliveries.ts";
import { startTestTable, type TestTable } from "../../../support/test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

/** Of the jobs in these tests. */
const createdAt = "2026-11-20T09:00:00.000Z";

describe("The secret of an account's callbacks", () => {
  it("is created once, by any number of simultaneous requests", async () => {
    const secrets = createCallbackSecrets(table.openForRequests());
    const all = await Promise.all(Array.from({ length: 10 }, () => secrets.current(1)));
    expect(new Set(all).size).toBe(1);
    expect(all[0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await secrets.signing(1, createdAt)).toEqual([all[0]]);
    expect(await secrets.signing(2, createdAt)).toBeUndefined();
  });

  it("that was replaced signs as well for a day", async () => {
    let now = Date.parse("2026-11-20T10:00:00Z");
    const secrets = createCallbackSecrets(table.openForRequests(), () => now);
    const first = await secrets.current(3);
    const second = await secrets.replace(3);
    now += 12 * 3_600_000;
    const third = await secrets.replace(3);
    expect(await secrets.signing(3, createdAt)).toEqual([third, second, first]);
    now += 12 * 3_600_000 + 1_000;
    expect(await secrets.signing(3, createdAt)).toEqual([third, second]);
    expect(await secrets.current(3)).toBe(third);
  });

  it("is not another account's, and none is lost when several are created at once", async () => {
    const secrets = createCallbackSecrets(table.openForRequests());
    const first = await secrets.current(4);
    const replaced = await Promise.allSettled([secrets.replace(4), secrets.replace(4)]);
    const created = replaced.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect((await secrets.signing(4, createdAt))?.toSorted()).toEqual([first, ...created].toSorted());
  });
});

describe("The end of an account's callbacks", () => {
  it("replaces the secret at once, and no callback of an earlier job is signed again", async () => {
    const secrets = createCallbackSecrets(table.openForRequests());
    const known = [await secrets.current(5), await secrets.replace(5)];
    await table.open().update(callbacksEnd(5));
    const later = new Date(Date.now() + 1_000).toISOString();
    const [secret = "", ...more] = (await secrets.signing(5, later)) ?? [];
    expect(more).toEqual([]);
    expect(known).not.toContain(secret);
    expect(await secrets.current(5)).toBe(secret);
    expect(await secrets.signing(5, createdAt)).toEqual([]);
    expect(await secrets.replace(5)).not.toBe(secret);
    expect(await secrets.signing(5, createdAt)).toEqual([]);
  });
});

describe("The log of deliveries", () => {
  it("has each attempt in order, and the callback's status", async () => {
    const log = createDeliveryLog(table.openForRequests());
    expect(await log.read(5, "job")).toEqual({ status: "pending", deliveries: [] });
    const attempts = [
      { at: "2026-11-20T10:00:00.000Z", error: "The receiver did not respond in time." },
      { at: "2026-11-20T10:00:30.000Z", status_code: 204 },
    ] as const;
    const of = { url: "https://example.org/hook", event: "job.completed" } as const;
    await log.add(5, "job", attempts[0], "pending", of);
    await log.add(5, "job", attempts[1], "delivered", of);
    expect(await log.read(5, "job")).toEqual({ status: "delivered", deliveries: attempts });
  });
});
