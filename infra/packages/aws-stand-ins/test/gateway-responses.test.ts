import { afterEach, describe, expect, it, vi } from "vitest";
import { type InvocationResult, requestTooLarge } from "../src/lambda/invocation.ts";
import { returned, startTestGateway, streaming, type TestGateway, thrown } from "./gateway-harness.ts";

let gateway: TestGateway;
afterEach(() => gateway.close());

const start = async (result: InvocationResult): Promise<void> => {
  gateway = await startTestGateway({ echo: () => result, chat: () => result });
};

describe("The response of a function", () => {
  it("reaches the caller with its status, headers and body", async () => {
    await start(
      returned({
        statusCode: 201,
        headers: { "Content-Type": "text/plain; charset=utf-8", "X-Count": 3, "X-Merged": "one" },
        multiValueHeaders: { "Set-Cookie": ["a=1", "b=2"], "x-merged": ["two", "three"] },
        body: "Oli otya? 🦒",
      }),
    );
    const response = await fetch(`${gateway.url}/health`);
    expect(response.status).toBe(201);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("x-count")).toBe("3");
    expect(response.headers.get("x-merged")).toBe("two, three");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(response.headers.get("content-length")).toBe("14");
    expect(await response.text()).toBe("Oli otya? 🦒");
  });

  it("is JSON unless it says otherwise", async () => {
    await start(returned({ statusCode: "200", body: "{}" }));
    expect((await fetch(`${gateway.url}/health`)).headers.get("content-type")).toBe("application/json");
  });

  it("may have no body", async () => {
    await start(returned({ statusCode: 204, body: null }));
    const response = await fetch(`${gateway.url}/health`);
    expect(response.status).toBe(204);
    expect(response.headers.get("content-length")).toBeNull();
  });

  it("is decoded from base64 for callers who first accept a binary type, as on API Gateway", async () => {
    await start(
      returned({
        statusCode: 200,
        headers: { "content-type": "audio/wav" },
        body: "UklGRg==",
        isBase64Encoded: true,
      }),
    );
    const get = async (accept: string) =>
      (await fetch(`${gateway.url}/health`, { headers: { accept } })).text();
    expect(await get("audio/wav, */*")).toBe("RIFF");
    expect(await get("*/*")).toBe("UklGRg==");
  });

  it("cannot set the headers that API Gateway keeps for itself", async () => {
    await start(
      returned({
        statusCode: 401,
        headers: { "WWW-Authenticate": "Bearer", "Content-Length": "1", Connection: "close" },
        body: "whole",
      }),
    );
    const response = await fetch(`${gateway.url}/health`);
    expect(response.headers.get("www-authenticate")).toBeNull();
    expect(response.headers.get("x-amzn-remapped-www-authenticate")).toBe("Bearer");
    expect(await response.text()).toBe("whole");
  });
});

describe("A function with an invalid response", () => {
  it.each([
    ["throws", thrown("secret detail", "TypeError"), "The function echo failed with TypeError."],
    ["returns nothing", returned(null), "The function echo returned a malformed proxy response."],
    ["returns no status", returned({ body: "x" }), "The function echo returned a malformed proxy response."],
    [
      "returns an impossible status",
      returned({ statusCode: 99 }),
      "The function echo returned a malformed proxy response.",
    ],
    ["returns a body that is not text", returned({ statusCode: 200, body: {} }), "malformed proxy response"],
    [
      "returns nested headers",
      returned({ statusCode: 200, headers: { a: ["b"] } }),
      "malformed proxy response",
    ],
    [
      "returns a header with a line break",
      returned({ statusCode: 200, headers: { a: "b\r\nc: d" } }),
      "malformed",
    ],
    [
      "returns what is not JSON",
      { kind: "buffered", payload: Buffer.from("<html>") },
      "malformed proxy response",
    ],
    ["streams, on a buffered route", streaming({ statusCode: 200 }).result, "it is to respond in one piece"],
  ] satisfies [string, InvocationResult, string][])(
    "returns 502 when it %s",
    async (_what, result, reason) => {
      await start(result);
      const response = await fetch(`${gateway.url}/health`);
      expect(response.status).toBe(502);
      expect(await response.json()).toEqual({ message: "Internal server error" });
      expect(response.headers.get("x-amzn-requestid")).not.toBeNull();
      expect(gateway.log[0]).toContain(reason);
      expect(gateway.log.join("\n")).not.toContain("secret detail");
    },
  );

  it("returns 502 when it responds in one piece on a streaming route, and the log says so", async () => {
    await start(returned({ statusCode: 200, body: "" }));
    expect((await fetch(`${gateway.url}/chat`, { method: "POST" })).status).toBe(502);
    expect(gateway.log[0]).toBe("The function chat responds in one piece, but it is to stream its response.");
  });

  it("returns 502 when there is no such function", async () => {
    gateway = await startTestGateway({});
    expect((await fetch(`${gateway.url}/health`)).status).toBe(502);
  });

  it("returns 504 when the integration times out, and its late response changes nothing", async () => {
    const late = Promise.withResolvers<InvocationResult>();
    gateway = await startTestGateway({ echo: () => late.promise });
    const response = await fetch(`${gateway.url}/impatient`, { method: "POST" });
    late.resolve(returned({ statusCode: 200, body: "late" }));
    expect(response.status).toBe(504);
    expect(await response.json()).toEqual({ message: "Endpoint request timed out" });
  });

  it("runs on when the caller leaves, as it does on AWS", async () => {
    const responded = Promise.withResolvers<void>();
    const called = Promise.withResolvers<AbortSignal | undefined>();
    gateway = await startTestGateway({
      echo: async (_event, signal) => {
        called.resolve(signal);
        await responded.promise;
        return returned({ statusCode: 200 });
      },
    });
    const caller = new AbortController();
    const response = fetch(`${gateway.url}/health`, { signal: caller.signal });
    const signal = await called.promise;
    caller.abort();
    await expect(response).rejects.toThrow();
    await vi.waitFor(() => expect(gateway.log).toEqual([expect.stringMatching(/^GET \/health 499 \d+ms$/)]));
    expect(signal?.aborted ?? false).toBe(false);
    responded.resolve();
  });
});

describe("A request that is too large", () => {
  const upload = (bytes: number, contentType: string, chunked = false): Promise<Response> => {
    const body = Buffer.alloc(bytes, "a");
    return fetch(`${gateway.url}/upload`, {
      method: "POST",
      headers: { "content-type": contentType },
      ...(chunked ? { body: new Blob([body]).stream(), duplex: "half" } : { body }),
    });
  };

  it.each([false, true])("for API Gateway (10 MB) returns 413 and no call (chunked: %s)", async (chunked) => {
    await start(returned({ statusCode: 200 }));
    const response = await upload(10 * 1024 * 1024 + 1, "audio/wav", chunked);
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ detail: "Request Too Long" });
    expect(gateway.eventsOf("echo")).toEqual([]);
  });

  it("for Lambda (6 MB, base64 counted) returns 413", async () => {
    await start({ kind: "error", ...requestTooLarge });
    expect((await upload(5 * 1024 * 1024, "audio/wav")).status).toBe(413);
  });

  it("but not larger than both, reaches the function", async () => {
    await start(returned({ statusCode: 200 }));
    expect((await upload(4_400_000, "audio/wav")).status).toBe(200);
  });
});
