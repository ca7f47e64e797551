import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { startFunctionUrl } from "../src/gateway/function-url.ts";
import type { LocalServer } from "../src/gateway/http-server.ts";
import { requestTooLarge } from "../src/lambda/invocation.ts";
import {
  type FakeFunction,
  type FakeInvoker,
  fakeInvoker,
  rawStream,
  returned,
  streaming,
  thrown,
} from "./gateway-harness.ts";

let server: LocalServer & FakeInvoker;
let log: string[];
afterEach(() => server.close());

const start = async (chat: FakeFunction): Promise<void> => {
  const invoker = fakeInvoker({ chat });
  log = [];
  const options = {
    functionUrl: { functionName: "chat" },
    invoke: invoker.invoke,
    port: 0,
    host: "127.0.0.1",
  };
  server = { ...invoker, ...(await startFunctionUrl({ ...options, log: (line) => log.push(line) })) };
};

const good = () => {
  const stream = streaming({ statusCode: 200 });
  stream.body.end("{}");
  return stream.result;
};

describe("The event of a request to a function URL", () => {
  it("has payload format 2.0, field by field", async () => {
    await start(good);
    const response = await fetch(`${server.url}/tasks/chat%20x?a=1&a=2&b=x%20y`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "User-Agent": "test", Cookie: "one=1; two=2" },
      body: '{"text":"Oli otya?"}',
    });
    const { host } = new URL(server.url);
    expect(server.eventsOf("chat")).toEqual([
      {
        version: "2.0",
        routeKey: "$default",
        rawPath: "/tasks/chat%20x",
        rawQueryString: "a=1&a=2&b=x%20y",
        cookies: ["one=1", "two=2"],
        headers: expect.objectContaining({
          "content-type": "application/json",
          "x-forwarded-for": "127.0.0.1",
        }),
        queryStringParameters: { a: "1,2", b: "x y" },
        requestContext: {
          accountId: "anonymous",
          apiId: "127",
          domainName: host,
          domainPrefix: "127",
          http: {
            method: "POST",
            path: "/tasks/chat%20x",
            protocol: "HTTP/1.1",
            sourceIp: "127.0.0.1",
            userAgent: "test",
          },
          requestId: response.headers.get("x-amzn-requestid"),
          routeKey: "$default",
          stage: "$default",
          time: expect.stringMatching(/^\d{2}\/[A-Z][a-z]{2}\/\d{4}:/),
          timeEpoch: expect.any(Number),
        },
        body: '{"text":"Oli otya?"}',
        isBase64Encoded: false,
      },
    ]);
  });

  it.each([
    ["application/json; charset=utf-8", "text"],
    ["text/plain", "text"],
    ["application/xml", "text"],
    ["application/x-www-form-urlencoded", "base64"],
    ["multipart/form-data; boundary=x", "base64"],
    ["audio/wav", "base64"],
  ])("carries %s as %s", async (contentType, encoding) => {
    await start(good);
    await fetch(server.url, { method: "POST", headers: { "content-type": contentType }, body: "body" });
    expect(server.eventsOf("chat")).toMatchObject([
      encoding === "text"
        ? { body: "body", isBase64Encoded: false }
        : { body: Buffer.from("body").toString("base64"), isBase64Encoded: true },
    ]);
  });

  it("carries compressed bytes unchanged, as base64, for any type", async () => {
    await start(good);
    const packed = gzipSync('{"text":"Oli otya?"}');
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    await fetch(server.url, { method: "POST", headers, body: Uint8Array.from(packed) });
    expect(server.eventsOf("chat")).toMatchObject([
      { body: packed.toString("base64"), isBase64Encoded: true },
    ]);
  });

  it("leaves out what the request does not have", async () => {
    await start(good);
    await fetch(`${server.url}/`);
    const [event] = server.eventsOf("chat");
    for (const field of ["body", "cookies", "queryStringParameters"]) expect(event).not.toHaveProperty(field);
  });
});

describe("A function URL", () => {
  it("sends status and headers at once, and the body as it comes", async () => {
    const stream = streaming({
      statusCode: 200,
      headers: { "Content-Type": "text/event-stream" },
      cookies: ["a=1"],
    });
    await start(() => stream.result);
    const response = await fetch(`${server.url}/tasks/chat/completions`, { method: "POST" });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.getSetCookie()).toEqual(["a=1"]);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (const text of ["data: 1\n\n", "data: 2\n\n"]) {
      stream.body.write(text);
      expect((await reader?.read())?.value).toBe(text);
    }
    stream.body.end();
    expect((await reader?.read())?.done).toBe(true);
  });

  it("sends a stream without metadata as it is", async () => {
    const stream = rawStream("text/plain");
    await start(() => stream.result);
    stream.body.end("hello");
    const response = await fetch(server.url);
    expect(response.headers.get("content-type")).toBe("text/plain");
    expect(await response.text()).toBe("hello");
  });

  it("aborts the invocation when the caller leaves", async () => {
    const stream = streaming({ statusCode: 200 });
    const left = Promise.withResolvers<void>();
    await start((_event, signal) => {
      signal?.addEventListener("abort", () => left.resolve());
      return stream.result;
    });
    const caller = new AbortController();
    await fetch(server.url, { signal: caller.signal });
    caller.abort();
    await left.promise;
    expect(stream.body.destroyed).toBe(true);
  });

  it("breaks the connection when the function fails on the way", async () => {
    const stream = streaming({ statusCode: 200 });
    await start(() => stream.result);
    const response = await fetch(server.url);
    stream.breakOff("Error: boom");
    await expect(response.text()).rejects.toThrow();
  });

  it.each([
    ["throws", thrown("boom", "TypeError"), "The function chat failed with TypeError."],
    [
      "responds in one piece",
      returned({ statusCode: 200 }),
      "The function chat responds in one piece, but it is to stream its response.",
    ],
  ])("returns 502 when the function %s", async (_what, result, reason) => {
    await start(() => result);
    const response = await fetch(server.url);
    expect(response.status).toBe(502);
    expect(await response.text()).toBe("Internal Server Error");
    expect(log[0]).toBe(reason);
  });

  it("returns 413 for more than 6 MB, before and after base64", async () => {
    await start(() => ({ kind: "error", ...requestTooLarge }));
    const post = (bytes: number) => fetch(server.url, { method: "POST", body: Buffer.alloc(bytes) });
    expect((await post(6 * 1024 * 1024 + 1)).status).toBe(413);
    expect(server.eventsOf("chat")).toHaveLength(0);
    expect((await post(5 * 1024 * 1024)).status).toBe(413);
    expect(server.eventsOf("chat")).toHaveLength(1);
  });

  it("leaves a browser's preflight to the function", async () => {
    await start(good);
    const headers = { origin: "https://app.example", "access-control-request-method": "POST" };
    await fetch(server.url, { method: "OPTIONS", headers });
    expect(server.eventsOf("chat")).toHaveLength(1);
  });
});
