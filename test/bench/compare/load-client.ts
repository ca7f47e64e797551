import { once } from "node:events";
import { connect } from "node:net";
import * as z from "zod";
import { tokenText, wholeAnswer } from "./model-answers.ts";
import { readMessages } from "./read-messages.ts";

/** Something that answers chat completions, and the request that it is sent. */
export interface LoadTarget {
  readonly name: string;
  /** Where completions are asked for. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The name by which it knows the model. */
  readonly model: string;
}

/** A right answer. Times are in milliseconds since its request was sent. */
export interface LoadAnswer {
  readonly milliseconds: number;
  /** When the first token was there; not a number for a whole answer. */
  readonly firstTokenMilliseconds: number;
}

/** What the right answer is: a whole one, or a stream of so many tokens. */
export type Expected = "whole" | { readonly tokens: number };

/** The bytes of a request, made once and sent many times. */
export const requestBytes = ({ url, headers }: LoadTarget, body: string): Buffer => {
  const { host, pathname } = new URL(url);
  const lines = Object.entries({
    Host: host,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "User-Agent": "bench/1.0",
    ...headers,
    "Content-Length": Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
};

const completion = z.object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]) });

/** How often one text stands in another. */
const occurrences = (text: string, part: string): number => text.split(part).length - 1;

/** @throws Error that shows the answer when it is not the right one: an error page must never win. */
export const checkAnswer = (name: string, head: string, body: string, expected: Expected): void => {
  const wrong = (why: string): Error =>
    new Error(`${name}: ${why}\n${head.split("\r\n", 1)[0]}\n${body.slice(0, 600)}`);
  if (!head.startsWith("HTTP/1.1 200 ")) throw wrong("the status is not 200.");
  if (expected === "whole") {
    const read = completion.safeParse(parseJson(body));
    if (read.data?.choices[0].message.content !== wholeAnswer) throw wrong("it is not what the model said.");
    return;
  }
  const tokens = occurrences(body, tokenText);
  if (tokens !== expected.tokens) throw wrong(`${tokens} of ${expected.tokens} tokens came.`);
  if (!body.trimEnd().endsWith("data: [DONE]")) throw wrong("the stream has no end.");
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const firstToken = Buffer.from(tokenText);

/** A connection that is kept, for one request at a time. */
export interface LoadConnection {
  /**
   * @param onFirstToken called the moment it has come.
   * @throws Error when the answer is not the expected one, or the connection ends.
   */
  ask(request: Buffer, expected: Expected, onFirstToken?: () => void): Promise<LoadAnswer>;
  close(): void;
}

/** A target that says nothing for so long will say nothing. */
const silenceMilliseconds = 20_000;

/** Connects to a target. */
export const openConnection = async ({ name, url }: LoadTarget): Promise<LoadConnection> => {
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
      const answered = waiting;
      waiting = undefined;
      if (answered) answered.resolve();
      else fail(new Error(`${name} answered without being asked.`));
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
      checkAnswer(name, head, Buffer.concat(pieces).toString(), expected);
      return { milliseconds, firstTokenMilliseconds };
    },
    close: () => {
      waiting = undefined;
      socket.destroy();
    },
  };
};
