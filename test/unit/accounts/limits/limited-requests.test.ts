import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { operations } from "../../../../functions/manifest.ts";
import type { Counts } from "../../../../shared/accounts/limits/limit-counters.ts";
import { createLimiter } from "../../../../shared/accounts/limits/limiter.ts";
import { createReadingLimit } from "../../../../shared/accounts/limits/reading-limit.ts";
import { endpoint } from "../../../../shared/http/endpoint.ts";
import { defineOperation, type Operation } from "../../../../shared/http/operation.ts";
import { createStreamingHandler } from "../../../../shared/http/pipeline.ts";
import { Reply } from "../../../../shared/http/response.ts";
import { corsExposedHeaders } from "../../../../shared/http/response-headers.ts";
import { AppError } from "../../../../shared/platform/errors/app-error.ts";
import { requestScope } from "../../../../shared/platform/telemetry/request-scope.ts";
import { exampleOperation } from "../../../support/example-operation.ts";
import { fakeCounters } from "../../../support/fake-counters.ts";
import { lambdaContext, lambdaEvent } from "../../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../../support/lambda-stream.ts";
import { authorizedCaller, send } from "../../../support/send.ts";

const now = Date.parse("2026-11-20T23:00:30Z");

const common = {
  ...exampleOperation,
  path: "/tasks/example",
  body: { encoding: "json", schema: z.object({ text: z.string() }) },
} as const;
const task = defineOperation({ ...common, id: "example", auth: "user", scope: "translate" });
const openTask = defineOperation({ ...common, id: "example", auth: "public" });
const unlimited = defineOperation({ ...common, id: "example", auth: "public", limit: "delivery" });
const login = defineOperation({
  ...common,
  id: "example",
  auth: "public",
  limit: "credentials",
  errorFormat: "oauth",
});

/** As the call policy does when a model's server has taken a request. */
const beginModelWork = (): void => {
  const scope = requestScope();
  if (scope) scope.modelCallsStarted += 1;
};

const setup = (counts: Counts = { counted: true, minute: 1, day: 1, month: 1 }) => {
  const counters = fakeCounters(async () => counts);
  const execute = vi.fn((): Record<string, unknown> | Reply => ({ done: true }));
  const limiter = createLimiter(counters, { now: () => now });
  const request = {
    path: "/tasks/example",
    authorizer: authorizedCaller,
    body: { text: "x" },
  };
  return {
    counters,
    execute,
    limiter,
    call: (operation: Parameters<typeof endpoint>[0], changes: object = {}) =>
      send([endpoint(operation, execute)], { ...request, ...changes }, { limiter }),
  };
};

const headersOfFirst = {
  "RateLimit-Policy": '"minute";q=50;w=60, "day";q=500;w=86400',
  RateLimit: '"minute";r=49;t=30, "day";r=499;t=3570',
  "x-ratelimit-limit-requests": "50",
  "x-ratelimit-remaining-requests": "49",
  "x-ratelimit-reset-requests": "30s",
};

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a response of a limited route", () => {
  it("has the limits and what remains of them", async () => {
    const response = await setup().call(task);
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject(headersOfFirst);
  });

  it("says so too when the request fails later, and in streams", async () => {
    const { execute, call, limiter } = setup();
    execute.mockImplementation(() => {
      beginModelWork();
      throw new AppError("external_service_error");
    });
    const failed = await call(task);
    expect(failed.status).toBe(502);
    expect(failed.headers).toMatchObject(headersOfFirst);

    stubStreamingRuntime();
    const chunks = async function* () {
      yield "data: [DONE]\n\n";
    };
    execute.mockImplementation(() => new Reply({ contentType: "text/event-stream", body: chunks() }));
    const streamed = await invokeStreaming(
      createStreamingHandler([endpoint(task, execute)], { limiter }),
      lambdaEvent({
        path: "/tasks/example",
        headers: { "Content-Type": "application/json" },
        body: '{"text":"x"}',
        authorizer: authorizedCaller,
      }),
      lambdaContext(),
    );
    expect(streamed.body).toContain("[DONE]");
    expect(streamed.headers).toMatchObject(headersOfFirst);
  });

  it("lets scripts in browsers read them", () => {
    expect(corsExposedHeaders).toEqual(expect.arrayContaining(Object.keys(headersOfFirst)));
  });

  it("has the limit of an address in the same form", async () => {
    const { call, counters } = setup();
    const response = await call(openTask, { authorizer: undefined, sourceAddress: "2001:db8:1:2::9" });
    expect(response.headers["RateLimit-Policy"]).toBe('"minute";q=50;w=60');
    expect(counters.addresses[0]).toMatchObject({ group: "2001:db8:1:2::/64", limitClass: "anonymous" });
  });

  it("does not believe what forwarding headers say of the address", async () => {
    const { call, counters } = setup();
    await call(openTask, { headers: { "X-Forwarded-For": "198.51.100.1", Forwarded: "for=198.51.100.1" } });
    expect(counters.addresses).toMatchObject([{ group: "203.0.113.7" }]);
  });
});

