import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { translateEndpoints } from "../../functions/translate/endpoints.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { createLimitCounters, createLimiter } from "../../shared/accounts/limits/limiter.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { createIdempotencyStore } from "../../shared/http/idempotency/idempotency-store.ts";
import { idempotencyKeys } from "../../shared/http/idempotency/keys.ts";
import { createResponseSecrets } from "../../shared/http/idempotency/sealed-response.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { Reply } from "../../shared/http/response.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { formFile, text } from "../../shared/platform/validation/fields.ts";
import { encodeForm, formFile as fileOf } from "../support/multipart.ts";
import { send, type TestResponse } from "../support/send.ts";
import { startTestBucket, type TestBucket } from "../support/test-bucket.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";
import { uncountedCharacters } from "../support/uncounted-characters.ts";
import { unsureDetector } from "../support/unsure-detector.ts";

const day = 24 * 60 * 60 * 1_000;

let table: TestTable;
let bucket: TestBucket;
beforeAll(async () => {
  [table, bucket] = await Promise.all([startTestTable(), startTestBucket()]);
});
afterAll(() => Promise.all([table.close(), bucket.close()]));

let userId: number;
/** The requests that a model received. */
let requested: string[];
/** What it says. */
let respond: (text: string) => Promise<string>;
let now: number;
/** The secrets with which tokens are signed, the current one first. */
let secrets: readonly (string | undefined)[];

const newAccount = (): Promise<number> => createTestAccount(table.open());

beforeEach(async () => {
  userId = await newAccount();
  requested = [];
  respond = async (asking) => `${asking} in Luganda`;
  now = Date.now();
  secrets = ["first-secret-of-more-than-thirty-two-bytes"];
  table.calls.length = 0;
  bucket.calls.length = 0;
});
afterEach(() => {
  vi.restoreAllMocks();
});

const ask = async (question: string): Promise<string> => {
  requested.push(question);
  return respond(question);
};

const said = z.object({ said: z.string() });
const common = {
  method: "POST",
  summary: "Say something",
  tag: "Speech",
  auth: "user",
  response: { status: 200, description: "It", schema: said },
  errors: ["not_found"],
} as const;
const body = {
  encoding: "json",
  schema: z.object({ text: text(), stream: z.boolean().optional() }),
} as const;
const task = defineOperation({
  ...common,
  id: "say",
  path: "/tasks/say",
  scope: "speech",
  body,
  streams: /"stream":true/,
});
const form = defineOperation({
  ...common,
  id: "hear",
  path: "/tasks/hear",
  scope: "transcribe",
  body: { encoding: "multipart", schema: z.object({ language: text(), audio: formFile() }) },
});
const quiet = defineOperation({ ...common, id: "change", path: "/auth/example", limit: "account", body });
const secret = defineOperation({
  ...common,
  id: "makeKey",
  path: "/auth/example-keys",
  limit: "account",
  body,
  idempotencyKey: "replay",
  confidential: true,
});

const endpoints: Endpoint[] = [
  ...translateEndpoints({
    characters: uncountedCharacters,
    sourceDetector: unsureDetector,
    translator: { translate: async ({ text: asking }) => ({ text: await ask(asking), usage: undefined }) },
  }),
  endpoint(task, async ({ body }) => {
    const words = await ask(body.text);
    if (!body.stream) return { said: words };
    const chunks = async function* () {
      yield words;
    };
    return new Reply({ contentType: "text/plain", body: chunks() });
  }),
  endpoint(form, async ({ body }) => ({ said: await ask(`${body.language} ${body.audio?.content}`) })),
  endpoint(secret, async ({ body }) => ({ said: await ask(body.text) })),
  endpoint(quiet, async ({ body }) => ({ said: await ask(body.text) })),
];

/** Another instance of a function, with all that it has in the table. */
const instance = () => ({
  // A busy machine may need longer than callers wait.
  limiter: createLimiter(createLimitCounters(table.openForRequests(), 1), { timeoutMilliseconds: 20_000 }),
  idempotencyStore: createIdempotencyStore({
    table: table.openForRequests(),
    store: bucket.store,
    secrets: createResponseSecrets(async (version) => secrets[version === "AWSCURRENT" ? 0 : 1]),
    now: () => now,
  }),
});

