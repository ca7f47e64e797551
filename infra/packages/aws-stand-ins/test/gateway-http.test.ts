import { once } from "node:events";
import { STATUS_CODES } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { LocalRoutes } from "../src/gateway/local-routes.ts";
import type { InvocationResult } from "../src/lambda/invocation.ts";
import { restApi, returned, startTestGateway, streaming, type TestGateway } from "./gateway-harness.ts";

let gateway: TestGateway;
afterEach(() => gateway.close());

const start = async (options: Parameters<typeof startTestGateway>[1] = {}): Promise<void> => {
  gateway = await startTestGateway({ echo: () => returned({ statusCode: 200, body: "done" }) }, options);
};

/** A connection of bytes, for what HTTP clients do not let one send. */
const open = async (): Promise<Socket> => {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  await once(socket, "connect");
  return socket;
};

const head = (...lines: string[]): string => `${[...lines, "Host: localhost"].join("\r\n")}\r\n\r\n`;

/** Sends bytes and returns all that comes back until the connection ends. */
const converse = async (bytes: string): Promise<string> => {
  const socket = await open();
  socket.write(bytes);
  return await text(socket);
};

const nextText = async (socket: Socket): Promise<string> => {
  const [chunk] = await once(socket, "data");
  return String(chunk);
};

