import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { listen } from "../../bench/child-process.ts";
import { type Expected, openConnection, requestBytes } from "../../bench/compare/load-client.ts";
import { mockModel, requestBody, streamFrames, wholeBody } from "../../bench/compare/model-responses.ts";

const sized = (body: string, status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const chunked = (...pieces: string[]): string =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${[...pieces, ""]
    .map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`)
    .join("")}`;

const stream = (tokens: number): string[] => [
  streamFrames.role,
  ...Array.from({ length: tokens }, () => streamFrames.token),
  streamFrames.end(tokens),
];

let close = async (): Promise<void> => undefined;
afterEach(() => close());

const request = (): Buffer =>
  requestBytes({ name: "", url: "http://127.0.0.1/", headers: {}, model: mockModel }, requestBody(mockModel));

/** A connection to a server that sends a response in these pieces and then, perhaps, closes. */
const connectTo = async (pieces: readonly string[], isLeaving = false) => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      void (async () => {
        for (const piece of pieces) {
          socket.write(piece);
          await new Promise((resolve) => setImmediate(resolve));
        }
        if (isLeaving) socket.end();
      })();
    });
  });
  const url = await listen(server);
  const target = { name: "a gateway", url: `${url}/v1/chat/completions`, headers: {}, model: mockModel };
  const connection = await openConnection(target);
  close = async () => {
    connection.close();
    server.close();
    await once(server, "close");
  };
  return connection;
};

/** How the load generator reads a response. */
const askFor = async (pieces: readonly string[], expected: Expected, isLeaving = false) =>
  (await connectTo(pieces, isLeaving)).ask(request(), expected);

describe("a correct response is accepted", () => {
  it.each([
    ["with its length", [sized(wholeBody)]],
    ["in chunks", [chunked(wholeBody.slice(0, 100), wholeBody.slice(100))]],
    [
      "in pieces that end inside head and body",
      [sized(wholeBody).slice(0, 30), sized(wholeBody).slice(30, 200), sized(wholeBody).slice(200)],
    ],
  ])("whole, %s", async (_, pieces) => {
    const { milliseconds, firstTokenMilliseconds } = await askFor(pieces, "whole");
    expect(milliseconds).toBeGreaterThan(0);
    expect(firstTokenMilliseconds).toBeNaN();
  });

  it("as a stream, with the moment of its first token, which is not that of its head", async () => {
    const [role = "", ...others] = stream(3);
    const text = chunked(role, ...others);
    const at = text.indexOf(role) + role.length;
    const { milliseconds, firstTokenMilliseconds } = await askFor([text.slice(0, at), text.slice(at)], {
      tokens: 3,
    });
    expect(firstTokenMilliseconds).toBeGreaterThan(0);
    expect(firstTokenMilliseconds).toBeLessThanOrEqual(milliseconds);
  });
});

describe("a wrong response ends the benchmark", () => {
  const asWhole = "whole" as const;
  it.each([
    [
      "an error, however quickly it came",
      [sized(wholeBody, "500 Internal Server Error")],
      asWhole,
      "the status is not 200",
    ],
    ["another text", [sized(wholeBody.replace("Webale", "Sorry"))], asWhole, "not what the model said"],
    ["a page that is no JSON", [sized("<html>")], asWhole, "not what the model said"],
    ["a stream of too few tokens", [chunked(...stream(2))], { tokens: 3 }, "2 of 3 tokens"],
    ["a stream of too many tokens", [chunked(...stream(4))], { tokens: 3 }, "4 of 3 tokens"],
    ["a stream without its end", [chunked(...stream(3).slice(0, -1))], { tokens: 3 }, "no end"],
    ["a response without a length", ["HTTP/1.1 200 OK\r\n\r\n{}"], asWhole, "has no length"],
    [
      "a chunk that is longer than it says",
      [chunked("abc").replace("\r\n3\r\n", "\r\n2\r\n")],
      asWhole,
      "longer than it says",
    ],
    ["what is no HTTP", [chunked("abc").replace("\r\n3\r\n", "\r\nx\r\n")], asWhole, "A chunk begins with"],
  ])("%s", async (_, pieces, expected, words) => {
    await expect(askFor(pieces, expected)).rejects.toThrow(words);
  });

  it("a response that breaks off", async () => {
    await expect(askFor([sized(wholeBody).slice(0, -1)], "whole", true)).rejects.toThrow(
      "closed the connection",
    );
  });

  it("an unrequested response", async () => {
    const connection = await connectTo([sized(wholeBody) + sized(wholeBody)]);
    await connection.ask(request(), "whole");
    await expect(connection.ask(request(), "whole")).rejects.toThrow("without a request");
  });
});
