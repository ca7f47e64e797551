import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { accessKeyIdIn } from "../iam/authority.ts";
import { isFromThisMachine } from "../loopback.ts";

/**
 * A refusal in the words of an AWS service. The SDK throws it as an exception whose `name` is {@link AwsError.code}.
 */
export class AwsError extends Error {
  override readonly name = "AwsError";
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
  /** Returns the response document; a refusal is a thrown {@link AwsError}. */
  respond(request: AwsRequest): Promise<object>;
  /** Writes a refusal the way the service's clients read it. */
  describeError(error: AwsError): { headers: Record<string, string>; body: object };
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
  readonly headers: Record<string, string>;
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
    return { status: 200, headers: {}, body };
  } catch (error) {
    // A caller that disconnects while sending breaks the reading; no one is left to get an error.
    if (signal.aborted) return { status: 499, headers: {}, body: {} };
    const refusal = error instanceof AwsError ? error : internalFailure(error);
    return { status: refusal.status, ...protocol.describeError(refusal) };
  }
};

const serve = async (
  protocol: AwsProtocol,
  request: IncomingMessage,
  response: ServerResponse,
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
    ...headers,
  });
  response.end(text);
};

/**
 * Serves one protocol on the loopback interface.
 *
 * @param port 0 lets the system choose one.
 * @throws when the port is taken.
 */
export const startAwsServer = async (protocol: AwsProtocol, port = 0): Promise<AwsServer> => {
  const working = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const work = serve(protocol, request, response).finally(() => working.delete(work));
    working.add(work);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no TCP address.");
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await Promise.allSettled(working);
    },
  };
};
