import { beforeAll, describe, expect, inject, it } from "vitest";
import { baseUrl, call, expectError, sharedAccount } from "../support/client.ts";
import { attack, expectRefused } from "../support/hostile.ts";
import { basePathIn, sendBytes } from "../support/wire.ts";

const base = basePathIn(baseUrl);

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

describe("a request that would change the service's own objects", () => {
  it.each([
    '{"__proto__":{"account_type":"Admin"},"text":"a","target_language":"lug"}',
    '{"text":"a","target_language":"lug","constructor":{"prototype":{"source_language":"eng"}}}',
    '{"text":{"__proto__":{"length":9}},"target_language":"lug"}',
  ])("is refused: %s", async (body) => {
    const response = await call("/tasks/translate", {
      token,
      headers: { "Content-Type": "application/json" },
      body,
    });
    expectError(response, 422, "validation_failed");
  });

  it("leaves later requests as they are, also when it is a form", async () => {
    const fields = "__proto__[username]=a&__proto__[password]=b&constructor[prototype][password]=c";
    const response = await call("/auth/token", { body: new URLSearchParams(fields) });
    expect(response).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "username"] }, { loc: ["body", "password"] }] },
    });
  });
});

describe.runIf(inject("isLocal"))("a header with a line break in it", () => {
  const host = new URL(baseUrl).host;
  const lines = (...text: string[]) =>
    `${[...text, `Host: ${host}`, "Connection: close"].join("\r\n")}\r\n\r\n`;

  it.each([
    ["a request id", lines(`GET ${base}/health HTTP/1.1`, "X-Request-Id: a\rX-Injected: 1")],
    ["a request id, escaped", lines(`GET ${base}/health HTTP/1.1`, "X-Request-Id: a%0d%0aX-Injected: 1")],
    [
      "a request id beyond Latin-1",
      lines(`GET ${base}/health HTTP/1.1`, "X-Request-Id: a\u010dX-Injected: 1"),
    ],
    ["a query", lines(`GET ${base}/auth/verify-email?token=a%0d%0aX-Injected:%201 HTTP/1.1`)],
    [
      "a challenge",
      lines(`GET ${base}/tasks/webhook?hub.challenge=a%0d%0aX-Injected:%201&hub.mode=x HTTP/1.1`),
    ],
    ["a path", lines(`GET ${base}/tasks/modal/orpheus/speakers/a%0d%0aX-Injected:%201 HTTP/1.1`)],
  ])("never reaches the response's headers from %s", async (_case, bytes) => {
    const [head = ""] = (await sendBytes(baseUrl, bytes)).split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 [24]\d\d /);
    expect(head.toLowerCase()).not.toContain("x-injected");
  });

  it("never reaches them from a file's name either", async () => {
    const request = { file_name: "a\r\nX-Injected: 1.mp3", content_type: "audio/mpeg" };
    const named = await call("/tasks/generate-upload-url", { body: request });
    expect(named.body.upload_url).not.toMatch(/%0D|%0A|\r|\n/i);
    const typed = await call("/tasks/generate-upload-url", {
      body: { ...request, content_type: "audio/mpeg\r\nX-Injected: 1" },
    });
    expectError(typed, 422, "validation_failed");
  });
});

describe.runIf(inject("isLocal"))("a request that cannot be read", () => {
  const host = `Host: ${new URL(baseUrl).host}`;

  it.each([
    [
      "has more than 10,240 bytes of headers",
      `GET ${base}/health HTTP/1.1\r\n${host}\r\nX-A: ${"a".repeat(12_000)}`,
      431,
    ],
    ["has a malformed header", `GET ${base}/health HTTP/1.1\r\n${host}\r\n: a`, 400],
  ])("because it %s gets our error body", async (_case, lines, status) => {
    const [head = "", body = ""] = (await sendBytes(baseUrl, `${lines}\r\n\r\n`)).split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^Access-Control-Allow-Origin: \*\r?$/im);
    expect(JSON.parse(body)).toEqual({
      detail: expect.any(String),
      error: { code: "bad_request", message: expect.any(String), type: "invalid_request_error", param: null },
      request_id: expect.stringMatching(/^[\da-f-]{36}$/),
    });
  });
});

describe.runIf(inject("isLocal"))("a method that a route does not have", () => {
  it.each(["TRACE", "PROPFIND", "PATCH", "DELETE", "PURGE", "LOCK"])(
    "such as %s is refused",
    async (method) => {
      const response = await attack("/auth/me", token, { method, headers: { "X-Secret": "zq7secret" } });
      expectRefused(response);
      expect(response.body.toString()).not.toContain("zq7secret");
      expect(response.body.toString()).not.toContain(token);
    },
  );

  it.each(["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])(
    "is not had through %s",
    async (name) => {
      const responses = [
        await attack("/auth/profile", token, {
          headers: { [name]: "PUT", "Content-Type": "application/json" },
        }),
        await attack("/auth/profile?_method=PUT", token),
        await attack("/health", token, { method: "DELETE", headers: { [name]: "GET" } }),
      ];
      const outcomes = responses.map(({ status, body }) => [status, JSON.parse(body.toString()).error.code]);
      expect(outcomes).toEqual(Array(3).fill([405, "method_not_allowed"]));
    },
  );
});

describe("a page of another origin", () => {
  it.each(["null", "https://attacker.example", "http://127.0.0.1.attacker.example"])(
    "of %s gets no permission to send credentials, which browsers add automatically",
    async (origin) => {
      const { headers } = await call("/health", { headers: { Origin: origin } });
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.has("access-control-allow-credentials")).toBe(false);
      const preflight = await call("/auth/me", {
        method: "OPTIONS",
        headers: { Origin: origin, "Access-Control-Request-Method": "GET" },
      });
      expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
      expect(preflight.headers.has("access-control-allow-credentials")).toBe(false);
    },
  );
});