describe("a request beyond its limit", () => {
  it("gets 429 and is not executed", async () => {
    const { call, execute } = setup({ counted: false, minute: 50, day: 60, month: 60 });
    const response = await call(task);
    expect(response).toMatchObject({
      status: 429,
      body: {
        detail: "Rate limit exceeded: 50 per 1 minute",
        error: { code: "rate_limited", type: "rate_limit_error" },
      },
    });
    expect(response.headers).toMatchObject({
      "Retry-After": "30",
      RateLimit: '"minute";r=0;t=30, "day";r=440;t=3570',
      "x-ratelimit-remaining-requests": "0",
    });
    expect(execute).not.toHaveBeenCalled();
  });

  it("of the quota gets 429 and the time until it is renewed", async () => {
    const response = await setup({ counted: false, minute: 2, day: 500, month: 600 }).call(task);
    expect(response).toMatchObject({
      status: 429,
      body: { detail: "Daily quota exceeded", error: { code: "quota_exceeded" } },
    });
    expect(response.headers["Retry-After"]).toBe("3570");
  });

  it("of a token endpoint has OAuth's error format", async () => {
    const response = await setup({ counted: false, minute: 60, day: 0, month: 0 }).call(login);
    expect(response).toMatchObject({
      status: 429,
      body: { error: "temporarily_unavailable", detail: "Rate limit exceeded: 60 per 1 minute" },
    });
  });
});

describe("what is not counted", () => {
  it.each([
    ["a request without a token", { authorizer: undefined }, 401],
    ["an address that does not exist", { path: "/nowhere" }, 404],
  ])("is %s", async (_case, changes, status) => {
    const { call, counters } = setup();
    const response = await call(task, changes);
    expect(response.status).toBe(status);
    expect(counters.accounts).toEqual([]);
    expect(response.headers["RateLimit"]).toBeUndefined();
  });

  it("is a route that is declared as unlimited", async () => {
    const { call, counters } = setup();
    expect((await call(unlimited)).headers["RateLimit-Policy"]).toBeUndefined();
    expect([...counters.accounts, ...counters.addresses]).toEqual([]);
  });
});

describe("a request that is refused for its form", () => {
  const json = { "Content-Type": "application/json" };
  const malformed = [
    ["is not JSON", { body: "{broken", headers: json }, 422],
    ["is another format", { body: "text", headers: { "Content-Type": "text/plain" } }, 422],
    ["has too many values", { body: "[".repeat(60_000), headers: json }, 422],
    ["breaks the contract", { body: { text: 7 } }, 422],
    ["is too large", { body: "1".repeat(70_000), headers: json }, 413],
  ] as const;

  it.each(malformed)(
    "counts in its account's minute and costs no quota: it %s",
    async (_case, changes, status) => {
      const { call, counters } = setup();
      const response = await call(task, changes);
      expect(response.status).toBe(status);
      expect(counters.accounts).toHaveLength(1);
      expect(counters.refunded).toMatchObject([{ userId: 7, operationId: task.id, tasks: 1 }]);
      expect(response.headers["RateLimit"]).toBe('"minute";r=49;t=30, "day";r=500;t=3570');
    },
  );

  it.each(malformed)("counts for its address: it %s", async (_case, changes, status) => {
    const { call, counters } = setup();
    expect((await call(openTask, { authorizer: undefined, ...changes })).status).toBe(status);
    expect(counters.addresses).toHaveLength(1);
  });

  it.each(malformed)("is refused for its limit first: it %s", async (_case, changes) => {
    const { call } = setup({ counted: false, minute: 50, day: 1, month: 1 });
    expect((await call(task, changes)).status).toBe(429);
  });

  it.each([
    ["without a token", openTask, { authorizer: undefined, body: { text: "x" } }],
    ["with a long body", task, { body: { text: "x".repeat(65_536) } }],
  ] as const)("is not even parsed beyond its limit: one %s", async (_case, operation, changes) => {
    const { call } = setup({ counted: false, minute: 50, day: 1, month: 1 });
    const parse = vi.spyOn(JSON, "parse");
    expect((await call(operation, changes)).status).toBe(429);
    // The body of the response, which the test reads.
    expect(parse).toHaveBeenCalledOnce();
  });
});

