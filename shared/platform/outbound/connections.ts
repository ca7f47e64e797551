import { connect as connectPlainly, isIP, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { awaitActivity } from "./timeouts.ts";

/** Connections that were opened ahead and have carried no request yet, by host and port. */
const unused = new Map<string, Socket>();

/** Every started opening; each ends without an error. */
const openings = new Set<Promise<void>>();

export interface ConnectionOrigin {
  readonly host?: string | null | undefined;
  readonly port?: number | string | null | undefined;
}

const keyOf = ({ host, port }: ConnectionOrigin): string => `${host}:${port}`;

/** A connection that was opened ahead, for the next request that would open one. */
export const takeUnused = (origin: ConnectionOrigin): Socket | undefined => {
  const socket = unused.get(keyOf(origin));
  unused.delete(keyOf(origin));
  return socket?.ref();
};

const originOf = ({ protocol, hostname, port }: URL) => ({
  host: hostname.replace(/^\[|\]$/g, ""),
  port: Number(port || (protocol === "https:" ? 443 : 80)),
});

/** The last TLS session of each server, which makes the next handshake cheaper. */
const sessions = new Map<string, Buffer>();

const connect = (url: URL): Socket => {
  const origin = originOf(url);
  const options = { ...origin, noDelay: true, keepAlive: true };
  if (url.protocol !== "https:") return connectPlainly(options);
  const key = keyOf(origin);
  const session = sessions.get(key);
  const socket = connectSecurely({
    ...options,
    ALPNProtocols: ["http/1.1"],
    ...(isIP(origin.host) === 0 ? { servername: origin.host } : {}),
    ...(session ? { session } : {}),
  });
  return socket.on("session", (latest) => sessions.set(key, latest));
};

/** Returns a connection that was opened ahead, or a new one, which may not be ready yet. */
export const connectTo = (url: URL): Socket => takeUnused(originOf(url)) ?? connect(url);

/**
 * Opens a connection for the first request to this server. Functions call it during their start: they have a whole
 * CPU then, with any memory size, and a TLS handshake is most of the cost of a first request.
 *
 * Nothing is sent, so it wakes no model. Failures are ignored: the request then opens its own connection.
 */
export const openConnection = (url: URL): void => {
  const key = keyOf(originOf(url));
  if (unused.has(key)) return;
  const socket = connect(url);
  unused.set(key, socket);
  const opening = new Promise<void>((resolve) => {
    socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
      // Until it is used it keeps no process alive.
      if (unused.get(key) === socket) socket.unref();
      resolve();
    });
    socket.on("error", () => undefined);
    socket.once("close", () => {
      if (unused.get(key) === socket) unused.delete(key);
      resolve();
    });
  }).finally(() => openings.delete(opening));
  openings.add(opening);
};

const maxMilliseconds = 1_000;

/** Waits at most a second until the connections that were opened ahead are ready or have failed. */
export const connectionsOpened = async (): Promise<void> => {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const opened = Promise.race([Promise.all(openings), late]);
  await awaitActivity(opened, { milliseconds: maxMilliseconds, onIdle: resolve });
};

/** The value of `Authorization` for a name and a password in an address, which has both percent-encoded (RFC 7617). */
export const basicAuthorization = ({ username, password }: URL): string =>
  `Basic ${Buffer.from(decodeURIComponent(`${username}:${password}`)).toString("base64")}`;
