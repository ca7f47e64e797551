import type { Socket } from "node:net";
import { basicAuthorization, connectTo } from "./connections.ts";
import { BackendRefusal, BackendTimeout, connectionFailure } from "./failures.ts";
import { type ReadResponse, ResponseReader, type WholeResponse } from "./read-response.ts";

/**
 * Why not `node:http`: requests to AWS and to models are few and simple, and most of what `node:http` does for such
 * an exchange serves other uses: streams in both directions, an agent, events for each step. This takes a third of
 * its CPU (`npm run bench`), loads neither `node:http` nor `node:https`, and handles one HTTP/1.1 exchange at a time:
 * a text, and its whole response.
 */

/** A text to post, with limits on its response's time and size. */
export interface SocketExchange {
  readonly url: URL;
  /** In addition to `Host` and `Content-Length`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** For request and response together; without it only the signal ends a slow exchange. */
  readonly milliseconds?: number | undefined;
  readonly maxBytes: number;
  /** Called once all of the request has left this machine. */
  readonly onSent?: (() => void) | undefined;
}

/** What a header's value may hold (RFC 9110, 5.5). */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

const requestText = ({ url, headers, body }: SocketExchange): string => {
  let text = `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`;
  if (url.username !== "" && !headers["authorization"] && !headers["Authorization"]) {
    text += `Authorization: ${basicAuthorization(url)}\r\n`;
  }
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (!fieldValue.test(value)) throw new Error(`The header ${name} cannot be sent.`);
    text += `${name}: ${value}\r\n`;
  }
  return `${text}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

/** A connection, and the exchange that waits for a response on it; `undefined` while it is idle. */
interface Connection {
  readonly socket: Socket;
  waiting: { take(piece: Buffer): void; end(): void; fail(error: unknown): void } | undefined;
}

/** The idle ones, by server; the newest is used first. */
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
  // Data on an idle connection was not requested.
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

/**
 * Keeps a connection for the next request; until then it keeps no process alive. A server that responds before it has
 * the whole request may not read the rest, so its connection closes.
 */
const release = (url: URL, connection: Connection, idleMilliseconds: number): void => {
  const { socket } = connection;
  if (idleMilliseconds === 0 || socket.writableLength > 0) {
    socket.destroy();
    return;
  }
  socket.unref().setTimeout(idleMilliseconds);
  idleOf(url).push(connection);
};

/** Ends an exchange when its signal aborts or its time has ended. @returns what lifts both limits. */
const limitExchange = (
  { signal, milliseconds }: SocketExchange,
  giveUp: (reason: unknown) => void,
): (() => void) => {
  const abort = (): void => giveUp(signal.reason);
  const onTimeout = (): void => giveUp(new BackendTimeout(`No response arrived within ${milliseconds} ms.`));
  const timer = milliseconds === undefined ? undefined : setTimeout(onTimeout, milliseconds);
  signal.addEventListener("abort", abort);
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  };
};

const failureOf = (error: unknown): unknown =>
  error instanceof RangeError || error instanceof BackendRefusal ? error : connectionFailure(error);

/**
 * Posts a text and reads the whole response, with any status; it does not follow redirects. If a connection is open,
 * the request is sent before this returns.
 *
 * @throws BackendTimeout, BackendUnreachable (also, behind TLS, for a response that only the end of its connection
 * ends), BackendRefusal for a change of protocol, RangeError when the response is too large, or the signal's reason.
 */
export const exchangeOverSocket = (exchange: SocketExchange): Promise<WholeResponse> =>
  new Promise((resolve, reject) => {
    const { url, signal, maxBytes, onSent } = exchange;
    signal.throwIfAborted();
    const text = requestText(exchange);
    const reader = new ResponseReader(maxBytes);
    const connection = idleOf(url).pop() ?? open(url);
    const { socket } = connection;
    const giveUp = (reason: unknown): void => {
      finish();
      socket.destroy();
      reject(reason);
    };
    const liftLimits = limitExchange(exchange, giveUp);
    const finish = (): void => {
      connection.waiting = undefined;
      liftLimits();
    };
    const fail = (error: unknown): void => giveUp(failureOf(error));
    const read = (step: () => ReadResponse | undefined): void => {
      try {
        const response = step();
        if (!response) return;
        finish();
        release(url, connection, response.idleMilliseconds);
        resolve(response);
      } catch (error) {
        fail(error);
      }
    };
    connection.waiting = {
      fail,
      take: (piece) => read(() => reader.take(piece)),
      // Behind TLS a response that lasts until the connection ends may have been truncated in between: Node does not
      // report whether the server closed it properly.
      end: () =>
        url.protocol === "https:" ? fail(new Error("The connection closed.")) : read(() => reader.end()),
    };
    socket.ref();
    socket.write(text, onSent && ((error) => (error ? undefined : onSent())));
  });
