import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it } from "vitest";
import { pausesInSeconds } from "../../../../functions/callback/contract.ts";
import {
  type CallbackDependencies,
  deliverCallback,
} from "../../../../functions/callback/deliver-callback.ts";
import { CallbackError, type OutgoingCallback } from "../../../../functions/callback/post-callback.ts";
import type { CallbackRequest } from "../../../../shared/recordings/callbacks/callback-queue.ts";
import type { CallbackState } from "../../../../shared/recordings/callbacks/deliveries.ts";
import { makeSecret } from "../../../../shared/recordings/callbacks/signature.ts";

const request: CallbackRequest = {
  userId: 7,
  jobId: "0f8b",
  url: "https://example.org/hook",
  event: "job.completed",
  occurredAt: "2026-11-20T10:00:00.000Z",
  data: { id: "0f8b", status: "completed", created_at: "2026-11-20T09:00:00.000Z", note: "wébale" },
};

let state: CallbackState;
let sent: OutgoingCallback[];
beforeEach(() => {
  state = { status: "pending", deliveries: [] };
  sent = [];
});

const secrets = [makeSecret(), makeSecret()];

const dependencies = (respond: () => number, signing: readonly string[] = secrets): CallbackDependencies => ({
  secrets: { signing: async () => [...signing] },
  log: {
    read: async () => state,
    add: async (_userId, _jobId, entry, status) => {
      state = { status, deliveries: [...state.deliveries, entry] };
    },
  },
  slots: { take: async () => "a-slot", release: async () => undefined },
  post: async (callback) => {
    sent.push(callback);
    return respond();
  },
});

describe("A callback", () => {
  it.each(secrets)(
    "is verified by the library of Standard Webhooks, with the new secret and the one before",
    async (secret) => {
      expect(
        await deliverCallback(
          request,
          1,
          dependencies(() => 204),
        ),
      ).toBeUndefined();
      const [callback] = sent;
      expect(new Webhook(secret).verify(callback?.body ?? "", { ...callback?.headers })).toEqual({
        type: "job.completed",
        timestamp: request.occurredAt,
        data: request.data,
      });
      expect(callback?.headers).toMatchObject({
        "content-type": "application/json",
        "webhook-id": "msg_0f8b_job_completed",
      });
      expect(state).toMatchObject({ status: "delivered", deliveries: [{ status_code: 204 }] });
    },
  );

  it("that was changed on its way is not", async () => {
    await deliverCallback(
      request,
      1,
      dependencies(() => 200),
    );
    const [callback] = sent;
    const changed = callback?.body.replace("completed", "failed") ?? "";
    expect(() => new Webhook(secrets[0] ?? "").verify(changed, { ...callback?.headers })).toThrow(
      /signature/i,
    );
  });

  it("that is not taken is tried over a day, and then given up", async () => {
    const refuse = dependencies(() => 503);
    for (const [index, seconds] of pausesInSeconds.entries()) {
      expect(await deliverCallback(request, index + 1, refuse)).toBe(seconds);
      expect(state.status).toBe("pending");
    }
    const hours = pausesInSeconds.reduce((sum, seconds) => sum + seconds, 0) / 3_600;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(25);
    expect(await deliverCallback(request, pausesInSeconds.length + 1, refuse)).toBeUndefined();
    expect(state).toMatchObject({ status: "failed", deliveries: { length: pausesInSeconds.length + 1 } });
  });

  it("has the same id at each attempt, and a time of its own", async () => {
    const at = [new Date("2026-11-20T10:00:01Z"), new Date("2026-11-20T10:00:31Z")];
    for (const now of at) await deliverCallback(request, 1, { ...dependencies(() => 500), now: () => now });
    expect(sent.map(({ headers }) => headers["webhook-id"])).toEqual(Array(2).fill("msg_0f8b_job_completed"));
    expect(sent.map(({ headers }) => headers["webhook-timestamp"])).toEqual(
      at.map((time) => String(time.getTime() / 1_000)),
    );
  });

  it("has failed, without another attempt, when the owner of the address ended it", async () => {
    const ended = dependencies(() => 204, []);
    expect(await deliverCallback(request, 1, ended)).toBeUndefined();
    expect(sent).toEqual([]);
    expect(state).toEqual({
      status: "failed",
      deliveries: [{ at: expect.any(String), error: "The account's owner ended its callbacks." }],
    });
    expect(await deliverCallback(request, 2, ended)).toBeUndefined();
    expect(state.deliveries).toHaveLength(1);
  });

  it("writes nothing for an account that is gone", async () => {
    const gone = { ...dependencies(() => 204), secrets: { signing: async () => undefined } };
    expect(await deliverCallback(request, 1, gone)).toBeUndefined();
    expect(sent).toEqual([]);
    expect(state).toEqual({ status: "pending", deliveries: [] });
  });

  it("is not tried again when the receiver says that it is gone", async () => {
    expect(
      await deliverCallback(
        request,
        1,
        dependencies(() => 410),
      ),
    ).toBeUndefined();
    expect(state).toMatchObject({ status: "failed", deliveries: [{ status_code: 410 }] });
  });

  it("shows its account why there was no response", async () => {
    const silent = dependencies(() => {
      throw new CallbackError("The receiver did not respond in time.");
    });
    expect(await deliverCallback(request, 1, silent)).toBe(30);
    expect(state.deliveries).toMatchObject([{ error: "The receiver did not respond in time." }]);
  });

  it("that was delivered is not sent again when the queue brings it again", async () => {
    await deliverCallback(
      request,
      1,
      dependencies(() => 204),
    );
    expect(
      await deliverCallback(
        request,
        2,
        dependencies(() => 204),
      ),
    ).toBeUndefined();
    expect(sent).toHaveLength(1);
  });
});
