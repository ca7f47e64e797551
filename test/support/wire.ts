import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";

/** What goes over the wire. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** Of this machine's addresses, the one to send from. */
  readonly localAddress?: string;
  /** How long the response may take, its last byte included; by default 15 seconds. */
  readonly maxMilliseconds?: number;
}

/** What comes back. */
export interface WireResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly milliseconds: number;
}

/** A request that takes longer is reported as if its connection had broken. */
const defaultMaxMilliseconds = 15_000;

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/**
 * Sends a request unchanged, also with headers and methods that `fetch` refuses to send.
 *
 *
 * @throws Error when the connection breaks or the response takes too long.
 */
export const sendOverWire = (
  baseUrl: string,
  { method, path, headers, body, localAddress, maxMilliseconds = defaultMaxMilliseconds }: WireRequest,
): Promise<WireResponse> => {
  const startedAt = performance.now();
  const { protocol, hostname, port } = new URL(baseUrl);
  if (protocol !== "http:")
    throw new Error("Requests go over plain HTTP only, to a service on this machine.");
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        method,
        path: `${basePathIn(baseUrl)}${path}`,
        agent,
        ...(localAddress === undefined ? {} : { localAddress }),
        headers: { ...headers, ...(body ? { "Content-Length": String(body.length) } : {}) },
        signal: AbortSignal.timeout(maxMilliseconds),
      },
      (response) => {
        buffer(response).then(
          (bytes) =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: bytes,
              milliseconds: performance.now() - startedAt,
            }),
          reject,
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
};

/** The prefix of every path of a service; empty when it has none. */
export const basePathIn = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, "");

/** Sends bytes unchanged, and returns everything that comes back before the server closes the connection. */
export const sendBytes = async (baseUrl: string, bytes: string): Promise<string> => {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setTimeout(defaultMaxMilliseconds, () =>
    socket.destroy(new Error("The server did not close the connection.")),
  );
  // Not ended from this side: a server that sees a half-closed connection may drop its response.
  socket.write(bytes, "latin1");
  return text(socket);
};
