import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  BackendRefusal,
  BackendTimeout,
  BackendUnreachable,
} from "../../../../shared/platform/outbound/failures.ts";
import { exchangeOverSocket } from "../../../../shared/platform/outbound/socket-exchange.ts";

let server: Server;
let url: URL;
const sockets: Socket[] = [];
const received: string[] = [];
/** What the server does with each request, one after the other; the last repeats. */
let behaviours: ((socket: Socket) => void)[] = [];

beforeEach(async () => {
  sockets.length = 0;
  received.length = 0;
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      received.push(bytes.toString());
      const behaviour = behaviours.length > 1 ? behaviours.shift() : behaviours[0];
      behaviour?.(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?query=1`);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, "close");
});

const ask = (options: Partial<Parameters<typeof exchangeOverSocket>[0]> = {}) =>
  exchangeOverSocket({
    url,
    headers: { "x-name": "value" },
    body: "{}",
    signal: new AbortController().signal,
    milliseconds: 5_000,
    maxBytes: 1_000,
    ...options,
  });

const sized = (body: string, more = ""): string =>
  `HTTP/1.1 200 OK\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const chunked = (...chunks: string[]): string =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${[...chunks, ""]
    .map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`)
    .join("")}`;

const saying =
  (text: string | Buffer, isLeaving = false) =>
  (socket: Socket): void => {
    socket.write(text);
    if (isLeaving) socket.end();
  };

describe("an exchange over a socket", () => {
  it("posts the text with its headers and its length in bytes, and returns status and body", async () => {
    behaviours = [saying(sized('{"é":1}').replace("200 OK", "400 Bad Request"))];
    expect(await ask({ body: '"é"' })).toMatchObject({ statusCode: 400, body: '{"é":1}' });
    expect(received).toEqual([
      `POST /path?query=1 HTTP/1.1\r\nHost: ${url.host}\r\nx-name: value\r\nContent-Length: 4\r\n\r\n"é"`,
    ]);
  });

  it("reads a response wherever the network cuts it, by its length and in chunks", async () => {
    const text = "Wéébale nnyo ".repeat(4);
    const responses = [
      sized(text, "X-Other: a\r\n"),
      chunked(text.slice(0, 5), text.slice(5, 30), text.slice(30)),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...responses),
        fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 6 }),
        async (response, cuts) => {
          const bytes = Buffer.from(response);
          const offsets = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
          behaviours = [
            (socket) => {
              void (async () => {
                for (const [index, offset] of offsets.slice(1).entries()) {
                  socket.write(bytes.subarray(offsets[index], offset));
                  await new Promise((resolve) => setImmediate(resolve));
                }
              })();
            },
          ];
          expect(await ask()).toMatchObject({ statusCode: 200, body: text });
        },
      ),
      { numRuns: 60 },
    );
    expect(sockets).toHaveLength(1);
  });

  it.each([
    ["that reaches to the end of the connection", "HTTP/1.0 200 OK\r\n\r\ndone"],
    ["behind informational ones", `HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${sized("done")}`],
    ["in chunks that say more than their size", chunked("done").replace("4\r\n", '4 ; name="value"\r\n')],
    ["in chunks with a trailer", `${chunked("done").slice(0, -2)}X-Checksum: 1\r\n\r\n`],
  ])("reads a response %s", async (_, response) => {
    behaviours = [saying(response, true)];
    expect(await ask()).toMatchObject({ statusCode: 200, body: "done" });
  });

  it("reports when all of it was sent, before the response", async () => {
    const events: string[] = [];
    behaviours = [saying(sized("done"))];
    await ask({ onSent: () => events.push("sent") }).then(() => events.push("answered"));
    expect(events).toEqual(["sent", "answered"]);
  });

  it("authenticates with the name and the password of an address, unless it has another header", async () => {
    behaviours = [saying(sized("done"))];
    const named = new URL(url);
    named.username = "us%3Aer";
    named.password = "pass";
    await ask({ url: named });
    await ask({ url: named, headers: { Authorization: "Bearer key" } });
    expect(received[0]).toContain(
      `\r\nAuthorization: Basic ${Buffer.from("us:er:pass").toString("base64")}\r\n`,
    );
    expect(received[1]?.match(/Authorization: .*/g)).toEqual(["Authorization: Bearer key"]);
  });

  it("takes an empty body", async () => {
    const noContent = "HTTP/1.1 204 No Content\r\n\r\n";
    behaviours = [saying(sized("")), saying(chunked()), saying(noContent)];
    expect((await ask()).body).toBe("");
    expect((await ask()).body).toBe("");
    expect(await ask()).toMatchObject({ statusCode: 204, body: "" });
    expect(sockets).toHaveLength(1);
  });
});