interface Asking {
  readonly key?: string;
  readonly by?: number;
  readonly tokenId?: string;
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly remainingMilliseconds?: number;
}
const say = ({
  key,
  by = userId,
  tokenId = "a-token",
  headers,
  ...rest
}: Asking = {}): Promise<TestResponse> =>
  send(
    endpoints,
    {
      path: "/tasks/say",
      body: { text: "Thank you" },
      remainingMilliseconds: 60_000,
      ...rest,
      headers: { ...headers, ...(key === undefined ? {} : { "Idempotency-Key": key }) },
      authorizer: { userId: String(by), tokenId, tokenEpoch: "0" },
    },
    instance(),
  );

/** How many tasks were counted on the account's quota. */
const counted = async (by = userId): Promise<unknown> => {
  const item = await table.read(accountKeys.access(by));
  const month = Object.keys(item ?? {}).find((name) => /^M\d{4}-\d\d$/.test(name));
  return month === undefined ? 0 : item?.[month];
};
const remaining = (key: string, operationId = "say") =>
  table.read(idempotencyKeys.request(userId, operationId, key));

/** A response of the model that arrives when the test releases it. */
const holdResponse = () => {
  const held = Promise.withResolvers<string>();
  const started = Promise.withResolvers<void>();
  respond = () => {
    started.resolve();
    return held.promise;
  };
  return { started: started.promise, release: () => held.resolve("Webale") };
};

describe("The same request with the same Idempotency-Key", () => {
  it("gets the first response again, and runs and counts once", async () => {
    const first = await say({ key: "one" });
    expect(first).toMatchObject({ status: 200, body: { said: "Thank you in Luganda" } });
    expect(first.headers["Idempotent-Replayed"]).toBeUndefined();
    const second = await say({ key: "one" });
    expect(second).toMatchObject({
      status: 200,
      body: first.body,
      headers: { "Idempotent-Replayed": "true", "Content-Type": "application/json" },
    });
    expect(second.headers["X-Request-Id"]).not.toBe(first.headers["X-Request-Id"]);
    expect(second.headers["RateLimit"]).toContain('"day";r=499');
    expect(requested).toHaveLength(1);
    expect(await counted()).toBe(1);
  });

  it("gets it with any token of the account, and from every function that carries the operation out", async () => {
    await say({ key: "one", tokenId: "a-token" });
    expect((await say({ key: "one", tokenId: "another" })).headers["Idempotent-Replayed"]).toBe("true");
    expect(requested).toHaveLength(1);
  });

  it("is another request when another account sends it", async () => {
    const other = await newAccount();
    await say({ key: "one" });
    expect((await say({ key: "one", by: other })).headers["Idempotent-Replayed"]).toBeUndefined();
    expect(requested).toHaveLength(2);
    expect(await counted(other)).toBe(1);
  });

  it("is another request at another operation", async () => {
    await say({ key: "one" });
    const translation = { source_language: "eng", target_language: "lug", text: "Thank you" };
    const { status } = await say({ key: "one", path: "/tasks/translate", body: translation });
    expect(status).toBe(200);
    expect(requested).toHaveLength(2);
  });

  it("may be written differently: it is what it says that counts", async () => {
    await say({ key: "one", body: '{"text":"Thank you","x":{"a":1,"b":2}}', headers: json });
    const again = { key: "one", body: '{ "x": {"b": 2, "a": 1}, "text": "Th\\u0061nk you" }', headers: json };
    expect((await say(again)).headers["Idempotent-Replayed"]).toBe("true");
  });

  it("gets it again for a day", async () => {
    await say({ key: "one" });
    now += day - 60_000;
    expect((await say({ key: "one" })).headers["Idempotent-Replayed"]).toBe("true");
    now += 120_000;
    expect((await say({ key: "one", body: { text: "Good night" } })).body.said).toBe("Good night in Luganda");
    expect(requested).toHaveLength(2);
  });

  it("of a form has another boundary, and may call its files otherwise", async () => {
    const encoded = async (name: string) => encodeForm({ language: "lug", audio: fileOf("sound", name) });
    await say({ key: "one", path: "/tasks/hear", ...(await encoded("a.wav")) });
    const again = await say({ key: "one", path: "/tasks/hear", ...(await encoded("b.wav")) });
    expect(again.headers["Idempotent-Replayed"]).toBe("true");
    const other = await encodeForm({ language: "lug", audio: fileOf("noise") });
    expect((await say({ key: "one", path: "/tasks/hear", ...other })).status).toBe(422);
    expect(requested).toEqual(["lug sound"]);
  });
});

const json = { "Content-Type": "application/json" };

