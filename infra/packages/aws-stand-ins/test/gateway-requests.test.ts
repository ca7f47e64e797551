import { deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { restApi, returned, startTestGateway, type TestGateway, wordless } from "./gateway-harness.ts";

let gateway: TestGateway;
afterEach(() => gateway.close());

const start = async (options: Parameters<typeof startTestGateway>[1] = {}): Promise<void> => {
  gateway = await startTestGateway({ echo: () => returned({ statusCode: 200, body: "{}" }) }, options);
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("The event of a request", () => {
  it("is the one API Gateway makes, field by field", async () => {
    await start({ publicHost: "localhost" });
    const { host } = new URL(gateway.url);
    const response = await fetch(`${gateway.url}/upload?a=1&a=2&b=x%20y`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "User-Agent": "test", "X-Custom": "value" },
      body: '{"text":"Oli otya? 🦒"}',
    });
    expect(gateway.eventsOf("echo")).toEqual([
      {
        resource: "/upload",
        path: "/upload",
        httpMethod: "POST",
        headers: expect.objectContaining({ "Content-Type": "application/json", "X-Custom": "value" }),
        multiValueHeaders: expect.objectContaining({ "Content-Type": ["application/json"] }),
        queryStringParameters: { a: "2", b: "x y" },
        multiValueQueryStringParameters: { a: ["1", "2"], b: ["x y"] },
        pathParameters: null,
        stageVariables: { chat: "chat:live", colour: "blue", echo: "echo:live" },
        requestContext: {
          accountId: "000000000000",
          apiId: restApi.id,
          authorizer: undefined,
          domainName: host,
          domainPrefix: host,
          extendedRequestId: response.headers.get("x-amz-apigw-id"),
          httpMethod: "POST",
          identity: expect.objectContaining({
            sourceIp: "127.0.0.1",
            userAgent: "test",
            user: null,
            apiKey: null,
          }),
          path: "/upload",
          protocol: "HTTP/1.1",
          requestId: response.headers.get("x-amzn-requestid"),
          requestTime: expect.stringMatching(/^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} \+0000$/),
          requestTimeEpoch: expect.any(Number),
          resourceId: expect.any(String),
          resourcePath: "/upload",
          stage: "v2",
        },
        body: '{"text":"Oli otya? 🦒"}',
        isBase64Encoded: false,
      },
    ]);
    expect(response.headers.get("x-amzn-requestid")).toMatch(uuid);
  });

  it("has null, not empty values, where the request has nothing", async () => {
    await start();
    await fetch(`${gateway.url}/health`);
    expect(gateway.eventsOf("echo")).toMatchObject([
      {
        queryStringParameters: null,
        multiValueQueryStringParameters: null,
        pathParameters: null,
        body: null,
        isBase64Encoded: false,
      },
    ]);
  });

  it("carries binary media types as base64, byte for byte, and text as text", async () => {
    await start();
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await fetch(`${gateway.url}/upload`, {
      method: "POST",
      headers: { "content-type": "audio/wav" },
      body: bytes,
    });
    await fetch(`${gateway.url}/upload`, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "héé",
    });
    const form = new FormData();
    form.set("language", "lug");
    await fetch(`${gateway.url}/upload`, { method: "POST", body: form });
    expect(gateway.eventsOf("echo")).toMatchObject([
      { body: Buffer.from(bytes).toString("base64"), isBase64Encoded: true },
      { body: "héé", isBase64Encoded: false },
      { isBase64Encoded: true },
    ]);
  });

  it("carries a packed body unpacked, as API Gateway does, within the largest body there is", async () => {
    await start();
    const send = (coding: string, body: Buffer) =>
      fetch(`${gateway.url}/upload`, {
        method: "POST",
        headers: { "content-type": "application/json", "content-encoding": coding },
        body: Uint8Array.from(body),
      });
    await send("gzip", gzipSync('{"text":"é"}'));
    await send("deflate", deflateSync('{"text":"é"}'));
    await send("identity", Buffer.from('{"text":"é"}'));
    const unpacked = { body: '{"text":"é"}', isBase64Encoded: false };
    expect(gateway.eventsOf("echo")).toMatchObject([unpacked, unpacked, unpacked]);
    expect((await send("gzip", gzipSync(Buffer.alloc(11_000_000)))).status).toBe(413);
    expect((await send("gzip", Buffer.from("{}"))).status).toBe(415);
    expect((await send("br", Buffer.from("{}"))).status).toBe(415);
    expect(gateway.eventsOf("echo")).toHaveLength(3);
  });

  it("names the caller by the connection; forwarding headers cannot fake the address", async () => {
    await start();
    await fetch(`${gateway.url}/health`, {
      headers: { "X-Forwarded-For": "203.0.113.9", Forwarded: "for=203.0.113.9" },
    });
    expect(gateway.eventsOf("echo")).toMatchObject([
      {
        headers: { "X-Forwarded-For": "203.0.113.9, 127.0.0.1", "X-Forwarded-Proto": "http" },
        multiValueHeaders: { "X-Forwarded-For": ["203.0.113.9, 127.0.0.1"] },
        requestContext: { identity: { sourceIp: "127.0.0.1" } },
      },
    ]);
  });

  it("keeps query parameters and headers whose names mean something to JavaScript", async () => {
    await start();
    await fetch(`${gateway.url}/health?__proto__=x&constructor=y`);
    const [event] = gateway.eventsOf("echo");
    expect(JSON.parse(JSON.stringify(event))).toMatchObject({
      queryStringParameters: JSON.parse('{"__proto__":"x","constructor":"y"}'),
    });
  });
});

