import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCallbackSlots } from "../../functions/callback/callback-slots.ts";
import { deliverCallback } from "../../functions/callback/deliver-callback.ts";
import { CallbackError } from "../../functions/callback/post-callback.ts";
import { createCallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import { createDeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { callbackKeys } from "../../shared/recordings/callbacks/keys.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

const start = Date.parse("2026-11-20T10:00:00Z");

/** Sends the callbacks of accounts to receivers of which some stay silent, until the test ends the silence. */
const openCallbacks = async (users: readonly number[]) => {
  const items = table.openForRequests();
  const secrets = createCallbackSecrets(items);
  for (const userId of users) await secrets.current(userId);
  const silence = Promise.withResolvers<never>();
  // A test may end the silence before anything is sent.
  silence.promise.catch(() => undefined);
  const posted: string[] = [];
  const deliver = (userId: number, jobId: string, { isSilent = false, receives = 1, now = start } = {}) =>
    deliverCallback(
      {
        userId,
        jobId,
        url: "https://example.org/hook",
        event: "job.completed",
        occurredAt: "2026-11-20T10:00:00.000Z",
        data: { created_at: "2026-11-20T09:00:00.000Z" },
      },
      receives,
      {
        secrets,
        log: createDeliveryLog(items),
        slots: createCallbackSlots(items, () => now),
        post: () => {
          posted.push(jobId);
          return isSilent ? silence.promise : Promise.resolve(204);
        },
      },
    );
  const isPosted = (count: number) => expect.poll(() => posted.length).toBe(count);
  const end = () => silence.reject(new CallbackError("The receiver did not respond in time."));
  return { deliver, posted, isPosted, end };
};

describe("the log of a callback's attempts", () => {
  it("is stored for thirty days after the last attempt", async () => {
    const items = table.openForRequests();
    const log = createDeliveryLog(items, () => start);
    const of = { url: "https://example.org/hook", event: "job.completed" } as const;
    await log.add(103, "logged", { at: "2026-11-20T10:00:00.000Z", status_code: 500 }, "pending", of);
    await log.add(103, "logged", { at: "2026-11-20T10:00:30.000Z", status_code: 204 }, "delivered", of);
    const item = await items.read({ Key: callbackKeys.deliveries(103, "logged") });
    expect(item).toMatchObject({ expires_at: start / 1_000 + 30 * 86_400 });
    expect(await log.read(103, "logged")).toMatchObject({
      status: "delivered",
      deliveries: [{ status_code: 500 }, { status_code: 204 }],
    });
  });
});

describe("the callbacks of one account whose receivers stay silent", () => {
  it("are sent three at a time; the others wait, and another account's are sent at once", async () => {
    const { deliver, posted, isPosted, end } = await openCallbacks([101, 102]);
    const jobs = Array.from({ length: 46 }, (_, index) => `silent-${index}`);
    let waiting = 0;
    const sent = jobs.map(async (jobId) => {
      const seconds = await deliver(101, jobId, { isSilent: true });
      waiting += 1;
      return seconds;
    });
    await expect.poll(() => waiting, { timeout: 20_000 }).toBe(43);
    await isPosted(3);
    expect(await deliver(102, "other")).toBeUndefined();
    expect(posted).toContain("other");
    end();
    const pauses = await Promise.all(sent);
    expect(posted).toHaveLength(4);
    // The first three were attempted; nothing was attempted for those that wait.
    expect(pauses.filter((seconds) => seconds === 30)).toHaveLength(3);
    expect(pauses.filter((seconds) => (seconds ?? 0) < 30)).toHaveLength(43);
    const waited = jobs.find((jobId) => !posted.includes(jobId)) ?? "";
    expect(await createDeliveryLog(table.open()).read(101, waited)).toEqual({
      status: "pending",
      deliveries: [],
    });
  });

  it("count attempts, and not how often they have waited", async () => {
    const { deliver, end } = await openCallbacks([103]);
    const sent = deliver(103, "job", { isSilent: true, receives: 12 });
    end();
    expect(await sent).toBe(30);
  });

  it("do not wait for attempts whose function was killed a minute ago", async () => {
    const { deliver, isPosted } = await openCallbacks([104]);
    for (let job = 0; job < 3; job += 1)
      void deliver(104, `killed-${job}`, { isSilent: true }).catch(() => 0);
    await isPosted(3);
    expect(await deliver(104, "later", { now: start + 30_000 })).toBeLessThan(30);
    expect(await deliver(104, "later", { now: start + 60_000, receives: 2 })).toBeUndefined();
  });
});