describe("While the first request is in progress", () => {
  it("the same one gets 409 with the time to return, and pays nothing", async () => {
    const model = holdResponse();
    const first = say({ key: "one" });
    await model.started;
    const second = await say({ key: "one" });
    expect(second).toMatchObject({
      status: 409,
      headers: { "Retry-After": "5" },
      body: { error: { code: "request_in_progress" } },
    });
    model.release();
    expect((await first).status).toBe(200);
    expect((await say({ key: "one" })).body.said).toBe("Webale");
    expect(requested).toHaveLength(1);
    expect(await counted()).toBe(1);
  });

  it("fifty equal ones reach the model once", async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => say({ key: "one" })));
    const responses = all.filter(({ status }) => status === 200);
    expect(all.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(responses.filter(({ headers }) => headers["Idempotent-Replayed"] === undefined)).toHaveLength(1);
    expect(requested).toHaveLength(1);
    expect(await counted()).toBe(1);
  });

  it("its lock ends when its function would have been ended, and not before", async () => {
    const model = holdResponse();
    const first = say({ key: "one", remainingMilliseconds: 330_000 });
    await model.started;
    now += 328_000;
    const { status, headers } = await say({ key: "one" });
    expect(status).toBe(409);
    expect(Number(headers["Retry-After"])).toBeLessThanOrEqual(3);
    now += 4_000;
    respond = async () => "from the second";
    expect((await say({ key: "one" })).body.said).toBe("from the second");
    model.release();
    await first;
    // The first one lost its lock: its late result replaces nothing.
    expect((await say({ key: "one" })).body.said).toBe("from the second");
  });
});

describe("Another request under the same Idempotency-Key", () => {
  it.each([
    ["when the first has a response", false],
    ["while the first is in progress", true],
  ])("is refused %s, in the format of a 422, and pays nothing", async (_when, isActive) => {
    const model = isActive ? holdResponse() : undefined;
    const first = say({ key: "one" });
    await (model?.started ?? first);
    const { status, body } = await say({ key: "one", body: { text: "Good night" } });
    model?.release();
    await first;
    expect({ status, code: body.error.code }).toEqual({ status: 422, code: "idempotency_key_reused" });
    expect(body.detail).toMatchObject([{ loc: ["header", "idempotency-key"], type: "value_error" }]);
    expect(requested).toHaveLength(1);
    expect(await counted()).toBe(1);
  });
});

describe("A failure", () => {
  it.each([
    "unsupported_language",
    "not_found",
    "rate_limited",
    "quota_exceeded",
    "forbidden",
    "internal",
    "service_unavailable",
  ] as const)("such as %s is not: the next attempt runs at once", async (code) => {
    respond = () => Promise.reject(new AppError(code));
    expect((await say({ key: "one" })).headers["Idempotent-Replayed"]).toBeUndefined();
    respond = async () => "Webale";
    expect(await say({ key: "one" })).toMatchObject({ status: 200, body: { said: "Webale" } });
    expect(requested).toHaveLength(2);
  });

  it("of form takes no key: the request can be put right under the same one", async () => {
    expect((await say({ key: "one", body: { text: 1 } })).status).toBe(422);
    expect((await say({ key: "one" })).status).toBe(200);
  });
});

describe("An Idempotency-Key", () => {
  it.each([
    ["nothing", ""],
    ["256 characters", "x".repeat(256)],
    ["a space", "one two"],
    ["letters beyond ASCII", "é"],
  ])("of %s is refused, and the response explains the format", async (_what, key) => {
    const { status, body } = await say({ key });
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ["header", "idempotency-key"], type: "value_error" }]);
    expect(body.error.message).toContain("1 to 255 visible characters");
    expect(requested).toEqual([]);
    expect(await counted()).toBe(0);
  });

  it.each(["x", "!~", "x".repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"'])(
    "may be %s",
    async (key) => {
      expect((await say({ key })).status).toBe(200);
      expect((await say({ key })).headers["Idempotent-Replayed"]).toBe("true");
    },
  );

  it("is ignored where the response streams, with any value", async () => {
    const body = { text: "Thank you", stream: true };
    for (const key of ["one", "one", "one two"]) {
      await expect(say({ key, body })).rejects.toThrow("A buffered function cannot send a stream.");
    }
    expect(requested).toHaveLength(3);
    expect(await remaining("one")).toBeUndefined();
  });

  it("is ignored where the operation does not take it", async () => {
    for (const key of ["one", "one", "one two"]) {
      expect((await say({ key, path: "/auth/example" })).status).toBe(200);
    }
    expect(requested).toHaveLength(3);
  });

  it("costs a request two writes, a repeated one two, and a request without it none", async () => {
    const costs = async (asking: Asking) => {
      table.calls.length = 0;
      await say(asking);
      return table.calls.length;
    };
    await say();
    expect([await costs({}), await costs({ key: "one" }), await costs({ key: "one" })]).toEqual([1, 3, 3]);
  });
});

