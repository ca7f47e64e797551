import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { chatCompletionRequest, createChatCompletionOperation } from "../../../../functions/chat/contract.ts";
import { createV1ChatCompletionOperation } from "../../../../functions/chat/v1/chat-contract.ts";
import { createResponseOperation } from "../../../../functions/chat/v1/responses-contract.ts";
import { functionDefinitions, operations } from "../../../../functions/manifest.ts";
import { speechRequest, synthesizeOperation } from "../../../../functions/speech/contract.ts";
import { streamSlots } from "../../../../shared/accounts/limits/keys.ts";
import type { Counts } from "../../../../shared/accounts/limits/limit-counters.ts";
import { createLimiter } from "../../../../shared/accounts/limits/limiter.ts";
import { maxStreamSeconds } from "../../../../shared/accounts/limits/policies.ts";
import { windowsAt } from "../../../../shared/accounts/limits/windows.ts";
import { endpoint } from "../../../../shared/http/endpoint.ts";
import type { BodyChunks, Endpoint } from "../../../../shared/http/exchange.ts";
import { requireLimits } from "../../../../shared/http/limit-requests.ts";
import { defineOperation, type Operation } from "../../../../shared/http/operation.ts";
import { createStreamingHandler } from "../../../../shared/http/pipeline.ts";
import { Reply } from "../../../../shared/http/response.ts";
import { AppError } from "../../../../shared/platform/errors/app-error.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import { exampleOperation } from "../../../support/example-operation.ts";
import { type FakeCounters, fakeCounters } from "../../../support/fake-counters.ts";
import { lambdaContext, lambdaEvent } from "../../../support/lambda-event.ts";
import { stubStreamingRuntime } from "../../../support/lambda-stream.ts";
import { authorizedCaller } from "../../../support/send.ts";
import { unlimited } from "../../../support/unlimited.ts";

const declared: readonly Operation[] = operations;

