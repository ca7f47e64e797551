import type { Socket } from "node:net";
import { connectTo } from "./connections.ts";

/**
 * Why not `node:http`: a function asks AWS with every request, in few and simple words, and most of what `node:http` does for
 * such an exchange serves others: streams for both directions, an agent, events for each step. This takes a third of its CPU
 * (`npm run bench`), loads neither `node:http` nor `node:https`, and takes no more than AWS gives: HTTP/1.1, an answer with a
 * length or in chunks, one at a time.
 */

/** A request whose whole answer is waited for. */
export interface SocketExchange {
  readonly url: URL;
  /** Beside `Host` and `Content-Length`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** From the first byte of the request to the last of the answer. */
  readonly milliseconds: number;
  readonly maximumBytes: number;
}

/** What came back. */
export interface SocketAnswer {
  readonly statusCode: number;
  readonly body: string;
}

/** The bytes of one answer; `undefined` until it is whole. @throws Error when they are no answer. */
type AnswerReader = (piece: Buffer) => (SocketAnswer & { readonly isReusable: boolean }) | undefined;

const longestHead = 16_384;
const longestLine = 256;
const empty = Buffer.alloc(0);

/** A whole head, of which every line is one: what two readers could understand in two ways is not understood. */
const headPattern =
  /^HTTP\/1\.(?<minor>[01]) (?<status>[2-5]\d\d)(?: [^\r\n]*)?(?:\r\n[!#$%&'*+.^_`|~\w-]+:[^\r\n\0]*)*$/;
const framingPattern =
  /\r\n(content-length|transfer-encoding|connection):[ \t]*([^\r\n]*?)[ \t]*(?=\r\n|$)/gi;

const readHead = (text: string) => {
  const { minor, status } = headPattern.exec(text)?.groups ?? {};
  if (status === undefined) throw new Error("The answer does not begin as one of HTTP/1.1.");
  const framing: string[] = [];
  let isReusable = minor === "1";
  for (const [, name = "", value = ""] of text.matchAll(framingPattern)) {
    if (name.toLowerCase() !== "connection") framing.push(`${name} ${value}`.toLowerCase());
    else if (/\bclose\b/i.test(value)) isReusable = false;
  }
  const [only = "", ...others] = framing;
  const length = /^content-length (\d{1,15})$/.exec(only)?.[1];
  if (others.length > 0 || (length === undefined && only !== "transfer-encoding chunked")) {
    throw new Error("The answer does not say once and clearly how long it is.");
  }
  return {
    statusCode: Number(status),
    length: length === undefined ? undefined : Number(length),
    isReusable,
  };
};

const createReader = (maximumBytes: number): AnswerReader => {
  let head: ReturnType<typeof readHead> | undefined;
  let unread: Buffer = empty;
  let parts: Buffer[] = [];
  let size = 0;
  /** Of a body in chunks: what comes next, and how much of the chunk is still to come. */
  let next: "size" | "chunk" | "line end" | "trailer" = "size";
  let left = 0;

  const takeUntil = (mark: string, longest: number): string | undefined => {
    const end = unread.indexOf(mark, 0, "latin1");
    if (end > longest || (end < 0 && unread.length > longest))
      throw new Error("A line of the answer does not end.");
    if (end < 0) return undefined;
    const text = unread.toString("latin1", 0, end);
    unread = unread.subarray(end + mark.length);
    return text;
  };

  const takeBody = (most: number): number => {
    const part = unread.length <= most ? unread : unread.subarray(0, most);
    unread = unread.subarray(part.length);
    size += part.length;
    if (size > maximumBytes) throw new Error(`The answer is larger than ${maximumBytes} bytes.`);
    parts.push(part);
    return part.length;
  };

  /** @returns whether the last chunk has come. */
  const takeChunks = (): boolean => {
    for (;;) {
      if (next === "chunk") {
        left -= takeBody(left);
        if (left > 0) return false;
        next = "line end";
      }
      const line = takeUntil("\r\n", longestLine);
      if (line === undefined) return false;
      if (next === "size") {
        if (!/^[0-9a-f]{1,8}$/i.test(line)) throw new Error("A chunk does not say how long it is.");
        left = Number.parseInt(line, 16);
        next = left === 0 ? "trailer" : "chunk";
      } else if (line === "") {
        if (next === "trailer") return true;
        next = "size";
      } else if (next === "line end") throw new Error("A chunk is longer than it says.");
    }
  };

  return (piece) => {
    unread = unread.length === 0 ? piece : Buffer.concat([unread, piece]);
    if (!head) {
      const text = takeUntil("\r\n\r\n", longestHead);
      if (text === undefined) return undefined;
      head = readHead(text);
      if ((head.length ?? 0) > maximumBytes)
        throw new Error(`The answer is larger than ${maximumBytes} bytes.`);
    }
    const { statusCode, length, isReusable } = head;
    if (length === undefined) {
      if (!takeChunks()) return undefined;
    } else {
      takeBody(length - size);
      if (size < length) return undefined;
    }
    const [only = empty, ...others] = parts;
    const body = (others.length === 0 ? only : Buffer.concat(parts)).toString();
    parts = [];
    // Bytes that nobody asked for would be taken for the beginning of the next answer.
    return { statusCode, body, isReusable: isReusable && unread.length === 0 };
  };
};

/** What a header's value may hold (RFC 9110, 5.5). */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

const requestText = ({ url, headers, body }: SocketExchange): string => {
  let text = `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (!fieldValue.test(value)) throw new Error(`The header ${name} cannot be sent.`);
    text += `${name}: ${value}\r\n`;
  }
  return `${text}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

/** A connection, and who waits for an answer on it: nobody while it is idle. */
interface Connection {
  readonly socket: Socket;
  waiting: { take(piece: Buffer): void; fail(error: Error): void } | undefined;
}

/** As long as connections of `http-client.ts` are kept. */
const idleMilliseconds = 60_000;

/** Those on which nobody waits, by their server; the newest is used first. */
const idle = new Map<string, Connection[]>();

const idleOf = ({ origin }: URL): Connection[] => {
  const known = idle.get(origin) ?? [];
  idle.set(origin, known);
  return known;
};

const open = (url: URL): Connection => {
  const socket = connectTo(url);
  const connection: Connection = { socket, waiting: undefined };
  const leave = (error: Error): void => {
    const others = idleOf(url);
    const at = others.indexOf(connection);
    if (at >= 0) others.splice(at, 1);
    socket.destroy();
    connection.waiting?.fail(error);
  };
  socket.setTimeout(idleMilliseconds, () => leave(new Error("The server was silent.")));
  // Nobody has asked for what comes while nobody waits.
  socket.on("data", (piece) => (connection.waiting ? connection.waiting.take(piece) : socket.destroy()));
  socket.on("error", leave);
  socket.once("end", () => leave(new Error("The server closed the connection.")));
  socket.once("close", () => leave(new Error("The connection closed.")));
  return connection;
};

const keep = (url: URL, connection: Connection): void => {
  // Until it is used again it keeps no process alive.
  connection.socket.unref();
  idleOf(url).push(connection);
};

/**
 * Posts a text and reads the whole answer, whatever its status. The request leaves at once, before this returns, when a
 * connection stands.
 *
 * @throws Error when there is no answer in time or none that can be read; the signal's reason.
 */
export const exchangeOverSocket = (exchange: SocketExchange): Promise<SocketAnswer> =>
  new Promise((resolve, reject) => {
    const { url, signal, milliseconds, maximumBytes } = exchange;
    signal.throwIfAborted();
    const text = requestText(exchange);
    const read = createReader(maximumBytes);
    const connection = idleOf(url).pop() ?? open(url);
    const { socket } = connection;
    const settle = (): void => {
      connection.waiting = undefined;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    const fail = (error: unknown): void => {
      settle();
      socket.destroy();
      reject(error);
    };
    const abort = (): void => fail(signal.reason);
    const timer = setTimeout(
      () => fail(new Error(`No answer came within ${milliseconds} ms.`)),
      milliseconds,
    );
    signal.addEventListener("abort", abort);
    connection.waiting = {
      fail,
      take: (piece) => {
        try {
          const answer = read(piece);
          if (!answer) return;
          settle();
          if (answer.isReusable) keep(url, connection);
          else socket.destroy();
          resolve(answer);
        } catch (error) {
          fail(error);
        }
      },
    };
    socket.ref();
    socket.write(text);
  });
