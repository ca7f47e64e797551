import { once } from "node:events";
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from "node:net";
import { createServer, getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connectionsOpened, openConnection } from "../../../../shared/platform/outbound/connections.ts";
import { exchangeOverSocket } from "../../../../shared/platform/outbound/socket-exchange.ts";
import { makeCertificate } from "../../../support/certificate.ts";

const loopback6 = [...new Array<number>(15).fill(0), 1];
const trusted = makeCertificate(["localhost", loopback6]);
const usual = getCACertificates("default");

/** A proxy between client and server: raw connections, which can be cut without TLS noticing. */
let raw: Server;
let url: URL;
let secured: TLSSocket[] = [];
let received: string[] = [];
let resumed: boolean[] = [];
let cut: () => void = () => undefined;
let closers: (() => void)[] = [];

const response = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone";

const listen = async (
  certificate: { readonly key: string; readonly cert: string },
  { respond = (socket: Socket): void => void socket.write(response), host = "127.0.0.1" } = {},
) => {
  const server = createServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, (socket) => {
    secured.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      received.push(bytes.toString());
      resumed.push(socket.isSessionReused());
      respond(socket);
    });
  });
  raw = createPlainServer((socket) => {
    socket.on("error", () => undefined);
    cut = () => void socket.end();
    server.emit("connection", socket);
  });
  raw.listen(0, host);
  await once(raw, "listening");
  const { port } = raw.address() as AddressInfo;
  url = new URL(`https://localhost:${port}/base/v1/path?version=1`);
  closers.push(() => {
    for (const socket of secured) socket.destroy();
    raw.close();
  });
};

const ask = (to = url) =>
  exchangeOverSocket({
    url: to,
    headers: {},
    body: "{}",
    signal: new AbortController().signal,
    milliseconds: 5_000,
    maxBytes: 1_000,
  });

beforeAll(() => setDefaultCACertificates([...usual, trusted.cert]));
afterAll(() => setDefaultCACertificates(usual));
beforeEach(() => {
  secured = [];
  received = [];
  resumed = [];
  closers = [];
});
afterEach(() => {
  for (const close of closers) close();
});

describe("an exchange over TLS", () => {
  it("works with a server whose certificate is trusted, on one connection", async () => {
    await listen(trusted);
    expect(await ask()).toMatchObject({ statusCode: 200, body: "done" });
    expect((await ask()).body).toBe("done");
    expect(secured).toHaveLength(1);
    expect(secured[0]).toMatchObject({ servername: "localhost", alpnProtocol: "http/1.1" });
    expect(received[0]).toMatch(/^POST \/base\/v1\/path\?version=1 HTTP\/1\.1\r\n/);
    expect(received[0]).toContain(`\r\nHost: localhost:${url.port}\r\n`);
  });

  it("sends nothing to a server whose certificate is not signed", async () => {
    await listen(makeCertificate(["localhost"]));
    await expect(ask()).rejects.toMatchObject({
      name: "BackendUnreachable",
      cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
    });
    expect(received).toEqual([]);
  });

  it("sends nothing to a server with the certificate of another name, the second time as well", async () => {
    const other = makeCertificate(["other.example"]);
    setDefaultCACertificates([...usual, trusted.cert, other.cert]);
    closers.push(() => setDefaultCACertificates([...usual, trusted.cert]));
    await listen(other);
    for (let time = 0; time < 2; time += 1) {
      await expect(ask()).rejects.toMatchObject({
        name: "BackendUnreachable",
        cause: { code: "ERR_TLS_CERT_ALTNAME_INVALID" },
      });
    }
    expect(received).toEqual([]);
  });

  it("sends nothing over a connection that was opened ahead to a server that is not trusted", async () => {
    await listen(makeCertificate(["localhost"]));
    openConnection(url);
    await connectionsOpened();
    await expect(ask()).rejects.toThrow("The connection failed.");
    expect(received).toEqual([]);
  });

  it("resumes the session when it opens another connection", async () => {
    await listen(trusted, {
      respond: (socket) => void socket.end(response.replace("\r\n", "\r\nConnection: close\r\n")),
    });
    await ask();
    await ask();
    expect(resumed).toEqual([false, true]);
  });

  it.each([
    ["reaches to the end of the connection", "HTTP/1.1 200 OK\r\n\r\n{}"],
    ["has a length", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"],
    ["is in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"],
  ])("fails when the connection is cut in a response that %s", async (_, part) => {
    await listen(trusted, { respond: (socket) => void socket.write(part, () => cut()) });
    await expect(ask()).rejects.toMatchObject({
      name: "BackendUnreachable",
      cause: { message: expect.stringContaining("closed") },
    });
  });

  it("reaches a server by its IPv6 address", async () => {
    await listen(trusted, { host: "::1" });
    url.hostname = "[::1]";
    expect((await ask()).body).toBe("done");
    expect(received[0]).toContain(`\r\nHost: [::1]:${url.port}\r\n`);
    expect(secured[0]?.servername).toBe(false);
  });
});
