import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { postCallback } from "../../../../functions/callback/post-callback.ts";
import { connectionsOpened, openConnection } from "../../../../shared/platform/outbound/connections.ts";
import { makeCertificate } from "../../../support/certificate.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const listen = async (server: Server): Promise<number> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
};
const receive = (respond: RequestListener): Promise<number> => listen(createServer(respond));

const callback = (url: string) => ({ url, headers: { "content-type": "application/json" }, body: '{"a":1}' });
const options = { allowLoopback: true, signal: new AbortController().signal };

describe("Sending a callback", () => {
  it("posts the body and returns the status, with any response body", async () => {
    const heard: string[] = [];
    const port = await receive((request, response) => {
      void text(request).then((body) => {
        heard.push(body, `${request.method} ${request.url} ${request.headers["content-type"]}`);
        response.writeHead(202).write("x".repeat(100_000));
      });
    });
    expect(await postCallback(callback(`http://127.0.0.1:${port}/hook?a=b`), options)).toBe(202);
    expect(heard).toEqual(['{"a":1}', "POST /hook?a=b application/json"]);
  });

  it("does not follow redirects", async () => {
    let calls = 0;
    const port = await receive((_request, response) => {
      calls += 1;
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    expect(await postCallback(callback(`http://127.0.0.1:${port}/`), options)).toBe(307);
    expect(calls).toBe(1);
  });

  it("goes to no private address, with any name", async () => {
    let calls = 0;
    const port = await receive((_request, response) => {
      calls += 1;
      response.end();
    });
    for (const address of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1"]) {
      const resolve = async () => [
        { address: "93.184.216.34", family: 4 },
        { address, family: address.includes(":") ? 6 : 4 },
      ];
      await expect(
        postCallback(callback(`https://example.org:${port}/`), { ...options, allowLoopback: false, resolve }),
      ).rejects.toThrow("The host name has an address that is not on the public internet.");
    }
    await expect(
      postCallback(callback(`http://127.0.0.1:${port}/`), { ...options, allowLoopback: false }),
    ).rejects.toThrow("The URL must start with https://.");
    expect(calls).toBe(0);
  });

  it("resolves a name once, and connects to these addresses", async () => {
    let requested = 0;
    const port = await receive((_request, response) => response.writeHead(204).end());
    const resolve = async () => {
      requested += 1;
      return [{ address: requested === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }];
    };
    expect(await postCallback(callback(`http://localhost:${port}/`), { ...options, resolve })).toBe(204);
    expect(requested).toBe(1);
  });

  it("opens a connection of its own for each callback, also where another one waits", async () => {
    const heard: (string | undefined)[] = [];
    const port = await receive((request, response) => {
      heard.push(request.headers.connection);
      response.end();
    });
    const url = `http://127.0.0.1:${port}/`;
    const sockets = new Set<unknown>();
    servers[0]?.on("connection", (socket) => sockets.add(socket));
    openConnection(new URL(url));
    await connectionsOpened();
    await postCallback(callback(url), options);
    await postCallback(callback(url), options);
    expect(heard).toEqual(["close", "close"]);
    expect(sockets.size).toBe(3);
  });

  it("says that a name has no address", async () => {
    const resolve = () => Promise.reject(new Error("getaddrinfo ENOTFOUND"));
    await expect(
      postCallback(callback("https://no-such-name.example/"), { ...options, resolve }),
    ).rejects.toThrow("The host name has no address.");
  });

  it("says so when the receiver of an https address speaks plain http", async () => {
    const port = await receive((_request, response) => response.end());
    await expect(postCallback(callback(`https://127.0.0.1:${port}/`), options)).rejects.toThrow(
      "The receiver does not support TLS, which https requires (EPROTO).",
    );
  });

  it("wants a certificate that is valid for the name", async () => {
    const server = createSecureServer(makeCertificate(["localhost"]), (_request, response) => response.end());
    const port = await listen(server);
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    await expect(
      postCallback(callback(`https://localhost:${port}/`), { ...options, resolve }),
    ).rejects.toThrow(/^The receiver's certificate is not valid \(/);
  });

  it("fails for a receiver that does not respond in time", async () => {
    const port = await receive(() => undefined);
    const waiting = new AbortController();
    const sending = postCallback(callback(`http://127.0.0.1:${port}/`), {
      ...options,
      signal: waiting.signal,
    });
    setTimeout(() => waiting.abort(), 50);
    await expect(sending).rejects.toThrow("The receiver did not respond in time.");
  });

  it("names no more than the code of what failed", async () => {
    const port = await receive((request) => request.socket.destroy());
    await expect(postCallback(callback(`http://127.0.0.1:${port}/`), options)).rejects.toThrow(
      "The receiver could not be reached (ECONNRESET).",
    );
  });
});