beforeEach(() => {
  stubStreamingRuntime();
  for (const level of ["info", "warn", "error"] as const) vi.spyOn(logger, level).mockReturnValue();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const operation = defineOperation({
  ...exampleOperation,
  path: "/tasks/example",
  auth: "user",
  scope: "translate",
  body: { encoding: "json", schema: z.object({ stream: z.boolean() }) },
  response: { status: 200, description: "It", schema: z.object({ text: z.string() }) },
  streams: /"stream"\s*:\s*true/,
});

const reply = (body: BodyChunks): Reply => new Reply({ contentType: "text/plain", body });
const streaming = (execute: (signal: AbortSignal) => Reply | Promise<Reply | { text: string }>): Endpoint =>
  endpoint(operation, ({ request }) => execute(request.signal));

interface Ask {
  readonly body?: string | Buffer;
  readonly counters?: FakeCounters;
  readonly remainingMilliseconds?: number;
  /** What the caller does during its stream. */
  readonly whileOpen?: (stream: PassThrough) => void;
}

/** Sends a request through the whole stack of a streaming function, and returns which slots it took and released. */
const ask = async (
  requested: Endpoint,
  { body = '{"stream": true}', counters = fakeCounters(), remainingMilliseconds, whileOpen }: Ask = {},
) => {
  const handler: (...args: never[]) => unknown = createStreamingHandler([requested], {
    limiter: createLimiter(counters),
  });
  const stream = new PassThrough();
  let status = 0;
  stream.once("metadata", (metadata: { statusCode: number }) => {
    status = metadata.statusCode;
  });
  const read = text(stream).catch(() => "");
  whileOpen?.(stream);
  const event = lambdaEvent({
    path: operation.path,
    headers: {
      "Content-Type": "application/json",
      ...(Buffer.isBuffer(body) ? { "Content-Encoding": "gzip" } : {}),
    },
    body,
    authorizer: authorizedCaller,
  });
  const context = lambdaContext(remainingMilliseconds);
  const outcome = await Promise.resolve(Reflect.apply(handler, undefined, [event, stream, context])).then(
    () => "answered",
    () => "broken off",
  );
  stream.destroy();
  await read;
  const taken = counters.accounts.flatMap(({ slot }) => (slot === undefined ? [] : [slot]));
  return { status, outcome, taken, released: counters.released };
};

const endings: readonly (readonly [string, Endpoint, Ask, { status: number; outcome: string }])[] = [
  [
    "comes to its end",
    streaming(() =>
      reply(
        (async function* () {
          yield "Oli ";
          yield "otya?";
        })(),
      ),
    ),
    {},
    { status: 200, outcome: "answered" },
  ],
  [
    "tells of a failure of its model, or of its time limit",
    streaming(() =>
      reply(
        (async function* () {
          yield "Oli";
          return new AppError("external_service_error");
        })(),
      ),
    ),
    {},
    { status: 200, outcome: "answered" },
  ],
  [
    "breaks off",
    streaming(() =>
      reply(
        (async function* () {
          yield "Oli";
          throw new Error("The model is gone.");
        })(),
      ),
    ),
    {},
    { status: 200, outcome: "broken off" },
  ],
  [
    "loses its reader",
    streaming(() => {
      const gone = Promise.withResolvers<IteratorResult<string>>();
      const end = async () => {
        gone.resolve({ done: true, value: undefined });
        return { done: true as const, value: undefined };
      };
      return reply({ [Symbol.asyncIterator]: () => ({ next: () => gone.promise, return: end }) });
    }),
    {
      whileOpen: (stream) => {
        stream.once("metadata", () => setImmediate(() => stream.destroy()));
      },
    },
    { status: 200, outcome: "answered" },
  ],
  [
    "runs out of the function's time before it begins",
    streaming(() => new Promise(() => undefined)),
    { remainingMilliseconds: 1_050 },
    { status: 503, outcome: "answered" },
  ],
  [
    "fails before its first byte, as a model's server does",
    streaming(() => Promise.reject(new AppError("external_service_error"))),
    {},
    { status: 502, outcome: "answered" },
  ],
  [
    "fails before its first byte for a fault of ours",
    streaming(() => Promise.reject(new TypeError("A bug."))),
    {},
    { status: 500, outcome: "answered" },
  ],
  [
    "is refused for its form",
    streaming(() => Promise.reject(new Error("It must not be executed."))),
    { body: '{"stream": true' },
    { status: 422, outcome: "answered" },
  ],
  [
    "turns out to be answered as a whole",
    streaming(async () => ({ text: "Oli otya?" })),
    { body: gzipSync('{"stream": false}') },
    { status: 200, outcome: "answered" },
  ],
];

describe("a stream", () => {
  it.each(endings)(
    "takes one slot and releases it when it %s",
    async (_case, requested, options, expected) => {
      const { taken, released, ...outcome } = await ask(requested, options);
      expect(outcome).toEqual(expected);
      expect(taken).toEqual([expect.stringMatching(/^\d{10}\.[\w-]{8}$/)]);
      expect(released).toEqual(taken);
    },
  );

  it("releases its slot after its last byte, and not before", async () => {
    const counters = fakeCounters();
    const open = Promise.withResolvers<void>();
    const requested = streaming(() =>
      reply(
        (async function* () {
          yield "Oli";
          await open.promise;
        })(),
      ),
    );
    const response = ask(requested, {
      counters,
      whileOpen: (stream) => {
        stream.once("data", () => {
          setImmediate(() => {
            expect(counters.released).toEqual([]);
            open.resolve();
          });
        });
      },
    });
    expect(await response).toMatchObject({ outcome: "answered", released: [expect.any(String)] });
  });

  it("ends for its caller even if its slot cannot be released, which is logged", async () => {
    const requested = streaming(() => reply((async function* () {})()));
    const failing = {
      ...fakeCounters(),
      releaseSlots: () => Promise.reject(new Error("The table is on fire.")),
    };
    expect(await ask(requested, { counters: failing })).toMatchObject({ status: 200, outcome: "answered" });
    expect(logger.error).toHaveBeenCalledExactlyOnceWith("limits.place_not_released", {
      limit_class: "task",
      reason: expect.objectContaining({ message: "The table is on fire." }),
    });
  });

  it("waits for a silent table no longer than any other write", async () => {
    const counters = { ...fakeCounters(), releaseSlots: () => new Promise<void>(() => undefined) };
    const limiter = createLimiter(counters, { timeoutMilliseconds: 10 });
    const token = { userId: 7, tokenId: "a-token", tokenEpoch: 0 };
    const admission = await limiter.admit({
      limitClass: "task",
      credential: token,
      operationId: "x",
      mayStream: true,
    });
    await expect(limiter.release(admission)).resolves.toBeUndefined();
    expect(logger.error).toHaveBeenCalledExactlyOnceWith("limits.place_not_released", expect.anything());
  });

  it("that the table could not count releases what the lost write may have taken", async () => {
    const counters = fakeCounters(() => Promise.reject(new Error("No answer.")));
    const requested = streaming(() => reply((async function* () {})()));
    const { status, taken, released } = await ask(requested, { counters });
    expect(status).toBe(503);
    expect(taken).toHaveLength(1);
    expect(released).toEqual(taken);
  });
});

describe("the refusal of one stream too many", () => {
  const now = Date.parse("2026-11-20T23:00:15Z");
  const token = { userId: 7, tokenId: "a-token", tokenEpoch: 0 };
  const refusalOf = async (counts: Partial<Counts>, type: "Free" | "Premium" | "Admin" = "Free") => {
    const counters = fakeCounters(async () => ({ counted: false, minute: 3, day: 3, month: 3, ...counts }), {
      account_type: type,
    });
    const request = { limitClass: "task", credential: token, operationId: "chat", mayStream: true } as const;
    return createLimiter(counters, { now: () => now }).admit(request);
  };

  it.each([
    ["Free", 5],
    ["Premium", 25],
  ] as const)("names the number of the tier %s, and when to try again", async (type, max) => {
    const { refusal, slot } = await refusalOf({ streams: max }, type);
    expect(refusal).toMatchObject({
      status: 429,
      code: "rate_limited",
      message: `Too many streams: at most ${max} at a time. End one, or wait until one has ended.`,
      retryAfterSeconds: 5,
    });
    expect(slot).toBeUndefined();
  });

  it("comes after the minute's, and is not invented when the quota applies", async () => {
    const minute = await refusalOf({ minute: 50, streams: 5 });
    expect(minute.refusal?.message).toBe("Rate limit exceeded: 50 per 1 minute");
    const day = await refusalOf({ day: 500, streams: 4 });
    expect(day.refusal?.message).toBe("Daily quota exceeded");
  });
});

describe("what a body's text says about a stream", () => {
  const escaped = (word: string): fc.Arbitrary<string> =>
    fc
      .tuple(...Array.from(word, (letter) => fc.tuple(fc.constant(letter), fc.boolean(), fc.boolean())))
      .map((letters) =>
        letters
          .map(([letter, isHidden, isUpper]) => {
            const hex = letter.charCodeAt(0).toString(16).padStart(4, "0");
            return isHidden ? `\\u${isUpper ? hex.toUpperCase() : hex}` : letter;
          })
          .join(""),
      );
  const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
  const others = fc.constantFrom("", '"text": "Oli", ', '"a": [1, {"stream": false}], ', '"ŋ": "\\u014b", ');
  const bodyWith = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(others, space, escaped(name), space, space, value, space)
      .map(([before, a, key, b, c, given, d]) => `{${before}${a}"${key}"${b}:${c}${given}${d}}`);

  const tookSlot = async (id: Operation, body: string): Promise<boolean> => {
    const requested: Endpoint = {
      operation: { ...operation, streams: id.streams ?? "always" },
      prepare: () => ({ tasks: 1, execute: async () => ({ text: "" }) }),
    };
    return (await ask(requested, { body })).taken.length === 1;
  };

  it.each([createChatCompletionOperation, createV1ChatCompletionOperation, createResponseOperation])(
    "is enough for every $id that is going to be streamed, however it is written",
    async (chat) => {
      const { stream } = chat.body?.schema.shape ?? chatCompletionRequest.shape;
      await fc.assert(
        fc.asyncProperty(bodyWith("stream", fc.constant("true")), async (body) => {
          expect(stream.parse(JSON.parse(body).stream)).toBe(true);
          expect(await tookSlot(chat, body)).toBe(true);
        }),
        { numRuns: 50 },
      );
    },
  );

  it("is enough for every speech that is going to be streamed, however it is written", async () => {
    const mode = fc
      .constantFrom("stream", "both")
      .chain(escaped)
      .map((value) => `"${value}"`);
    await fc.assert(
      fc.asyncProperty(bodyWith("response_mode", mode), async (body) => {
        expect(speechRequest.shape.response_mode.parse(JSON.parse(body).response_mode)).not.toBe("url");
        expect(await tookSlot(synthesizeOperation, body)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ["that says nothing of streams", createChatCompletionOperation, { messages: [] }],
    ["that requests a whole reply", createChatCompletionOperation, { stream: false }],
    ["that talks about streams", createChatCompletionOperation, { content: '{"stream": true}' }],
    ["of speech under a link", synthesizeOperation, { response_mode: "url", text: "stream, or both" }],
  ])("lets a body alone %s", async (_case, of, body) => {
    expect(await tookSlot(of, JSON.stringify(body))).toBe(false);
  });

  it("lets a body alone whose letters beyond ASCII are escapes, as Python writes them", async () => {
    expect(await tookSlot(createChatCompletionOperation, '{"content": "\\u014b\\u00e9\\u0301"}')).toBe(false);
  });
});

describe("every operation", () => {
  it("that may respond with audio or events declares when it streams, and is a task", () => {
    const streams = declared.filter(({ response }) =>
      response.otherContentTypes?.some((type) => type === "text/event-stream" || type === "audio/wav"),
    );
    expect(streams.length).toBeGreaterThan(4);
    expect(declared.filter(({ streams: when }) => when !== undefined)).toEqual(streams);
  });

  it("that streams is not started unless it is a task", () => {
    const open = { ...operation, auth: "user", limit: "account" } as const;
    expect(() => requireLimits([open], unlimited)).toThrow("must be a task");
    expect(() => requireLimits([operation], unlimited)).not.toThrow();
  });

  it("that streams belongs to a streaming function, which ends before its slot does", () => {
    const streamed: readonly Operation[] = declared.filter(({ streams: when }) => when !== undefined);
    const own = functionDefinitions.filter(
      ({ operations: some }: { readonly operations: readonly Operation[] }) =>
        some.some((one) => streamed.includes(one)),
    );
    expect(own.length).toBeGreaterThan(2);
    for (const { transfer, timeoutSeconds } of own) {
      expect(transfer).toBe("stream");
      expect(timeoutSeconds).toBeLessThanOrEqual(maxStreamSeconds);
    }
  });
});

describe("a slot", () => {
  it("that is never released expires, never before the maximum stream and at most a minute later", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_700_000_000_000, max: 2_100_000_000_000 }), (takenAt) => {
        const slot = streamSlots.take(takenAt);
        const isOverAfter = (seconds: number) =>
          streamSlots.isOver(slot, windowsAt(takenAt + seconds * 1_000));
        expect(isOverAfter(maxStreamSeconds - 1)).toBe(false);
        expect(isOverAfter(maxStreamSeconds + 61)).toBe(true);
      }),
    );
  });

  it("is unlike any other", () => {
    expect(new Set(Array.from({ length: 1_000 }, () => streamSlots.take(0))).size).toBe(1_000);
  });
});
