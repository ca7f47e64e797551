import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createIdempotencyStore,
  type IdempotentRequest,
} from "../../../../shared/http/idempotency/idempotency-store.ts";
import { openResponse, sealResponse } from "../../../../shared/http/idempotency/sealed-response.ts";
import type { ItemUpdate, WriteResult } from "../../../../shared/platform/storage/table.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import { withOwnTimers } from "../../../support/own-timers.ts";

const request: IdempotentRequest = {
  userId: 7,
  operationId: "translate",
  idempotencyKey: "one",
  content: { text: "Thank you" },
  isConfidential: false,
  milliseconds: 330_000,
};
const response = { status: 200, headers: { "X-Storage-Object": "speech/a" }, body: '{"text":"Webale"}\n' };
const noStore = {
  put: () => Promise.reject(new Error("No answer is large.")),
  delete: () => Promise.reject(new Error("No answer is large.")),
  stream: () => {
    throw new Error("No answer is large.");
  },
};

/** The item that an update would leave behind. */
const itemOf = ({ ExpressionAttributeValues = {} }: ItemUpdate) => ({
  fingerprint: ExpressionAttributeValues[":fingerprint"],
  holder: ExpressionAttributeValues[":holder"],
  held_until: ExpressionAttributeValues[":until"],
});
const over = (update: (change: ItemUpdate) => Promise<WriteResult>) =>
  createIdempotencyStore({ table: { update }, store: noStore });

afterEach(() => {
  vi.restoreAllMocks();
});

describe("An idempotent request", () => {
  it("is the first one although the response to its lock was lost, and the lock is found to be its own", async () => {
    const { begin } = over(async (change) => ({ applied: false, item: itemOf(change) }));
    expect((await begin(request)).kind).toBe("first");
  });

  it("does not run when it is unknown whether it is the first", async () => {
    const { begin } = over(() => Promise.reject(new Error("The table is not there.")));
    await expect(begin(request)).rejects.toThrow("The table is not there.");
  });

  it.each([
    ["keep", "idempotency.not_kept"],
    ["release", "idempotency.not_released"],
  ] as const)("does not fail when the table will not %s it, which is logged", async (step, event) => {
    const logged = vi.spyOn(logger, "error").mockReturnValue(undefined);
    let calls = 0;
    const { begin } = over(async (change) => {
      calls += 1;
      if (calls > 1) throw new Error("The table is gone.");
      return { applied: true, item: itemOf(change) };
    });
    const started = await begin(request);
    if (started.kind !== "first") throw new Error("It is the first.");
    await (step === "keep" ? started.lock.keep(response) : started.lock.release());
    expect(logged).toHaveBeenCalledExactlyOnceWith(event, {
      reason: expect.objectContaining({ message: "The table is gone." }),
    });
  });

  it("has a lock that ends with its function, and says so to a repetition shortly before", async () => {
    const held: unknown[] = [];
    const now = 1_795_200_000_000;
    const { begin } = createIdempotencyStore({
      table: {
        update: async (change) => {
          held.push(change.ExpressionAttributeValues?.[":until"]);
          const fingerprint = itemOf(change).fingerprint;
          return { applied: false, item: { fingerprint, holder: "another", held_until: now / 1_000 + 2 } };
        },
      },
      store: noStore,
      now: () => now,
    });
    expect(await begin(request)).toEqual({ kind: "in-progress", retryAfterSeconds: 2 });
    expect(held).toEqual([now / 1_000 + 330]);
  });
});

describe("A large replayed response", () => {
  it("is not awaited without end when the store sends it byte by byte", () =>
    withOwnTimers(async (waiting) => {
      const { begin } = createIdempotencyStore({
        table: {
          update: async (change) => ({
            applied: false,
            item: { ...itemOf(change), holder: "another", answer_object: "answers/7/a" },
          }),
        },
        store: {
          ...noStore,
          stream: async function* (_key, { signal }) {
            for (;;) {
              await new Promise((resolve) => setTimeout(resolve, 1_000));
              signal.throwIfAborted();
              yield new Uint8Array(1);
            }
          },
        },
      });
      const failed = begin(request).catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await failed).toMatchObject({ code: "service_unavailable", retryAfterSeconds: 5 });
      expect(waiting()).toBe(0);
    }));
});

describe("A sealed response", () => {
  const use = { idempotencyKey: "one", itemKey: "IDEM#USER#7 a", secrets: undefined };
  const secretsOf = (known: readonly string[], newest = known) => ({
    get: async () => known,
    reload: async () => newest,
  });

  it("opens as it was, line breaks included", async () => {
    expect(await openResponse(await sealResponse(response, use), use)).toEqual(response);
  });

  it.each([
    ["another key", { ...use, idempotencyKey: "two" }],
    ["another place", { ...use, itemKey: "IDEM#USER#8 a" }],
    ["a secret that it was sealed without", { ...use, secrets: secretsOf(["secret"]) }],
  ])("does not open with %s", async (_what, other) => {
    await expect(openResponse(await sealResponse(response, use), other)).rejects.toThrow("cannot be opened");
  });

  it("does not open when a bit of it was changed", async () => {
    const sealed = await sealResponse(response, use);
    sealed.writeUInt8(sealed.readUInt8(40) ^ 1, 40);
    await expect(openResponse(sealed, use)).rejects.toThrow("cannot be opened");
  });

  it("looks different each time, so that equal responses cannot be recognised", async () => {
    expect(await sealResponse(response, use)).not.toEqual(await sealResponse(response, use));
  });

  it("opens with a secret that only another process has heard of, and with the one before it", async () => {
    const sealed = await sealResponse(response, { ...use, secrets: secretsOf(["new"]) });
    expect(await openResponse(sealed, { ...use, secrets: secretsOf(["old"], ["new", "old"]) })).toEqual(
      response,
    );
    expect(await openResponse(sealed, { ...use, secrets: secretsOf(["newer", "new"]) })).toEqual(response);
    await expect(openResponse(sealed, { ...use, secrets: secretsOf(["other"]) })).rejects.toThrow();
  });
});
