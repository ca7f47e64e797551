import type { Socket } from "node:net";
import { basicAuthorization, connectTo } from "./connections.ts";
import { BackendRefusal, BackendTimeout, connectionFailure } from "./failures.ts";
import { type ReadAnswer, readAnswer, type SocketAnswer } from "./read-response.ts";

/**
 * Why not `node:http`: a request asks AWS and a model in few and simple words, and most of what `node:http` does for such an
 * exchange serves others: streams for both directions, an agent, events for each step. This takes a third of its CPU
 * (`npm run bench`), loads neither `node:http` nor `node:https`, and carries one exchange of HTTP/1.1 at a time: a text, and
 * the whole answer to it.
 */

/** A text that is posted, and how long its answer may take and be. */
export interface SocketExchange {
  readonly url: URL;
  /** Beside `Host` and `Content-Length`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** From the first byte of the request to the last of the answer; without it the signal alone ends what takes too long. */
  readonly milliseconds?: number | undefined;
  readonly maximumBytes: number;
  /** Called once all of the request has left this machine. */
  readonly onSent?: (() => void) | undefined;
}

/** What a header's value may hold (RFC 9110, 5.5). */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** As {@link SocketExchange} has them; names and passwords in an address ask for RFC 7617. */
const headersOf = ({ url, headers }: SocketExchange): Readonly<Record<string, string>> => {
  if (url.username === "" || headers["authorization"] || headers["Authorization"]) return headers;
  return { ...headers, Authorization: basicAuthorization(url) };
};

const requestText = (exchange: SocketExchange): string => {
  const { url, body } = exchange;
  const headers = headersOf(exchange);
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
  waiting: { take(piece: Buffer): void; end(): void; fail(error: unknown): void } | undefined;
}

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
  const forget = (): void => {
    const others = idleOf(url);
    const at = others.indexOf(connection);
    if (at >= 0) others.splice(at, 1);
  };
  // Nobody has asked for what comes while nobody waits.
  socket.on("data", (piece) => (connection.waiting ? connection.waiting.take(piece) : socket.destroy()));
  socket.on("error", (error) => connection.waiting?.fail(error));
  socket.once("end", () => {
    forget();
    connection.waiting?.end();
  });
  socket.once("close", () => {
    forget();
    connection.waiting?.fail(new Error("The connection closed."));
  });
  socket.on("timeout", () => {
    if (connection.waiting) return;
    forget();
    socket.destroy();
  });
  return connection;
};

/** Until it is used again, it keeps no process alive. */
const keep = (url: URL, connection: Connection, milliseconds: number): void => {
  connection.socket.unref().setTimeout(milliseconds);
  idleOf(url).push(connection);
};

/**
 * Posts a text and reads the whole answer, whatever its status; redirects are not followed. The request leaves at once, before
 * this returns, when a connection stands.
 *
 * @throws BackendTimeout, BackendUnreachable (also, behind TLS, for an answer that only the end of its connection ends),
 * BackendRefusal for a change of protocol, RangeError when the answer is too large,
 * or the signal's reason.
 */
export const exchangeOverSocket = (exchange: SocketExchange): Promise<SocketAnswer> =>
  new Promise((resolve, reject) => {
    const { url, signal, milliseconds, maximumBytes, onSent } = exchange;
    signal.throwIfAborted();
    const text = requestText(exchange);
    const reader = readAnswer(maximumBytes);
    const connection = idleOf(url).pop() ?? open(url);
    const { socket } = connection;
    const settle = (): void => {
      connection.waiting = undefined;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    const giveUp = (reason: unknown): void => {
      settle();
      socket.destroy();
      reject(reason);
    };
    const abort = (): void => giveUp(signal.reason);
    const fail = (error: unknown): void =>
      giveUp(
        error instanceof RangeError || error instanceof BackendRefusal ? error : connectionFailure(error),
      );
    const read = (step: () => ReadAnswer | undefined): void => {
      try {
        const answer = step();
        if (!answer) return;
        settle();
        // Whoever answers before all has left may not read the rest.
        if (answer.idleMilliseconds > 0 && socket.writableLength === 0)
          keep(url, connection, answer.idleMilliseconds);
        else socket.destroy();
        resolve(answer);
      } catch (error) {
        fail(error);
      }
    };
    const timer =
      milliseconds === undefined
        ? undefined
        : setTimeout(
            () => giveUp(new BackendTimeout(`No answer came within ${milliseconds} ms.`)),
            milliseconds,
          );
    signal.addEventListener("abort", abort);
    connection.waiting = {
      fail,
      take: (piece) => read(() => reader.take(piece)),
      // Behind TLS an answer that reaches to the end of the connection may have been cut by whoever stands in between: Node does
      // not tell whether the server has said that it is over.
      end: () => (url.protocol === "https:" ? fail(new Error("The connection closed.")) : read(reader.end)),
    };
    socket.ref();
    if (onSent) socket.write(text, (error) => (error ? undefined : onSent()));
    else socket.write(text);
  });
