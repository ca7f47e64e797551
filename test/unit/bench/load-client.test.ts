import { once } from "node:events";
import { createServer } from "node:net";
import * as fc from "fast-check";
import { constantFrom, integer } from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { listen } from "../../bench/child-process.ts";
import {
  checkResponse,
  type Expected,
  openConnection,
  requestBytes,
} from "../../bench/compare/load-client.ts";
import {
  mockModel,
  readInstruction,
  requestBody,
  streamFrames,
  wholeBody,
} from "../../bench/compare/model-responses.ts";
import { readMessages } from "../../bench/compare/read-messages.ts";

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

describe("a function is spoken to as Lambda does", () => {
  const target = {
    name: "a function",
    url: "http://127.0.0.1/tasks/chat/completions",
    headers: { Authorization: "Bearer token" },
    model: mockModel,
    takesEvents: true,
  };
  const head = "HTTP/1.1 200 OK";
  const responseOf = (status: number) =>
    `${JSON.stringify({ statusCode: status })}${"\0".repeat(8)}${wholeBody}`;

  it("with the event of its address, and the Runtime API's headers", () => {
    const body = requestBody(mockModel);
    const [sentHead = "", event = ""] = requestBytes(target, body).toString().split("\r\n\r\n");
    expect(sentHead).toMatch(/^Lambda-Runtime-Deadline-Ms: \d{13}$/m);
    expect(JSON.parse(event)).toMatchObject({
      version: "2.0",
      rawPath: "/tasks/chat/completions",
      headers: { authorization: "Bearer token", "content-type": "application/json" },
      requestContext: { http: { method: "POST" } },
      body,
    });
  });

  it("and its status is read from the response", () => {
    expect(() => checkResponse(target, head, responseOf(200), "whole")).not.toThrow();
    expect(() => checkResponse(target, head, responseOf(500), "whole")).toThrow(
      "the function's status is not 200",
    );
    expect(() => checkResponse(target, head, wholeBody, "whole")).toThrow("the function's status is not 200");
  });
});

/** All events of a connection, bodies joined. */
const eventsOf = (bytes: Buffer, cuts: readonly number[]): string[] => {
  const events: string[] = [];
  let body = "";
  const read = readMessages("response", {
    head: (head) => events.push(head.split("\r\n", 1)[0] ?? ""),
    body: (piece) => {
      body += piece.toString("latin1");
    },
    end: () => {
      events.push(body);
      body = "";
    },
  });
  let from = 0;
  for (const cut of [...cuts, bytes.length].toSorted((one, other) => one - other)) {
    read(bytes.subarray(from, cut));
    from = cut;
  }
  return events;
};

it("responses are read alike wherever the network cuts them", () => {
  const responses = [
    sized("{}"),
    chunked("abc", "\r\n0\r\n\r\n", "d"),
    sized(""),
    chunked(),
    sized("x".repeat(70_000)),
  ];
  const bytes = Buffer.from(responses.join(""));
  const expected = ["{}", "abc\r\n0\r\n\r\nd", "", "", "x".repeat(70_000)].flatMap((body) => [
    "HTTP/1.1 200 OK",
    body,
  ]);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(integer({ min: 0, max: 400 }), integer({ min: 0, max: bytes.length })), {
        maxLength: 40,
      }),
      (cuts) => {
        expect(eventsOf(bytes, cuts)).toEqual(expected);
      },
    ),
  );
});

it("the request to the model survives a gateway that rewrites it", () => {
  fc.assert(
    fc.property(integer({ min: 1, max: 10_000 }), constantFrom(0, 20, 100), (tokens, pauseMilliseconds) => {
      const body = requestBody(mockModel, { tokens, pauseMilliseconds });
      const restarted = JSON.stringify({ ...JSON.parse(body), stream_options: { include_usage: true } });
      expect(readInstruction(restarted)).toEqual({ tokens, pauseMilliseconds });
    }),
  );
  expect(readInstruction(requestBody(mockModel))).toBeUndefined();
});
