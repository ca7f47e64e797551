import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { closeServer, listen } from "../machine/listening.ts";
import { isFromThisMachine } from "../machine/loopback.ts";

/** A refusal in the words of an AWS service. The SDK throws it as an exception whose `name` is {@link AwsError.code}. */
export class AwsError extends Error {
  override readonly name: string = "AwsError";
  /** The service's own name for the error, without a namespace, such as `QueueDoesNotExist`. */
  readonly code: string;
  /** The HTTP status of the response. */
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/**
 * Reads a request body to its end and parses it as JSON; an empty body counts as `{}`, as the SDK may send none.
 *
 * @throws AwsError `RequestEntityTooLarge` (413) beyond `maxBytes`, `SerializationException` (400) when the body
 *   is not JSON.
 */
const readJsonBody = async (request: IncomingMessage, maxBytes: number): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let size = 0;
  // An oversized body is read to its end but dropped. Unread bytes would stay on the connection and block the
  // client's next request on it.
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  }
  if (size > maxBytes) {
    throw new AwsError("RequestEntityTooLarge", `The request body is larger than ${maxBytes} bytes.`, 413);
  }
  if (size === 0) return {};
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new AwsError("SerializationException", "The request body is not valid JSON.");
  }
};

/** A request that carries a signature and whose body has been read. */
interface AwsRequest {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The key that the request is signed with. */
  readonly accessKeyId: string;
  /** The parsed JSON document; nothing about its shape is known yet. */
  readonly body: unknown;
  /** Aborted when the caller has gone away or the server closes. */
  readonly signal: AbortSignal;
}

/** What differs between two services that speak JSON over HTTP. */
export interface AwsProtocol {
  readonly contentType: string;
  readonly maxBodyBytes: number;
  /** How long requests in progress may take after the server was closed; by default they are cut off at once. */
  readonly closingGraceMilliseconds?: number;
  /** Returns the response document; a refusal is a thrown {@link AwsError}. */
  respond(request: AwsRequest): Promise<object>;
  /** Writes a refusal the way the service's clients read it. */
  describeError(error: AwsError): { status?: number; headers?: Record<string, string>; body: object };
}

interface AwsServer {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly endpoint: string;
  /** Ends open connections and resolves when no request is in progress. */
  close(): Promise<void>;
}

// The signature itself is not verified: these services trust this machine. Demanding the header still matters,
// because a web page cannot send it across origins without asking first, and it shows a client without credentials.
const requireSignature = (authorization: string | undefined): void => {
  if (!authorization?.startsWith("AWS4-HMAC-SHA256 ")) {
    throw new AwsError("MissingAuthenticationTokenException", "Missing Authentication Token", 403);
  }
};

/** The access key that an `Authorization` header names; empty when there is none. */
export const accessKeyIdIn = (authorization: string | undefined): string =>
  /\bCredential=(?<accessKeyId>[^,\s]+?)(?:\/[^/,\s]+){4}(?:,|$)/.exec(authorization ?? "")?.groups?.[
    "accessKeyId"
  ] ?? "";

const internalFailure = (error: unknown): AwsError => {
  const cause = error instanceof Error ? error : new Error(String(error));
  process.emitWarning(cause);
  return new AwsError("InternalFailure", `The embedded service failed: ${cause.message}`, 500);
};

const requireThisMachine = (request: IncomingMessage): void => {
  if (isFromThisMachine(request)) return;
  throw new AwsError("AccessDeniedException", "This server is for this machine only.", 403);
};

interface JsonResponse {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: object;
}

const respondToRequest = async (
  protocol: AwsProtocol,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<JsonResponse> => {
  try {
    requireThisMachine(request);
    requireSignature(request.headers.authorization);
    const body = await protocol.respond({
      method: request.method ?? "GET",
      path: new URL(request.url ?? "/", "http://localhost").pathname,
      headers: request.headers,
      accessKeyId: accessKeyIdIn(request.headers.authorization),
      body: await readJsonBody(request, protocol.maxBodyBytes),
      signal,
    });
    return { status: 200, body };
  } catch (error) {
    // A caller that disconnects while sending breaks the reading; no one is left to get an error.
    if (signal.aborted) return { status: 499, body: {} };
    const refusal = error instanceof AwsError ? error : internalFailure(error);
    return { status: refusal.status, ...protocol.describeError(refusal) };
  }
};

const serve = async (
  protocol: AwsProtocol,
  request: IncomingMessage,
  response: ServerResponse,
  server: Server,
): Promise<void> => {
  const caller = new AbortController();
  response.once("close", () => caller.abort());
  const { status, headers, body } = await respondToRequest(protocol, request, caller.signal);
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": protocol.contentType,
    "content-length": Buffer.byteLength(text),
    "x-amzn-requestid": randomUUID(),
    // A server that is closing ends the connection with its response.
    ...(!server.listening && { connection: "close" }),
    ...headers,
  });
  response.end(text);
};

/** Long enough that a client reuses its connection instead of meeting one that is just being closed. */
const keepAliveTimeout = 60_000;

/**
 * Serves one protocol on the loopback interface.
 *
 * @param port 0 lets the system choose one.
 * @throws Error with a message when the port is in use.
 */
export const startAwsServer = async (protocol: AwsProtocol, port = 0): Promise<AwsServer> => {
  const working = new Set<Promise<void>>();
  const server = createServer({ keepAliveTimeout }, (request, response) => {
    const work = serve(protocol, request, response, server).finally(() => working.delete(work));
    working.add(work);
  });
  const endpoint = `http://127.0.0.1:${await listen(server, port)}`;
  return {
    endpoint,
    close: async () => {
      await closeServer(server, protocol.closingGraceMilliseconds);
      await Promise.allSettled(working);
    },
  };
};
