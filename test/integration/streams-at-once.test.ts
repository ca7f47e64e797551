import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chatEndpoints } from "../../functions/chat/endpoints.ts";
import type { AccountType } from "../../shared/accounts/access/account-access.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import type { TokenClaims } from "../../shared/accounts/access/tokens.ts";
import { streamSlots } from "../../shared/accounts/limits/keys.ts";
import { createLimitCounters, createLimiter } from "../../shared/accounts/limits/limiter.ts";
import { maxStreamSeconds } from "../../shared/accounts/limits/policies.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import type { ChatEvent, ChatModels, ChatStream } from "../../shared/models/inference/chat.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { RequestTable } from "../../shared/platform/storage/table.ts";
import { lambdaContext, lambdaEvent } from "../support/lambda-event.ts";
import { stubStreamingRuntime } from "../support/lambda-stream.ts";
import { sourceOf } from "../support/sources.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
/** The table for several instances of functions: each has connections of its own. */
let instances: readonly RequestTable[];
beforeAll(async () => {
  table = await startTestTable();
  instances = Array.from({ length: 4 }, () => table.openForRequests());
  stubStreamingRuntime();
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await table.close();
});

const start = Date.parse("2026-11-20T10:00:30Z");

const newAccount = async (type: AccountType = "Free"): Promise<TokenClaims> => {
  const id = await createTestAccount(table.open(), type);
  return { userId: id, tokenId: "first", tokenEpoch: 0 };
};

const stored = async ({ userId }: TokenClaims) => (await table.read(accountKeys.access(userId))) ?? {};
const slotsOf = async (token: TokenClaims): Promise<string[]> => {
  const { streams } = await stored(token);
  return streams instanceof Set ? Array.from(streams, String) : [];
};

const limiterAt = (now: number, instance = 0) => {
  const chosen = instances[instance % instances.length];
  if (!chosen) throw new Error("There are no instances.");
  return createLimiter(createLimitCounters(chosen), { now: () => now, timeoutMilliseconds: 20_000 });
};
const begin = (token: TokenClaims, now = start, instance = 0, mayStream = true) =>
  limiterAt(now, instance).admit({
    limitClass: "task",
    credential: token,
    operationId: "createChatCompletion",
    mayStream,
  });

