import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { basicAuthorization, takeUnused } from "./connections.ts";
import { BackendRefusal, BackendTimeout, BackendUnreachable, connectionFailure } from "./failures.ts";
import { awaitActivity, withIdleTimeout } from "./timeouts.ts";

/** Makes an agent prefer connections that were opened ahead. */
const preferUnused = (agent: HttpAgent): HttpAgent => {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => takeUnused(options) ?? connect(options, callback);
  return agent;
};

/**
 * Connections are reused, newest first. `node:https` and not `fetch`: loading undici costs a function about 50 ms of
 * its cold start and every call several times the CPU.
 */
const agentOptions = { keepAlive: true, scheduling: "lifo", timeout: 60_000 } as const;

const agents = {
  "http:": preferUnused(new HttpAgent(agentOptions)),
  "https:": preferUnused(new HttpsAgent(agentOptions)),
};

export interface RequestHead {
  readonly url: URL;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called once the whole request was sent. A request that fails before has had no effect on the server. */
  readonly onSent?: (() => void) | undefined;
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

const targetOf = ({ hostname, port, pathname, search }: URL) => ({
  host: hostname.replace(/^\[|\]$/g, ""),
  port,
  path: pathname + search,
});

/** Names and values in turn: `node:http` writes such a list unchanged, but copies an object first. */
const headerList = (url: URL, headers: RequestHead["headers"]): string[] => {
  const list = ["Host", url.host];
  let isAuthorized = url.username === "";
  for (const name in headers) {
    isAuthorized ||= name.toLowerCase() === "authorization";
    list.push(name, headers[name] ?? "");
  }
  if (!isAuthorized) list.push("Authorization", basicAuthorization(url));
  return list;
};

/** Opens a request. It does not follow redirects; the signal destroys the request or its response with its reason. */
export const openExchange = ({ url, method, headers, signal, onSent }: RequestHead): Exchange => {
  signal.throwIfAborted();
  const secure = url.protocol === "https:";
  const agent = secure ? agents["https:"] : agents["http:"];
  const options = { ...targetOf(url), method, agent, headers: headerList(url, headers) };
  const request = (secure ? requestHttps : requestHttp)(options);
  if (onSent) request.once("finish", onSent);
  let incoming: IncomingMessage | undefined;
  // Once there is a response, that must be destroyed. A request destroyed (also by its own `signal` option) while its
  // response ends leaves its socket with an error that nothing handles, which ends the process.
  const end = (reason: Error): void => {
    (incoming ?? request).destroy(reason);
  };
  const abort = (): void => end(signal.reason);
  signal.addEventListener("abort", abort);
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.on("error", (error) => reject(signal.aborted ? signal.reason : connectionFailure(error)));
    request.once("response", (message) => {
      incoming = message;
      resolve(message);
    });
    // Another protocol (status 101) was not requested. Without a listener the request would close silently.
    request.once("upgrade", ({ statusCode = 101 }, socket) => {
      socket.destroy();
      reject(new BackendRefusal(statusCode));
    });
    request.once("close", () => {
      signal.removeEventListener("abort", abort);
      // Ends waiting for a request that ended without a response. Does nothing after a failure.
      if (incoming) return;
      reject(
        signal.aborted ? signal.reason : new BackendUnreachable("The connection closed without a response."),
      );
    });
  });
  return { request, response, end };
};

const openWithBody = ({ body = "", ...head }: RequestHead & Pick<BackendRequest, "body">): Exchange => {
  const length = Buffer.byteLength(body);
  const mayHaveBody = head.method === "PUT" || head.method === "POST";
  if (length === 0 && !mayHaveBody) return openExchange(head);
  return openExchange({ ...head, headers: { ...head.headers, "Content-Length": String(length) } });
};

/**
 * Sends a request and resolves with the head of the response; the body is still unread.
 *
 * It does not follow redirects. A silence that lasts too long, also within the body, destroys the response with a
 * BackendTimeout, and the signal destroys it with its reason.
 *
 * @throws BackendTimeout, BackendUnreachable, BackendRefusal for a change of protocol, or the signal's reason.
 */
export const sendRequest = async (options: BackendRequest): Promise<IncomingMessage> => {
  const { body, silenceMilliseconds } = options;
  const { request, response, end } = openWithBody(options);
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