describe("The route of a request", () => {
  it.each([
    ["/items/latest", "/items/latest", null],
    ["/items/latest/", "/items/latest", null],
    ["/files/a", "/files/{proxy+}", { proxy: "a" }],
    ["/files/a/b%20c/", "/files/{proxy+}", { proxy: "a/b c/" }],
  ])(
    "%s is %s: the most specific path wins, parameters are decoded",
    async (path, resource, pathParameters) => {
      await start();
      await fetch(`${gateway.url}${path}`);
      expect(gateway.eventsOf("echo")).toMatchObject([{ resource, path, pathParameters }]);
    },
  );

  it.each([
    ["a path that does not exist", "GET", "/nowhere"],
    ["a path with no method of its own", "GET", "/items"],
    ["a known path with a method that has no route", "DELETE", "/items/latest"],
    ["an empty segment, which is no parameter", "GET", "/items/"],
    ["nothing instead of the rest of a path", "GET", "/files/"],
    ["another case", "GET", "/Health"],
  ])("is missing for %s", async (_what, method, path) => {
    await start();
    const response = await fetch(`${gateway.url}${path}`, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ detail: "Not Found" });
    expect(response.headers.get("x-request-id")).toBe(response.headers.get("x-amzn-requestid"));
    expect(response.headers.get("x-amzn-errortype")).toBe("MissingAuthenticationTokenException");
    expect(gateway.eventsOf("echo")).toEqual([]);
  });

  it("is refused in API Gateway's own words when the API has none", async () => {
    gateway = await startTestGateway({}, { model: wordless });
    const response = await fetch(`${gateway.url}/nowhere`);
    expect(response.status).toBe(403);
    expect(await response.text()).toBe('{"message":"Missing Authentication Token"}');
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  it("is refused when the path is not valid percent-encoding", async () => {
    await start();
    const response = await fetch(`${gateway.url}/files/%E0%A4%A`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ detail: "Bad Request" });
  });
});

describe("A route that API Gateway handles itself", () => {
  it.each([
    ["no body", {}],
    ["JSON", { headers: { "content-type": "application/json; charset=utf-8" }, body: "{}" }],
    ["a form with a file", { body: new FormData() }],
  ])("says which methods there are, to a request with %s", async (_what, init) => {
    await start();
    const response = await fetch(`${gateway.url}/health`, { method: "POST", ...init });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET,OPTIONS");
    const requestId = response.headers.get("x-amzn-requestid");
    expect(response.headers.get("x-request-id")).toBe(requestId);
    expect(await response.json()).toEqual({ detail: "Method Not Allowed", request_id: requestId });
  });

  it("responds as its template chooses by the method", async () => {
    await start();
    const response = await fetch(`${gateway.url}/health`, { method: "PATCH" });
    expect(response.status).toBe(204);
    expect(response.headers.get("accept-patch")).toBe("application/json");
    expect(response.headers.get("allow")).toBeNull();
    expect(await response.text()).toBe("");
  });

  it("refuses content types that its templates do not list, as its passthrough behaviour says", async () => {
    await start();
    const response = await fetch(`${gateway.url}/health`, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "x",
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toEqual({ detail: "Unsupported Media Type" });
  });
});

describe("The log", () => {
  it("has one line for each request, without its query", async () => {
    await start();
    await fetch(`${gateway.url}/health?token=secret`);
    await fetch(`${gateway.url}/nowhere`);
    await gateway.close();
    expect(gateway.log).toEqual([
      expect.stringMatching(/^GET \/health 200 \d+ms$/),
      expect.stringMatching(/^GET \/nowhere 404 \d+ms$/),
    ]);
  });
});
