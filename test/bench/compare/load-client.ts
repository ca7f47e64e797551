import { once } from "node:events";
import { connect } from "node:net";
import * as z from "zod";
import { tokenText, wholeReply } from "./model-responses.ts";
import { readMessages } from "./read-messages.ts";

/** A server for chat completions, and the request that it gets. */
export interface LoadTarget {
  readonly name: string;
  /** The URL of completions. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The name by which it knows the model. */
  readonly model: string;
  /** Whether it is a function, which is sent the events that Lambda makes of requests, and not the requests themselves. */
  readonly takesEvents?: boolean | undefined;
}

/** A correct response. Times are in milliseconds since its request was sent. */
export interface LoadResponse {
  readonly milliseconds: number;
  /** When the first token arrived; NaN for a whole response. */
  readonly firstTokenMilliseconds: number;
  readonly body: string;
}

/** The expected response: a whole one, or a stream of this many tokens. */
export type Expected = "whole" | { readonly tokens: number };

/** The client's other headers. */
const clientHeaders = ({ headers }: LoadTarget): Record<string, string> => ({
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  "User-Agent": "bench/1.0",
  ...headers,
});

const messageBytes = (url: string, headers: Readonly<Record<string, string>>, body: string): Buffer => {
  const { host, pathname } = new URL(url);
  const lines = Object.entries({ Host: host, ...headers, "Content-Length": Buffer.byteLength(body) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines}\r\n${body}`);
};

const traceId = "Root=1-6a6f1c3e-0123456789abcdef01234567;Parent=0123456789abcdef;Sampled=0";

/** A body as a function's event has it: bytes that are no text are written as base64. */
export interface EventBody {
  readonly contentType: string;
  readonly body: string | Buffer;
}

/** The event of a function URL (payload format 2.0) as text, and the headers of the Runtime API. */
export const functionEvent = (
  target: LoadTarget,
  { contentType, body }: EventBody,
): { readonly event: string; readonly headers: Readonly<Record<string, string>> } => {
  const { pathname } = new URL(target.url);
  const domainName = "abcdefghijklmnopqrstuvwxyz012345.lambda-url.us-east-1.on.aws";
  const headers = Object.entries({ ...clientHeaders(target), "Content-Type": contentType }).map(
    ([name, value]) => [name.toLowerCase(), value],
  );
  const now = new Date();
  const event = JSON.stringify({
    version: "2.0",
    routeKey: "$default",
    rawPath: pathname,
    rawQueryString: "",
    headers: {
      ...Object.fromEntries(headers),
      "content-length": String(Buffer.byteLength(body)),
      host: domainName,
      "x-amzn-tls-cipher-suite": "TLS_AES_128_GCM_SHA256",
      "x-amzn-tls-version": "TLSv1.3",
      "x-amzn-trace-id": traceId,
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-port": "443",
      "x-forwarded-proto": "https",
    },
    requestContext: {
      accountId: "anonymous",
      apiId: domainName.split(".", 1)[0],
      domainName,
      domainPrefix: domainName.split(".", 1)[0],
      http: {
        method: "POST",
        path: pathname,
        protocol: "HTTP/1.1",
        sourceIp: "203.0.113.7",
        userAgent: "bench/1.0",
      },
      requestId: "5f1d8a4e-3c0b-4a57-9d5e-0f6b7c8d9e0f",
      routeKey: "$default",
      stage: "$default",
      time: "22/Nov/2026:00:00:00 +0000",
      timeEpoch: now.getTime(),
    },
    body: typeof body === "string" ? body : body.toString("base64"),
    isBase64Encoded: typeof body !== "string",
  });
  const runtimeHeaders = {
    "Content-Type": "application/json",
    "Lambda-Runtime-Aws-Request-Id": "8476a536-e9f4-11e8-9739-2dfe598c3fcd",
    "Lambda-Runtime-Deadline-Ms": String(now.getTime() + 600_000),
    "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:us-east-1:123456789012:function:chat",
    "Lambda-Runtime-Trace-Id": traceId,
  };
  return { event, headers: runtimeHeaders };
};

const eventBytes = (target: LoadTarget, body: string): Buffer => {
  const { event, headers } = functionEvent(target, { contentType: "application/json", body });
  return messageBytes(target.url, headers, event);
};

/** The bytes of a request, made once and sent many times. */
export const requestBytes = (target: LoadTarget, body: string): Buffer =>
  target.takesEvents ? eventBytes(target, body) : messageBytes(target.url, clientHeaders(target), body);

const completion = z.object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]) });

/** How often one text occurs in another. */
const occurrences = (text: string, part: string): number => text.split(part).length - 1;

const prelude = z.object({ statusCode: z.int() });
const preludeEnd = "\0".repeat(8);

/** A function's response starts with its status and headers as JSON; Lambda converts that to a response. */
const responseOf = (response: string): { readonly status: number; readonly body: string } => {
  const end = response.indexOf(preludeEnd);
  const { data } = prelude.safeParse(parseJson(response.slice(0, Math.max(0, end))));
  return { status: data?.statusCode ?? 0, body: response.slice(end + preludeEnd.length) };
};

/**
 * Checks a response.
 *
 * @returns its body.
 * @throws Error that shows the response when it is wrong: an error page must never win.
 */
export const checkResponse = (
  { name, takesEvents }: Pick<LoadTarget, "name" | "takesEvents">,
  head: string,
  response: string,
  expected: Expected,
): string => {
  const wrong = (why: string): Error =>
    new Error(`${name}: ${why}\n${head.split("\r\n", 1)[0]}\n${response.slice(0, 600)}`);
  if (!head.startsWith("HTTP/1.1 200 ")) throw wrong("the status is not 200.");
  const { status, body } = takesEvents ? responseOf(response) : { status: 200, body: response };
  if (status !== 200) throw wrong("the function's status is not 200.");
  if (expected === "whole") {
    const read = completion.safeParse(parseJson(body));
    if (read.data?.choices[0].message.content !== wholeReply) throw wrong("it is not what the model said.");
    return body;
  }
  const tokens = occurrences(body, tokenText);
  if (tokens !== expected.tokens) throw wrong(`${tokens} of ${expected.tokens} tokens came.`);
  if (!body.trimEnd().endsWith("data: [DONE]")) throw wrong("the stream has no end.");
  return body;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const firstToken = Buffer.from(tokenText);

/** A connection that stays open, for one request at a time. */
export interface LoadConnection {
  /**
   *
   * @param onFirstToken called as soon as it arrives.
   * @throws Error when the response is wrong, or the connection ends.
   */
  ask(request: Buffer, expected: Expected, onFirstToken?: () => void): Promise<LoadResponse>;
  close(): void;
}

/** A target that is silent for this long has failed. */
const silenceMilliseconds = 20_000;

/** Connects to a target. */
export const openConnection = async (target: LoadTarget): Promise<LoadConnection> => {
  const { name, url } = target;
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, timeout: silenceMilliseconds });
  await once(socket, "connect");
  let head = "";
  let pieces: Buffer[] = [];
  let waiting: { resolve(): void; reject(error: Error): void; onPiece(piece: Buffer): void } | undefined;

  let failure: Error | undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    waiting?.reject(failure);
    waiting = undefined;
    socket.destroy();
  };
  const read = readMessages("response", {
    head: (text) => {
      head = text;
      pieces = [];
    },
    body: (piece) => {
      pieces.push(piece);
      waiting?.onPiece(piece);
    },
    end: () => {
      const finished = waiting;
      waiting = undefined;
      if (finished) finished.resolve();
      else fail(new Error(`${name} sent data without a request.`));
    },
  });
  socket.on("data", (piece) => {
    try {
      read(piece);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.on("timeout", () => fail(new Error(`${name} is silent.`)));
  socket.on("error", fail);
  socket.on("close", () => fail(new Error(`${name} closed the connection.`)));

  return {
    ask: async (request, expected, onFirstToken) => {
      let firstTokenMilliseconds = Number.NaN;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const startedAt = performance.now();
      const lookForToken = (piece: Buffer): void => {
        if (expected === "whole" || !Number.isNaN(firstTokenMilliseconds) || !piece.includes(firstToken))
          return;
        firstTokenMilliseconds = performance.now() - startedAt;
        onFirstToken?.();
      };
      if (failure) throw failure;
      waiting = { resolve, reject, onPiece: lookForToken };
      socket.write(request);
      await promise;
      const milliseconds = performance.now() - startedAt;
      const body = checkResponse(target, head, Buffer.concat(pieces).toString(), expected);
      return { milliseconds, firstTokenMilliseconds, body };
    },
    close: () => {
      waiting = undefined;
      socket.destroy();
    },
  };
};