describe("A connection", () => {
  it("serves one request after the other", async () => {
    await start();
    const socket = await open();
    for (let round = 0; round < 3; round++) {
      socket.write(head("GET /health HTTP/1.1"));
      expect(await nextText(socket)).toContain("HTTP/1.1 200 OK");
    }
    socket.destroy();
  });

  it("serves pipelined requests, and responds in their order", async () => {
    const first = Promise.withResolvers<InvocationResult>();
    const second = Promise.withResolvers<void>();
    const responses = [
      () => first.promise,
      () => {
        second.resolve();
        return returned({ statusCode: 200, body: "second" });
      },
    ];
    gateway = await startTestGateway({
      echo: () => responses.shift()?.() ?? returned({ statusCode: 500 }),
    });
    const conversation = converse(
      head("GET /health HTTP/1.1") + head("GET /health HTTP/1.1", "Connection: close"),
    );
    await second.promise;
    first.resolve(returned({ statusCode: 200, body: "first" }));
    expect(await conversation).toMatch(/first.*second$/s);
  });

  it("gets 100 Continue when it requests it before sending a body", async () => {
    await start();
    const socket = await open();
    socket.write(head("POST /upload HTTP/1.1", "Content-Length: 4", "Expect: 100-continue"));
    expect(await nextText(socket)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("body");
    const response = await nextText(socket);
    expect(response).toContain("HTTP/1.1 200 OK");
    expect(response.toLowerCase()).toContain("connection: keep-alive");
    expect(gateway.eventsOf("echo")).toMatchObject([{ body: "body" }]);
    socket.destroy();
  });

  it("need not send a body that is too large, when it asks first", async () => {
    await start();
    const response = await converse(
      head("POST /upload HTTP/1.1", "Content-Length: 20000000", "Expect: 100-continue"),
    );
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
    expect(response.toLowerCase()).toContain("connection: close");
  });

  it("may name the whole address, as through a proxy", async () => {
    await start();
    await converse(head("GET http://localhost:3000/health?a=1 HTTP/1.1", "Connection: close"));
    expect(gateway.eventsOf("echo")).toMatchObject([{ path: "/health", queryStringParameters: { a: "1" } }]);
  });

  it("gets headers without a body for HEAD", async () => {
    await start();
    const response = await converse(head("HEAD /files/a HTTP/1.1", "Connection: close"));
    expect(response).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(response.toLowerCase()).toContain("content-length: 4");
    expect(response).toMatch(/\r\n\r\n$/);
  });

  it("is ended when it sends its headers too slowly", async () => {
    await start({ slowCallers: { headersMilliseconds: 60, requestMilliseconds: 10_000 } });
    expect(await converse("GET /health HTTP/1.1\r\nHost: loc")).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("is ended when it sends its body too slowly, and the function is not called", async () => {
    await start({ slowCallers: { headersMilliseconds: 60, requestMilliseconds: 60 } });
    expect(await converse(`${head("POST /upload HTTP/1.1", "Content-Length: 10")}abc`)).toMatch(
      /^HTTP\/1\.1 408 /,
    );
    expect(gateway.eventsOf("echo")).toEqual([]);
  });

  it("that breaks in the middle of a body calls no function", async () => {
    await start();
    const socket = await open();
    socket.write(`${head("POST /upload HTTP/1.1", "Content-Length: 10")}abc`);
    socket.destroySoon();
    await vi.waitFor(() => expect(gateway.log).toEqual([expect.stringMatching(/^POST \/upload 499 /)]));
    expect(gateway.eventsOf("echo")).toEqual([]);
  });
});

describe("What cannot be read as a request", () => {
  const large = (bytes: number) => head("GET /health HTTP/1.1", `X-Large: ${"a".repeat(bytes)}`);

  it.each([
    ["has a head of more than 10,240 bytes", large(10_240), 431],
    ["has a head that is much larger", large(2_000_000), 431],
    ["has a path of more than 10,240 bytes", head(`GET /health?a=${"a".repeat(10_240)} HTTP/1.1`), 431],
    ["is no HTTP", "hello\r\n\r\n", 400],
    ["has a header without a name", head("GET /health HTTP/1.1", ": a"), 400],
    ["has two lengths", head("POST /upload HTTP/1.1", "Content-Length: 1", "Content-Length: 2"), 400],
    [
      "has a length and is chunked",
      head("POST /upload HTTP/1.1", "Content-Length: 1", "Transfer-Encoding: chunked"),
      400,
    ],
  ])("because it %s gets a response in the API's own format", async (_case, bytes, status) => {
    await start();
    const response = await converse(bytes);
    const [headers = "", body = ""] = response.split("\r\n\r\n");
    expect(headers).toMatch(new RegExp(`^HTTP/1\\.1 ${status} \\w`));
    expect(headers.toLowerCase()).toContain("content-type: application/json");
    expect(headers.toLowerCase()).toContain("connection: close");
    const requestId = /^x-amzn-RequestId: (.+)$/m.exec(headers)?.[1]?.trim();
    expect(requestId).toMatch(/^[\da-f-]{36}$/);
    expect(headers).toContain(`X-Request-Id: ${requestId}`);
    expect(JSON.parse(body)).toEqual({ detail: STATUS_CODES[status] });
    expect(gateway.eventsOf("echo")).toEqual([]);
    expect(gateway.log).toEqual([
      expect.stringMatching(new RegExp(`^A request could not be read .*: ${status}$`)),
    ]);
  });

  it("begins beyond 10,000 bytes of headers", async () => {
    await start();
    const response = await converse(large(10_000).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("ends its own connection only", async () => {
    await start();
    const other = await open();
    await converse(large(20_000));
    other.write(head("GET /health HTTP/1.1"));
    expect(await nextText(other)).toContain("HTTP/1.1 200 OK");
    other.destroy();
  });

  it("does not corrupt a started response", async () => {
    const { body, result } = streaming({ statusCode: 200 });
    gateway = await startTestGateway({ chat: () => result });
    body.write("begun");
    const socket = await open();
    const all = text(socket);
    socket.write(head("POST /chat HTTP/1.1", "Content-Length: 0"));
    await once(socket, "data");
    socket.write("\0\0\0\r\n\r\n");
    expect(await all).not.toContain("400");
    body.destroy();
  });
});

describe("A gateway", () => {
  it("says what to do when its port is in use", async () => {
    await start();
    const port = Number(new URL(gateway.url).port);
    await expect(startTestGateway({}, { port })).rejects.toThrow(`Port ${port} is in use.`);
  });

  it("finishes the requests it has before it closes, and takes no more", async () => {
    const called = Promise.withResolvers<void>();
    const received = Promise.withResolvers<InvocationResult>();
    gateway = await startTestGateway({
      echo: () => {
        called.resolve();
        return received.promise;
      },
    });
    const response = fetch(`${gateway.url}/health`);
    await called.promise;
    const closed = gateway.close();
    await expect(fetch(`${gateway.url}/health`)).rejects.toThrow();
    received.resolve(returned({ statusCode: 200, body: "finished" }));
    expect(await (await response).text()).toBe("finished");
    await closed;
  });

  it("cannot be stopped by an API that it cannot serve without saying why", async () => {
    const gatewayResponses = [
      { responseType: "UNAUTHORIZED", statusCode: 401, headers: { "X-Odd": "$unquoted" }, templates: {} },
    ];
    await start();
    await expect(
      startTestGateway({}, { model: { restApi: { ...restApi, gatewayResponses } } }),
    ).rejects.toThrow("The gateway cannot make a header out of $unquoted.");
  });
});

describe("A gateway with a base path", () => {
  it("serves the API below it, as a stage is served at its default address", async () => {
    await start({ basePath: "/prod" });
    expect(gateway.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/prod$/);
    expect(await (await fetch(`${gateway.url}/health?full=yes`)).text()).toBe("done");
    expect(gateway.eventsOf("echo")).toMatchObject([
      { resource: "/health", path: "/health", requestContext: { path: "/prod/health" } },
    ]);
  });

  it.each(["/health", "/production/health", "/"])("knows no API at %s", async (path) => {
    await start({ basePath: "/prod" });
    const response = await fetch(new URL(path, gateway.url));
    expect([response.status, await response.json()]).toEqual([403, { message: "Forbidden" }]);
    expect(gateway.eventsOf("echo")).toEqual([]);
  });

  it("has its local routes below it as well", async () => {
    await start({
      basePath: "/prod",
      localRoutes: (url) => ({ "GET /_local/url": async () => ({ status: 200, body: JSON.stringify(url) }) }),
    });
    expect(await (await fetch(`${gateway.url}/_local/url`)).json()).toBe(gateway.url);
  });
});

describe("A local route", () => {
  const localRoutes: LocalRoutes = {
    "GET /_local/mail": async (request) => ({
      status: 200,
      body: JSON.stringify({ requested: request.url }),
    }),
    "POST /_local/media": async (_request, body) => ({
      status: 201,
      headers: { "content-type": "text/plain" },
      body: `${body.length} bytes`,
    }),
    "GET /health": async () => ({ status: 200, body: "local" }),
    "GET /_local/broken": async () => {
      throw new Error("This route is broken.");
    },
  };

  it.each(["rebound.example", "127.0.0.1.rebound.example", "192.0.2.7", ""])(
    "is refused to a page whose name %j resolves to this machine",
    async (host) => {
      await start({ localRoutes: () => localRoutes });
      const response = await converse(
        `GET /_local/mail HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(response).toMatch(/^HTTP\/1\.1 403 .*is only available on this machine/s);
    },
  );

  it.each(["localhost", "LOCALHOST:3000", "127.0.0.1", "[::1]:3000"])(
    "responds to %s, a name of this machine",
    async (host) => {
      await start({ localRoutes: () => localRoutes });
      const response = await converse(
        `GET /_local/mail HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(response).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it("responds before the API does", async () => {
    await start({ localRoutes: () => localRoutes });
    const response = await fetch(`${gateway.url}/_local/mail?to=a`);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({ requested: "/_local/mail?to=a" });
    expect(await (await fetch(`${gateway.url}/health`)).text()).toBe("local");
  });

  it("takes bodies larger than the API's", async () => {
    await start({ localRoutes: () => localRoutes });
    const response = await fetch(`${gateway.url}/_local/media`, {
      method: "POST",
      body: Buffer.alloc(11_000_000),
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("content-type")).toBe("text/plain");
    expect(await response.text()).toBe("11000000 bytes");
  });

  it("exists for its method only; everything else is the API's", async () => {
    await start({ localRoutes: () => localRoutes });
    expect((await fetch(`${gateway.url}/_local/mail`, { method: "POST" })).status).toBe(404);
    expect((await fetch(`${gateway.url}/_local/toString`)).status).toBe(404);
  });

  it("that fails returns 500 and says why in the log only", async () => {
    await start({ localRoutes: () => localRoutes });
    const response = await fetch(`${gateway.url}/_local/broken`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("broken");
    expect(gateway.log[0]).toContain("This route is broken.");
  });
});
