import { randomBytes, randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Duplex } from "node:stream";
import { closeServer, listen } from "../machine/listening.ts";
import { type Exchange, openExchange } from "./exchange.ts";

/** A request of which so little could be read that it has no method, no path and no headers. */
export interface UnreadableRequest {
  readonly status: number;
  /** The status in words. */
  readonly reason: string;
  readonly requestId: string;
  readonly extendedRequestId: string;
}

/** Writes the response to such a request in the replaced service's format. */
export type WordUnreadable = (request: UnreadableRequest) => {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Node's names for what went wrong; everything else is a malformed request. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** How long a caller may take to read the response and to stop sending. */
const farewellMilliseconds = 1_000;

const describeUnreadable = (code: string | undefined): UnreadableRequest => {
  const status = statuses[code ?? ""] ?? 400;
  return {
    status,
    reason: STATUS_CODES[status] ?? "",
    requestId: randomUUID(),
    extendedRequestId: randomBytes(11).toString("base64"),
  };
};

/** Responds on a connection without a valid request, and ends it. */
const respondUnreadable = (
  socket: Duplex,
  { status, reason, requestId }: UnreadableRequest,
  { headers = {}, body }: ReturnType<WordUnreadable>,
): void => {
  const all = {
    ...headers,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
    Date: new Date().toUTCString(),
    "x-amzn-RequestId": requestId,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n${body}`);
  // Destroying a connection with unread bytes would reset it and lose the response.
  const timer = setTimeout(() => socket.destroy(), farewellMilliseconds);
  socket.once("close", () => clearTimeout(timer));
};

/** Takes one line of text, without a line end. */
export type Log = (line: string) => void;

export interface LocalServer {
  /** `http://<host>:<port>`, without a trailing slash. */
  readonly url: string;
  /** Accepts no new connection, lets requests finish for a moment, then cuts them off. */
  close(): Promise<void>;
}

interface SlowCallerTimeouts {
  /** How long the headers of a request may take to arrive. */
  readonly headersMilliseconds: number;
  /** How long a whole request may take to arrive: 4.4 MB over a weak mobile network take minutes. */
  readonly requestMilliseconds: number;
}

export interface HttpServerOptions {
  /** 0 lets the system choose one. */
  readonly port: number;
  readonly host: string;
  /** The host of the server's address for others; `host` by default. */
  readonly publicHost?: string;
  readonly log: Log;
  readonly slowCallers?: SlowCallerTimeouts | undefined;
}

/** The outcome of requests. */
export interface RequestHandler {
  readonly respond: (exchange: Exchange) => Promise<void>;
  readonly wordUnreadable: WordUnreadable;
  /** The most that request line and headers may have together; Node's own limit when left out. */
  readonly maxHeadBytes?: number;
}

const defaultTimeouts: SlowCallerTimeouts = { headersMilliseconds: 15_000, requestMilliseconds: 300_000 };

const shutdownGraceMilliseconds = 2_000;
/** Longer than the pools of common HTTP clients keep a connection, so that it is the client that lets go of it. */
const keepAliveMilliseconds = 65_000;
/** nginx's code for a caller that left before the response; used in the access log only. */
const clientClosedRequest = 499;

const reportFailure = ({ response }: Exchange, log: Log, error: unknown): void => {
  log(`The local gateway failed: ${error instanceof Error ? error.stack : String(error)}`);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(500, { "content-type": "application/json" }).end('{"message":"Internal server error"}');
};

const logAccess = ({ method, path, receivedAt, response }: Exchange, log: Log): void => {
  response.once("close", () => {
    const status = response.headersSent ? response.statusCode : clientClosedRequest;
    log(`${method} ${path} ${status} ${Date.now() - receivedAt.getTime()}ms`);
  });
};

/** Responds with a body to requests that Node cannot parse; Node alone would respond without one. */
const refuseUnreadable = (server: Server, wordUnreadable: WordUnreadable, log: Log): void => {
  const responses = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();
  const note = ({ socket }: IncomingMessage, response: ServerResponse) => responses.set(socket, response);
  server.on("request", note).on("checkContinue", note);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // What still comes through a connection that is about to end is as unreadable as what came before.
    if (refused.has(socket)) return;
    refused.add(socket);
    const last = responses.get(socket);
    const response = last?.writableFinished ? undefined : last;
    if (error.code === "ECONNRESET" || !socket.writable || response?.headersSent) {
      socket.destroy();
      return;
    }
    const unreadable = describeUnreadable(error.code);
    // When it is the body of a request that breaks off, that request has a line of its own.
    if (!response) log(`A request could not be read (${error.code ?? error.message}): ${unreadable.status}`);
    respondUnreadable(socket, unreadable, wordUnreadable(unreadable));
  });
};

/**
 * Starts an HTTP server that responds to every request and logs a line at its end.
 *
 * @throws Error when the port is in use.
 */
export const startHttpServer = async (
  { port, host, publicHost = host, log, slowCallers = defaultTimeouts }: HttpServerOptions,
  { respond, wordUnreadable, maxHeadBytes }: RequestHandler,
): Promise<LocalServer> => {
  const handle = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void => {
    const exchange = openExchange(request, response, expectsContinue);
    response.setHeader("x-amzn-RequestId", exchange.requestId);
    logAccess(exchange, log);
    respond(exchange).catch((error: unknown) => reportFailure(exchange, log, error));
  };
  const server = createServer({
    headersTimeout: slowCallers.headersMilliseconds,
    requestTimeout: slowCallers.requestMilliseconds,
    connectionsCheckingInterval: Math.min(slowCallers.headersMilliseconds / 3, 5_000),
    keepAliveTimeout: keepAliveMilliseconds,
    ...(maxHeadBytes !== undefined && { maxHeaderSize: maxHeadBytes }),
  });
  refuseUnreadable(server, wordUnreadable, log);
  server.on("request", (request, response) => handle(request, response, false));
  server.on("checkContinue", (request, response) => handle(request, response, true));
  const listeningPort = await listen(server, port, host);
  return {
    url: `http://${publicHost}:${listeningPort}`,
    close: () => closeServer(server, shutdownGraceMilliseconds),
  };
};
