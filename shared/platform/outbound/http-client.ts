import type { ClientRequest, IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import {
  basicAuthorization,
  connect,
  discardWaiting,
  idleTooLong,
  keepConnection,
  readKeepAlive,
  takeConnection,
} from "./connections.ts";
import { decodeResponse } from "./decode-response.ts";
import { BackendRefusal, BackendTimeout, BackendUnreachable, connectionFailure } from "./failures.ts";
import { awaitActivity, withIdleTimeout } from "./timeouts.ts";

/**
 * Why not `fetch`: loading undici costs a function about 50 ms of its cold start and every call several times the CPU. No agent
 * has the connections, and `node:https` is not loaded: `node:http` gets each from `connections.ts`.
 */

/** Loaded with the first request, as many functions only send one to S3: 6% of the start of `language` (November 2026). */
const http = () => process.getBuiltinModule("node:http");

export interface RequestHead {
  readonly url: URL;
  readonly method: string;
  /** With `Accept-Encoding`, the response is decoded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called once the whole request was sent. A request that fails before has had no effect on the server. */
  readonly onSent?: (() => void) | undefined;
  /** Resolves the host's name for a connection of its own, which is closed after the response. */
  readonly lookup?: LookupFunction | undefined;
}

/** A request with a complete body, or none. */
export interface BackendRequest extends RequestHead {
  readonly body?: string | Uint8Array | undefined;
  /** How long the server may stay silent, also within the response. Without it only the signal ends a slow request. */
  readonly silenceMilliseconds: number | undefined;
}

/** A request whose body is not yet written, and its response. */
export interface Exchange {
  readonly request: ClientRequest;
  /** The response's head. Rejects with a BackendTimeout, BackendUnreachable, BackendRefusal or the signal's reason. */
  readonly response: Promise<IncomingMessage>;
  /** Breaks off the request or the response; both reject with the reason. */
  end(reason: Error): void;
}

/** Names and values in turn: `node:http` writes such a list unchanged, but copies an object first. */
const headerList = ({ url, headers, lookup }: RequestHead): string[] => {
  const list = ["Host", url.host, "Connection", lookup ? "close" : "keep-alive"];
  let isAuthorized = url.username === "";
  for (const name in headers) {
    isAuthorized ||= name.toLowerCase() === "authorization";
    list.push(name, headers[name] ?? "");
  }
  if (!isAuthorized) list.push("Authorization", basicAuthorization(url));
  return list;
};

/** Opens a request. It does not follow redirects; the signal destroys the request or its response with its reason. */
export const openExchange = (head: RequestHead): Exchange => {
  const { url, method, signal, onSent, lookup } = head;
  signal.throwIfAborted();
  const request = http().request({
    path: url.pathname + url.search,
    method,
    headers: headerList(head),
    createConnection: () => (lookup ? connect(url, lookup) : takeConnection(url)),
  });
  // `node:http` knows only of agents that keep connections.
  request.shouldKeepAlive = !lookup;
  if (onSent) request.once("finish", onSent);
  let incoming: IncomingMessage | undefined;
  // Once there is a response, that must be destroyed. A request destroyed (also by its own `signal` option) while its
  // response ends leaves its socket with an error that nothing handles, which ends the process.
  const end = (reason: Error): void => {
    (incoming ?? request).destroy(reason);
  };
  const abort = (): void => end(signal.reason);
  signal.addEventListener("abort", abort);
  request.once("socket", ({ connecting }) => {
    request.reusedSocket = !connecting;
  });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    // Does nothing after a response.
    const fail = (error: unknown): void => {
      if (incoming) return;
      const failure = signal.aborted
        ? signal.reason
        : connectionFailure(error, request.writableFinished, request.reusedSocket);
      if (failure instanceof BackendUnreachable) discardWaiting(url);
      reject(failure);
    };
    request.on("error", fail);
    request.once("response", (message) => {
      incoming = message;
      const { socket, statusCode, headers } = message;
      if (statusCode === idleTooLong) discardWaiting(url);
      // Of a connection that can carry another request, once the whole response was read.
      const keepAlive = readKeepAlive(String(headers["keep-alive"]));
      socket.once("free", () => keepConnection(url, socket, statusCode, keepAlive));
      resolve(head.headers["Accept-Encoding"] === undefined ? message : decodeResponse(message));
    });
    // Another protocol (status 101) was not requested. Without a listener the request would close silently.
    request.once("upgrade", ({ statusCode = 101 }, socket) => {
      socket.destroy();
      reject(new BackendRefusal(statusCode));
    });
    request.once("close", () => {
      signal.removeEventListener("abort", abort);
      // Ends waiting for a request that ended without a response. Does nothing after a failure.
      fail(new Error("The connection closed."));
    });
  });
  return { request, response, end };
};