describe("a request that stands for several tasks", () => {
  const batch = defineOperation({
    ...common,
    id: "example",
    auth: "user",
    scope: "translate",
    body: { encoding: "json", schema: z.object({ items: z.array(z.string()).max(16) }) },
    tasksIn: "items",
  });
  const items = Array.from({ length: 16 }, () => "x");

  it("counts as many, and shows what remains then", async () => {
    const { call, counters, execute } = setup({ counted: true, minute: 1, day: 16, month: 16 });
    const response = await call(batch, { body: { items } });
    expect(response.status).toBe(200);
    expect(execute).toHaveBeenCalledOnce();
    expect(counters.moreTasks).toEqual([15]);
    expect(response.headers["RateLimit"]).toBe('"minute";r=49;t=30, "day";r=484;t=3570');
  });

  it("of which there is one is counted once", async () => {
    const { call, counters } = setup();
    expect((await call(batch, { body: { items: ["x"] } })).status).toBe(200);
    expect(counters.moreTasks).toEqual([]);
  });

  it("gets them all back when it fails before a model begins", async () => {
    const { call, counters, execute } = setup();
    execute.mockImplementation(() => {
      throw new AppError("unsupported_language");
    });
    await call(batch, { body: { items } });
    expect(counters.refunded).toMatchObject([{ tasks: 16 }]);
  });

  it("is refused when the quota has not enough for all, which costs nothing", async () => {
    const counts: Counts[] = [
      { counted: true, minute: 1, day: 490, month: 490 },
      { counted: false, minute: 1, day: 490, month: 490 },
    ];
    const counters = fakeCounters(
      async () => counts.shift() ?? { counted: true, minute: 1, day: 1, month: 1 },
    );
    const { execute } = setup();
    const response = await send(
      [endpoint(batch, execute)],
      { path: "/tasks/example", authorizer: authorizedCaller, body: { items } },
      { limiter: createLimiter(counters, { now: () => now }) },
    );
    expect(response).toMatchObject({
      status: 429,
      body: {
        detail: "Daily quota exceeded: the request counts as 16 tasks",
        error: { code: "quota_exceeded" },
      },
    });
    expect(response.headers["RateLimit"]).toContain('"day";r=11;');
    expect(counters.refunded).toMatchObject([{ tasks: 1 }]);
    expect(execute).not.toHaveBeenCalled();
  });

  it("is not executed when the others cannot be counted, and the first one is refunded", async () => {
    const counters = fakeCounters();
    counters.countMoreTasks = () => Promise.reject(new Error("No store."));
    const { execute } = setup();
    const response = await send(
      [endpoint(batch, execute)],
      { path: "/tasks/example", authorizer: authorizedCaller, body: { items } },
      { limiter: createLimiter(counters, { now: () => now }) },
    );
    expect(response).toMatchObject({ status: 503, body: { error: { code: "service_unavailable" } } });
    expect(counters.refunded).toMatchObject([{ tasks: 1 }]);
    expect(execute).not.toHaveBeenCalled();
  });
});

describe("the batches of the service", () => {
  it("count by their items", () => {
    const batches = operations.filter(({ tasksIn }: Operation) => tasksIn !== undefined);
    expect(batches.map(({ id }) => id).toSorted()).toEqual(["legacyVoiceBatch", "synthesizeSpeechBatch"]);
  });
});

describe("a request that reads", () => {
  const reading = defineOperation({ ...common, id: "example", auth: "public", limit: "reading" });

  it("is limited by its address, without a table", async () => {
    const { execute } = setup();
    const handler = [endpoint(reading, execute)];
    const limit = createReadingLimit(() => now);
    for (let sent = 1; sent < 600; sent += 1) expect(limit.admit("203.0.113.7").refusal).toBeUndefined();
    expect(limit.admit("203.0.113.7").statuses).toMatchObject([{ limit: 600, remaining: 0 }]);
    expect(limit.admit("203.0.113.7").refusal).toMatchObject({
      code: "rate_limited",
      message: "Rate limit exceeded: 600 per 1 minute",
      retryAfterSeconds: 30,
    });
    expect(limit.admit("203.0.113.8").refusal).toBeUndefined();
    const response = await send(handler, { path: "/tasks/example", body: { text: "x" } }, {});
    expect(response.status).toBe(200);
    expect(response.headers["RateLimit-Policy"]).toBe('"minute";q=600;w=60');
    expect(response.headers["x-ratelimit-remaining-requests"]).toBe("599");
  });

  it("has a limit of its own on this machine, where all callers share an address", () => {
    const [status] = createReadingLimit().admit("127.0.0.1").statuses;
    expect(status.limit).toBe(60_000);
  });
});

describe("a request that could not be counted", () => {
  const limiter = () => createLimiter(fakeCounters(() => Promise.reject(new Error("No store."))));

  it("is served without an account, and its response contains only certain values", async () => {
    const { execute } = setup();
    const response = await send(
      [endpoint(openTask, execute)],
      { path: "/tasks/example", body: { text: "x" } },
      { limiter: limiter() },
    );
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      "RateLimit-Policy": '"minute";q=50;w=60',
      "x-ratelimit-limit-requests": "50",
    });
    expect(response.headers["RateLimit"]).toBeUndefined();
    expect(response.headers["x-ratelimit-remaining-requests"]).toBeUndefined();
  });
});

describe("a task that is refused by its meaning", () => {
  it("is refunded to the quota, and its headers say so", async () => {
    const { call, execute, counters } = setup({ counted: true, minute: 4, day: 7, month: 9 });
    execute.mockImplementation(() => {
      throw new AppError("unsupported_language");
    });
    const response = await call(task);
    expect(response.status).toBe(400);
    expect(counters.refunded).toHaveLength(1);
    expect(response.headers["RateLimit"]).toMatch(/^"minute";r=46;t=\d+, "day";r=494;/);
  });
});