describe("streams of one account", () => {
  it.each([
    ["Free", 5],
    ["Premium", 25],
  ] as const)("of the tier %s: of fifty that begin at once exactly %i are admitted", async (type, max) => {
    const token = await newAccount(type);
    // Half as many in each minute, so that no other limit applies.
    const admissions = await Promise.all(
      Array.from({ length: 50 }, (_, index) => begin(token, start + (index % 2) * 60_000, index)),
    );
    const admitted = admissions.filter(({ refusal }) => refusal === undefined);
    expect(admitted).toHaveLength(max);
    expect((await slotsOf(token)).toSorted()).toEqual(admitted.map(({ slot }) => slot ?? "none").toSorted());
    for (const { refusal } of admissions.filter((admission) => !admitted.includes(admission))) {
      expect(refusal).toMatchObject({ code: "rate_limited", retryAfterSeconds: 5 });
    }
    // What was refused took nothing from the quota.
    expect(await stored(token)).toMatchObject({ "M2026-11": max });

    await Promise.all(admitted.map((admission, index) => limiterAt(start, index).release(admission)));
    expect(await slotsOf(token)).toEqual([]);
    expect((await begin(token, start + 120_000)).refusal).toBeUndefined();
  });

  it("are admitted exactly while there are fewer than its tier allows, however many those are", async () => {
    const own = table.open();
    const token = await newAccount();
    const item = await stored(token);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(["Free", 5], ["Premium", 25], ["Admin", Number.POSITIVE_INFINITY] as const),
        fc.nat(40),
        fc.boolean(),
        async ([type, max], count, isVerified) => {
          const streams = Array.from({ length: count }, () => streamSlots.take(start));
          const Item = {
            ...item,
            account_type: type,
            email_verified: isVerified,
            ...(count === 0 ? {} : { streams: new Set(streams) }),
          };
          await own.put(Item);
          const { refusal, slot } = await begin(token);
          expect(refusal === undefined).toBe(count < Number(max));
          expect((await slotsOf(token)).toSorted()).toEqual(
            (slot === undefined ? streams : [...streams, slot]).toSorted(),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it("of an operator are as many as it wants", async () => {
    const token = await newAccount("Admin");
    const admissions = await Promise.all(
      Array.from({ length: 60 }, (_, index) => begin(token, start, index)),
    );
    expect(admissions.filter(({ refusal }) => refusal)).toEqual([]);
    expect(await slotsOf(token)).toHaveLength(60);
  });

  it("that end and begin in any order never are more than five, and leave nothing behind", async () => {
    const token = await newAccount();
    let open = 0;
    let max = 0;
    let admitted = 0;
    const people = Array.from({ length: 12 }, async (_, person) => {
      for (let turn = 0; turn < 4; turn += 1) {
        const limiter = limiterAt(start + turn * 60_000, person);
        const admission = await begin(token, start + turn * 60_000, person);
        if (admission.refusal) continue;
        admitted += 1;
        open += 1;
        max = Math.max(max, open);
        await sleep(1);
        // From here on it may have been released already, before anyone knows.
        open -= 1;
        await limiter.release(admission);
      }
    });
    await Promise.all(people);
    expect(max).toBeLessThanOrEqual(5);
    expect(admitted).toBeGreaterThanOrEqual(5);
    expect(await slotsOf(token)).toEqual([]);
  });

  it("take no place of another account", async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    for (let count = 0; count < 5; count += 1) await begin(one);
    expect((await begin(one)).refusal).toMatchObject({ code: "rate_limited" });
    const admission = await begin(other);
    expect(admission.refusal).toBeUndefined();
    await limiterAt(start).release(admission);
    expect(await slotsOf(one)).toHaveLength(5);
    expect(await slotsOf(other)).toEqual([]);
  });

  it("release a slot once, in any number of calls", async () => {
    const token = await newAccount();
    const [first, second] = [await begin(token), await begin(token)];
    const limiter = limiterAt(start);
    await Promise.all([limiter.release(first), limiter.release(first), limiter.release(first)]);
    expect(await slotsOf(token)).toEqual([second.slot]);
  });

  it("are admitted when the write that took the last place had to be sent twice", async () => {
    const token = await newAccount();
    for (let count = 0; count < 4; count += 1) await begin(token);
    const twice: RequestTable = {
      ...table.openForRequests(),
      updateWithFallback: async (...given) => {
        await table.openForRequests().updateWithFallback(...given);
        return table.openForRequests().updateWithFallback(...given);
      },
    };
    const limiter = createLimiter(createLimitCounters(twice), {
      now: () => start,
      timeoutMilliseconds: 20_000,
    });
    const request = {
      limitClass: "task",
      credential: token,
      operationId: "createChatCompletion",
      mayStream: true,
    } as const;
    const { refusal, slot } = await limiter.admit(request);
    expect(refusal).toBeUndefined();
    expect(await slotsOf(token)).toContain(slot);
    expect((await limiter.admit(request)).refusal).toMatchObject({ code: "rate_limited" });
  });

  it("of an account that was deleted meanwhile do not bring it back", async () => {
    const token = await newAccount();
    const admission = await begin(token);
    await table.openForRequests().delete(accountKeys.access(token.userId));
    await limiterAt(start).release(admission);
    expect(await stored(token)).toEqual({});
  });
});

describe("slots left behind by a killed function", () => {
  const later = (seconds: number) => start + seconds * 1_000;

  it("exist until its maximum time has passed, and are free at most a minute after that", async () => {
    const token = await newAccount();
    for (let count = 0; count < 5; count += 1) await begin(token);
    expect((await begin(token, later(maxStreamSeconds - 1))).refusal).toMatchObject({
      code: "rate_limited",
    });
    const { refusal, slot } = await begin(token, later(maxStreamSeconds + 60));
    expect(refusal).toBeUndefined();
    expect(await slotsOf(token)).toEqual([slot]);
  });

  it("are given out once, to as many as there are", async () => {
    const token = await newAccount();
    for (let count = 0; count < 3; count += 1) await begin(token);
    const after = later(maxStreamSeconds + 60);
    const alive = [await begin(token, after), await begin(token, after)];
    const admissions = await Promise.all(
      Array.from({ length: 20 }, (_, index) => begin(token, after, index)),
    );
    const admitted = [...alive, ...admissions].filter(({ refusal }) => refusal === undefined);
    expect(admitted).toHaveLength(5);
    expect((await slotsOf(token)).toSorted()).toEqual(admitted.map(({ slot }) => slot).toSorted());
  });

  it("are removed with the first request of a minute, of any kind", async () => {
    const token = await newAccount("Admin");
    for (let count = 0; count < 10; count += 1) await begin(token);
    const alive = await begin(token, later(maxStreamSeconds));
    const after = later(maxStreamSeconds + 60);
    await limiterAt(after).release(await begin(token, after, 0, false));
    expect(await slotsOf(token)).toEqual([alive.slot]);
  });
});

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const streamOf = (make: () => AsyncGenerator<readonly ChatEvent[], void>): ChatStream => sourceOf(make());
const piece: readonly ChatEvent[] = [{ type: "text-delta", text: "Oli" }];

describe("a chat through the function", () => {
  const modelsWith = (streamReply: ChatModels["streamReply"]): ChatModels => ({
    reply: async () => ({ text: "Bulungi.", finishReason: "stop", usage }),
    streamReply,
  });

  const newLimiter = () =>
    createLimiter(createLimitCounters(table.openForRequests()), { timeoutMilliseconds: 20_000 });

  /** An account that has sent something today: its first request notes it for bills, with a further write. */
  const newActiveAccount = async (): Promise<TokenClaims> => {
    const token = await newAccount();
    await begin(token, Date.now(), 0, false);
    return token;
  };

  /** Sends a chat, and returns what its account held when the model started, and at the end. */
  const chat = async (
    token: TokenClaims,
    models: ChatModels,
    isStream: boolean,
    isGone = false,
    limiter = newLimiter(),
  ) => {
    const handler: (...args: never[]) => unknown = createStreamingHandler(chatEndpoints({ models }), {
      limiter,
    });
    const event = lambdaEvent({
      path: "/tasks/chat/completions",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "Oli otya?" }], stream: isStream }),
      authorizer: { userId: String(token.userId), tokenId: token.tokenId, tokenEpoch: "0" },
    });
    const stream = new PassThrough();
    let status = 0;
    stream.once("metadata", (metadata: { statusCode: number }) => {
      status = metadata.statusCode;
    });
    const read = text(stream).catch(() => "");
    if (isGone) stream.once("data", () => stream.destroy());
    table.calls.length = 0;
    await Promise.resolve(Reflect.apply(handler, undefined, [event, stream, lambdaContext(60_000)]));
    const calls = [...table.calls];
    stream.destroy();
    return { status, body: await read, calls };
  };

  const endings: readonly (readonly [
    string,
    (signal: AbortSignal) => Promise<ChatStream>,
    boolean,
    number,
    boolean,
  ])[] = [
    [
      "is whole",
      async () =>
        streamOf(async function* () {
          yield piece;
          yield [
            { type: "finish", finishReason: "stop" },
            { type: "usage", usage },
          ];
        }),
      false,
      200,
      false,
    ],
    [
      "is broken off by its model",
      async () =>
        streamOf(async function* () {
          yield piece;
          throw new AppError("external_service_error");
        }),
      false,
      200,
      true,
    ],
    [
      "loses its reader",
      async (signal) =>
        streamOf(async function* () {
          yield piece;
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        }),
      true,
      200,
      false,
    ],
    [
      "fails before its first byte",
      () => Promise.reject(new AppError("external_service_error")),
      false,
      502,
      true,
    ],
  ];

  it.each(endings)(
    "that is streamed pays one write when it begins and one when it %s, and holds nothing then",
    async (_case, respond, isGone, status, isRefunded) => {
      const token = await newActiveAccount();
      let held: string[] = [];
      const models = modelsWith(async (_request, { signal }) => {
        held = await slotsOf(token);
        return respond(signal);
      });
      const { calls, ...outcome } = await chat(token, models, true, isGone);
      expect(outcome.status).toBe(status);
      expect(held).toHaveLength(1);
      expect(await slotsOf(token)).toEqual([]);
      // A failure before any model started is refunded to the quota by a write of its own.
      expect(calls).toEqual(Array.from({ length: isRefunded ? 3 : 2 }, () => "UpdateItem"));
    },
  );

  it("with a whole response takes no slot, and pays one write where its account is busy", async () => {
    const token = await newActiveAccount();
    const none = modelsWith(() => Promise.reject(new Error("The test requests no stream.")));
    const limiter = newLimiter();
    await chat(token, none, false, false, limiter);
    const { status, calls } = await chat(token, none, false, false, limiter);
    expect(status).toBe(200);
    expect(calls).toEqual(["UpdateItem"]);
    expect(await stored(token)).not.toHaveProperty("streams");
  });

  it("that is streamed in the sixth slot gets an ordinary error, and whole ones still work", async () => {
    const token = await newAccount();
    const now = Date.now();
    for (let count = 0; count < 5; count += 1) await begin(token, now);
    const none = modelsWith(() => Promise.reject(new Error("Nothing must be streamed.")));
    const { status, body, calls } = await chat(token, none, true);
    expect(status).toBe(429);
    expect(JSON.parse(body)).toMatchObject({
      detail: "Too many streams: at most 5 at a time. End one, or wait until one has ended.",
      error: { code: "rate_limited" },
    });
    expect(calls).toEqual(["UpdateItem"]);
    expect((await chat(token, none, false)).status).toBe(200);
  });
});
