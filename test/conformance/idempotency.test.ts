import { randomUUID } from "node:crypto";
import OpenAI from "openai";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { translateOperation } from "../../functions/translate/contract.ts";
import {
  baseUrl,
  call,
  createAccount,
  expectDeclared,
  expectError,
  type JsonResponse,
  type TestAccount,
} from "../support/client.ts";

const translation = { source_language: "eng", target_language: "lug", text: "Good morning" };

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});

interface Sending {
  readonly token?: string;
  readonly path?: string;
  readonly body?: unknown;
}
const send = (
  key: string,
  { token = account.token, path = "/tasks/translate", body = translation }: Sending = {},
) => call(path, { method: "POST", token, body, headers: { "Idempotency-Key": key } });
const isRepeated = ({ headers }: JsonResponse): boolean => headers.get("idempotent-replayed") === "true";
/** The rest of the day's quota. */
const left = ({ headers }: JsonResponse): number =>
  Number(/"day";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1] ?? Number.NaN);

describe("A request with an Idempotency-Key", () => {
  it("that is repeated gets the first response, and costs nothing", async () => {
    const key = randomUUID();
    const first = await send(key);
    expect(first.status).toBe(200);
    expect(isRepeated(first)).toBe(false);
    const second = await send(key);
    expectDeclared(translateOperation, second);
    expect(isRepeated(second)).toBe(true);
    expect(second.body).toEqual(first.body);
    expect(left(second)).toBe(left(first));
    const third = await send(key, { body: { ...translation, text: "Good night" } });
    expectError(third, 422, "idempotency_key_reused");
    expect(third.body.detail).toEqual([
      {
        loc: ["header", "idempotency-key"],
        msg: "Value error, another request was sent with this key before",
        type: "value_error",
      },
    ]);
    expect(left(third)).toBe(left(first));
  });

  it.each([["x".repeat(256)], ["one two"]])("says what one is when it is %s", async (key) => {
    const response = await send(key);
    expectError(response, 422, "validation_failed");
    expect(response.body.detail[0].msg).toContain("1 to 255 visible characters");
  });
});

describe("A new key for a program", () => {
  it("is shown again to who asks with the same Idempotency-Key, and made once", async () => {
    const { token } = await createAccount();
    const request = { token, path: "/auth/keys", body: { name: "kiosk" } };
    const first = await send("one", request);
    const second = await send("one", request);
    expect([first.status, second.status, isRepeated(second)]).toEqual([201, 201, true]);
    expect(second.body.key).toBe(first.body.key);
    expect((await call("/auth/keys", { token })).body.keys).toHaveLength(1);
    expect((await call("/auth/me", { token: second.body.key })).status).toBe(200);
  });
});

describe("A refresh whose response was lost", () => {
  it("locks out no one who sent an Idempotency-Key", async () => {
    const { token } = await createAccount();
    const lost = await send("one", { token, path: "/auth/refresh-token", body: undefined });
    const again = await send("one", { token, path: "/auth/refresh-token", body: undefined });
    expect([lost.status, again.status, isRepeated(again)]).toEqual([200, 200, true]);
    expect(again.body).toEqual(lost.body);
    expect((await call("/auth/me", { token: again.body.access_token })).status).toBe(200);
    expect((await call("/auth/me", { token })).status).toBe(401);
    expect((await send("two", { token, path: "/auth/refresh-token", body: undefined })).status).toBe(401);
  });
});

describe("The OpenAI SDK", () => {
  /** The name of the header is left to who subclasses the client: without it the option `idempotencyKey` sends nothing. */
  class Client extends OpenAI {
    protected override idempotencyHeader = "Idempotency-Key";
  }
  const messages = [{ role: "user" as const, content: "How do you say 'thank you' in Luganda?" }];
  const request = { model: "lang-9b", messages };

  it.each(["/tasks", "/v1"])("sends its option idempotencyKey, below %s", async (base) => {
    const client = new Client({ baseURL: `${baseUrl}${base}`, apiKey: account.token, maxRetries: 0 });
    const idempotencyKey = randomUUID();
    const ask = () => client.chat.completions.create(request, { idempotencyKey }).withResponse();
    const first = await ask();
    const second = await ask();
    expect(second.response.headers.get("idempotent-replayed")).toBe("true");
    expect(second.data).toEqual(first.data);
    const other = { ...request, messages: [{ role: "user" as const, content: "Good night" }] };
    const refused = await client.chat.completions
      .create(other, { idempotencyKey })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.UnprocessableEntityError);
    expect(refused).toMatchObject({ code: "idempotency_key_reused" });
  });

  it("may send the header as it is, without a class of its own", async () => {
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: account.token, maxRetries: 0 });
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await client.chat.completions.create(request, { headers });
    expect(await client.chat.completions.create(request, { headers })).toEqual(first);
  });

  it("streams as usual, with any key", async () => {
    const client = new Client({ baseURL: `${baseUrl}/v1`, apiKey: account.token, maxRetries: 0 });
    for (const _ of [1, 2]) {
      const stream = await client.chat.completions.create(
        { ...request, stream: true },
        { idempotencyKey: "one" },
      );
      const chunks = [];
      for await (const chunk of stream) chunks.push(chunk);
      expect(chunks.length).toBeGreaterThan(2);
    }
  });
});

describe.each([
  ["the REST API", baseUrl],
  ["the function URL", inject("chatStreamUrl")],
])("A browser that asks %s", (_door, door) => {
  it("may send the header, and see that a response is a repetition", async () => {
    const { headers, status } = await call(`${door}/tasks/chat/completions`, {
      method: "OPTIONS",
      headers: { Origin: "https://app.example.com", "Access-Control-Request-Method": "POST" },
    });
    expect(status).toBe(204);
    const allowed = headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
    expect(allowed).toEqual(
      expect.arrayContaining(["idempotency-key", "sentry-trace", "x-stainless-retry-count"]),
    );
    const response = await call(`${door}/tasks/chat/completions`, { method: "POST", body: {} });
    expect(response.headers.get("access-control-expose-headers")).toContain("Idempotent-Replayed");
  });
});