describe("an ambiguous response is refused, and its connection is closed", () => {
  it.each([
    ["with a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}"],
    ["with a length in a folded line", "HTTP/1.1 200 OK\r\nX: 1\r\n Content-Length: 2\r\n\r\n{}"],
    ["with a space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n{}"],
    ["with a line feed alone", "HTTP/1.1 200 OK\nX: 1\r\nContent-Length: 2\r\n\r\n{}"],
    ["with a status of no kind", "HTTP/1.1 600 Oh\r\nContent-Length: 0\r\n\r\n"],
    ["of another protocol", "HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\n{}"],
    ["with a head without an end", `HTTP/1.1 200 OK\r\nX: ${"a".repeat(70_000)}`],
    ["with a chunk without a size", chunked("{}").replace("\r\n2\r\n", "\r\nx\r\n")],
    ["with a chunk longer than it says", chunked("{}").replace("\r\n2\r\n", "\r\n1\r\n")],
    ["with a chunk's size in a line without an end", `${chunked("{}").slice(0, -5)}${"0".repeat(5_000)}`],
  ])("%s", async (_, response) => {
    behaviours = [saying(response)];
    const failure = await ask().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BackendUnreachable);
    expect(failure).toMatchObject({ cause: { message: expect.stringMatching(/response|chunk/i) } });
    await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true));
  });

  it.each([
    ["by its length", sized("a".repeat(1_001))],
    ["in chunks", chunked("a".repeat(600), "a".repeat(401))],
    ["without an end", `HTTP/1.1 200 OK\r\n\r\n${"a".repeat(1_001)}`],
  ])("larger than allowed, %s", async (_, response) => {
    behaviours = [saying(response)];
    await expect(ask()).rejects.toThrow(RangeError);
    await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true));
  });

  it("a change of protocol", async () => {
    behaviours = [saying("HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\n")];
    await expect(ask()).rejects.toThrow(BackendRefusal);
    await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true));
  });

  it.each([
    ["before its head", ""],
    ["in its head", "HTTP/1.1 200 OK\r\n"],
    ["in its body", sized("{}").slice(0, -1)],
    ["in a chunk", chunked("{}").slice(0, -6)],
    ["before the last chunk", chunked("{}").slice(0, -5)],
    ["in the last line", chunked("{}").slice(0, -2)],
  ])("one that ends %s", async (_, response) => {
    behaviours = [saying(response, true)];
    await expect(ask()).rejects.toMatchObject({
      name: "BackendUnreachable",
      cause: { message: expect.stringContaining("closed") },
    });
  });

  it("one whose connection is reset", async () => {
    behaviours = [(socket) => void socket.resetAndDestroy()];
    await expect(ask()).rejects.toMatchObject({ name: "BackendUnreachable", cause: { code: "ECONNRESET" } });
  });
});

describe("a connection", () => {
  it("is used again, by one exchange at a time", async () => {
    behaviours = [saying(sized("done"))];
    await ask();
    await ask();
    expect(sockets).toHaveLength(1);
    await Promise.all([ask(), ask()]);
    expect(sockets).toHaveLength(2);
    await Promise.all([ask(), ask()]);
    expect(sockets).toHaveLength(2);
  });

  it.each([
    ["the server closes it after its response", sized("done", "Connection: close\r\n")],
    ["the server closes it at once by what it says", sized("done", "Keep-Alive: timeout=1, max=100\r\n")],
    ["the server speaks HTTP/1.0", sized("done").replace("HTTP/1.1", "HTTP/1.0")],
    ["unrequested data followed the response", sized("done") + sized("of another request")],
    ["data followed a chunked response", chunked("done") + sized("of another request")],
  ])("is not used again when %s", async (_, response) => {
    behaviours = [saying(response), saying(sized("again"))];
    expect((await ask()).body).toBe("done");
    expect((await ask()).body).toBe("again");
    expect(sockets).toHaveLength(2);
  });

  it("whose server responds before it has the whole request is not used again", async () => {
    const large = "a".repeat(20_000_000);
    behaviours = [
      (socket) => {
        socket.pause();
        socket.write(sized("done"));
      },
      saying(sized("again")),
    ];
    expect((await ask({ body: large })).body).toBe("done");
    expect((await ask()).body).toBe("again");
    expect(sockets).toHaveLength(2);
  });

  it("that does not come about fails the exchange", async () => {
    const { port } = new URL(url);
    server.close();
    await once(server, "close");
    await expect(ask()).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    server.listen(Number(port), "127.0.0.1");
    await once(server, "listening");
  });
});

describe("an exchange ends without a response", () => {
  it.each([
    ["that never begins", ""],
    ["that does not come to its end", sized("{}").slice(0, -1)],
  ])("when it takes too long to wait for one %s", async (_, response) => {
    behaviours = [saying(response)];
    await expect(ask({ milliseconds: 30 })).rejects.toThrow(BackendTimeout);
    await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true));
  });

  it("when its signal aborts, with the signal's reason", async () => {
    behaviours = [() => undefined];
    const leaving = new AbortController();
    const requested = ask({ signal: leaving.signal });
    await vi.waitFor(() => expect(received).toHaveLength(1));
    leaving.abort(new Error("The caller has left."));
    await expect(requested).rejects.toThrow("The caller has left.");
    await vi.waitFor(() => expect(sockets[0]?.closed).toBe(true));
    await expect(ask({ signal: leaving.signal })).rejects.toThrow("The caller has left.");
    expect(received).toHaveLength(1);
  });

  it("when a header could be read as two", async () => {
    await expect(ask({ headers: { "x-name": "value\r\nx-other: 1" } })).rejects.toThrow(
      "x-name cannot be sent",
    );
    expect(sockets).toHaveLength(0);
  });
});