describe("What is stored", () => {
  it("says nothing to who reads it without the caller's key", async () => {
    await say({ key: "one", body: { text: "Sekitoleko" } });
    const item = await remaining("one");
    expect(item).toMatchObject({ answer: expect.any(String) });
    const stored = JSON.stringify(item) + Buffer.from(String(item?.["answer"]), "base64").toString("latin1");
    expect(stored).not.toContain("Sekitoleko");
    expect(stored).not.toContain("one");
    expect(item?.["expires_at"]).toBe(Math.ceil(now / 1_000) + day / 1_000);
  });

  it("is an object where it is too large for an item", async () => {
    const long = "Sekitoleko ".repeat(100_000);
    respond = async () => long;
    expect((await say({ key: "one" })).body.said).toBe(long);
    const item = await remaining("one");
    expect(String(item?.["answer_object"])).toMatch(new RegExp(`^answers/${userId}/[0-9a-f]{32}$`));
    const stored = await bucket.read(String(item?.["answer_object"]));
    expect(stored?.length).toBeGreaterThan(long.length);
    expect(stored?.includes("Sekitoleko")).toBe(false);
    const again = await say({ key: "one" });
    expect(again.headers["Idempotent-Replayed"]).toBe("true");
    expect(again.body.said).toBe(long);
    expect(requested).toHaveLength(1);
  });

  it.each([
    ["just below", 290 * 1_024 - 200, false],
    ["just above", 290 * 1_024, true],
  ])("fits where it is put, %s what an item takes", async (_where, length, isObject) => {
    respond = async () => "x".repeat(length);
    await say({ key: "one" });
    expect((await say({ key: "one" })).headers["Idempotent-Replayed"]).toBe("true");
    expect(bucket.calls.includes("PutObject")).toBe(isObject);
  });

  it("excludes responses that are too large to store: they are returned, and computed again", async () => {
    respond = async () => "x".repeat(6 * 1_024 * 1_024);
    expect((await say({ key: "one" })).status).toBe(200);
    expect((await say({ key: "one" })).headers["Idempotent-Replayed"]).toBeUndefined();
    expect(requested).toHaveLength(2);
    expect(bucket.calls).toEqual([]);
  });

  it("is nothing of an account that is gone meanwhile", async () => {
    respond = async () => {
      const { PK, SK } = idempotencyKeys.request(userId, "say", "one");
      await table.openForRequests().delete({ PK, SK });
      return "x".repeat(1_000_000);
    };
    const before = await bucket.storedBodies();
    expect((await say({ key: "one" })).status).toBe(200);
    expect(await remaining("one")).toBeUndefined();
    expect(await bucket.storedBodies()).toBe(before);
  });
});

describe("A response with a secret in it", () => {
  const makeKey = () => say({ key: "one", path: "/auth/example-keys", body: { text: "lai_secret" } });

  it("is given again, also after the secret of tokens was replaced", async () => {
    const first = await makeKey();
    secrets = ["second-secret-of-more-than-thirty-two-bytes", secrets[0]];
    expect(await makeKey()).toMatchObject({ body: first.body, headers: { "Idempotent-Replayed": "true" } });
    expect(requested).toHaveLength(1);
  });

  it("needs that secret and the caller's key to be read", async () => {
    await makeKey();
    secrets = ["another-secret-of-more-than-thirty-two-bytes"];
    const { status, body } = await makeKey();
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain("lai_secret");
  });

  it("is never stored without one", async () => {
    const { idempotencyStore: _, ...rest } = instance();
    const withoutSecrets = createIdempotencyStore({ table: table.openForRequests(), store: bucket.store });
    const { status } = await send(
      endpoints,
      {
        path: "/auth/example-keys",
        body: { text: "lai_secret" },
        headers: { "Idempotency-Key": "one" },
        authorizer: { userId: String(userId), tokenId: "a-token", tokenEpoch: "0" },
      },
      { ...rest, idempotencyStore: withoutSecrets },
    );
    expect(status).toBe(500);
    expect(requested).toEqual([]);
  });
});