const openWithBody = ({ body = "", ...head }: BackendRequest): Exchange => {
  const length = Buffer.byteLength(body);
  const mayHaveBody = head.method === "PUT" || head.method === "POST";
  if (length === 0 && !mayHaveBody) return openExchange(head);
  return openExchange({ ...head, headers: { ...head.headers, "Content-Length": String(length) } });
};

const responseTo = ({ body, silenceMilliseconds }: BackendRequest, exchange: Exchange) => {
  const { request, response, end } = exchange;
  if (silenceMilliseconds === undefined) {
    request.end(body);
    return response;
  }
  const onIdle = (): void => end(new BackendTimeout(`The server was silent for ${silenceMilliseconds} ms.`));
  request.setTimeout(silenceMilliseconds, onIdle);
  request.end(body);
  // Informational responses and slow headers are no silence of the socket, and no response either.
  return awaitActivity(response, { milliseconds: silenceMilliseconds, onIdle });
};

/**
 * Sends a request and resolves with the head of the response; the body is still unread. A request that only reads is sent once
 * more over a new connection when the first, which was not new, was dead.
 *
 * It does not follow redirects. A silence that lasts too long, also within the body, destroys the response with a
 * BackendTimeout, and the signal destroys it with its reason.
 *
 * @throws BackendTimeout, BackendUnreachable, BackendRefusal for a change of protocol, or the signal's reason.
 */
export const sendRequest = async (options: BackendRequest): Promise<IncomingMessage> => {
  const exchange = openWithBody(options);
  const isRead = options.method === "GET" || options.method === "HEAD";
  const mayRepeat = (): boolean => isRead && exchange.request.reusedSocket;
  try {
    const response = await responseTo(options, exchange);
    if (response.statusCode !== idleTooLong || !mayRepeat()) return response;
    response.destroy();
  } catch (error) {
    if (!(error instanceof BackendUnreachable) || !mayRepeat()) throw error;
  }
  return responseTo(options, openWithBody(options));
};

/** Returns the response behind a streamed body of the AWS SDK. @throws TypeError for anything else. */
export const requireResponse = (body: unknown): IncomingMessage => {
  if (body instanceof http().IncomingMessage) return body;
  throw new TypeError("The body is not that of a response.");
};

/**
 * The bytes of a response as they arrive. The server may be silent for this long while the reader waits; the reader's
 * own time is not counted. Leaving the iteration early closes the connection.
 *
 * @throws BackendTimeout or BackendUnreachable.
 */
export async function* readPieces(
  response: IncomingMessage,
  silenceMilliseconds: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  // The socket's own timeout cannot distinguish a silent server from a slow reader.
  response.setTimeout(0);
  const onIdle = (): void => {
    response.destroy(new BackendTimeout(`The server was silent for ${silenceMilliseconds} ms.`));
  };
  try {
    yield* withIdleTimeout<Uint8Array>(response, { milliseconds: silenceMilliseconds, onIdle });
  } catch (error) {
    throw connectionFailure(error);
  }
}

/**
 * Reads a whole body of at most `maxBytes`.
 *
 * @throws BackendTimeout, BackendUnreachable, or RangeError when the body is larger.
 */
export const readBytes = (response: IncomingMessage, maxBytes: number): Promise<Buffer> =>
  // Iterating over the response would do the same, for several times the CPU.
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: unknown): void =>
      reject(error instanceof RangeError ? error : connectionFailure(error));
    response.once("error", fail);
    response.once("close", () => {
      if (!response.readableEnded) fail(response.errored);
    });
    response.once("end", () => resolve(Buffer.concat(chunks)));
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else response.destroy(new RangeError(`The response is larger than ${maxBytes} bytes.`));
    });
    if (response.destroyed) fail(response.errored);
  });

/** Reads a whole body as text, as {@link readBytes} does. */
export const readBody = async (response: IncomingMessage, maxBytes: number): Promise<string> =>
  (await readBytes(response, maxBytes)).toString("utf8");
