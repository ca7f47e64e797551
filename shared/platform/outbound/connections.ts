import { connect as connectPlainly, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { awaitActivity } from "./timeouts.ts";

/** An open connection that no exchange uses. What it receives was not requested, and its server may close it at any time. */
interface WaitingConnection {
  readonly origin: string;
  readonly socket: Socket;
  readonly isGood: () => boolean;
  readonly discard: () => void;
}

/** The newest is the last, and is used first. */
const waiting: WaitingConnection[] = [];

/** Less than the 5 s after which common servers of models close idle connections. */
const usualWaitMilliseconds = 4_000;
const maxWaitMilliseconds = 60_000;

/** How long a server keeps an idle connection by its `Keep-Alive`, less a second, because closing takes time. */
export const readKeepAlive = (value: string): number | undefined => {
  const seconds = /(?:^|[,; ])timeout=(\d{1,6})(?!\d)/i.exec(value)?.[1];
  return seconds === undefined ? undefined : Math.max(0, Number(seconds) - 1) * 1_000;
};

const endings = ["data", "end", "error", "timeout", "close"] as const;

/** Keeps a connection for the next request; until then it keeps no process alive. */
const wait = ({ origin }: URL, socket: Socket, milliseconds: number): void => {
  // The clock of `performance` stops while an environment is frozen, and the time of day may be set back.
  const [elapsed, date] = [performance.now(), Date.now()];
  const isGood = (): boolean =>
    !socket.destroyed && Math.max(performance.now() - elapsed, Date.now() - date) < milliseconds;
  const discard = (): void => {
    const index = waiting.indexOf(connection);
    if (index >= 0) waiting.splice(index, 1);
    socket.destroy();
  };
  const connection = { origin, socket, isGood, discard };
  waiting.push(connection);
  for (const ending of endings) socket.on(ending, discard);
  socket.unref().setTimeout(milliseconds);
};

/** The status of a response to a connection that was idle for too long. It may cross a request. */
export const idleTooLong = 408;

/** Closes the waiting connections to a server: one of the same age was dead, so the next attempt must open its own. */
export const discardWaiting = ({ origin }: URL): void => {
  for (const connection of [...waiting]) if (connection.origin === origin) connection.discard();
};

/** Keeps a connection after a response, or closes it: a server that has not taken all of the request may not read the rest. */
export const keepConnection = (
  url: URL,
  socket: Socket,
  statusCode: number | undefined,
  milliseconds = usualWaitMilliseconds,
): void => {
  const isDead = statusCode === idleTooLong;
  if (isDead) discardWaiting(url);
  if (isDead || milliseconds === 0 || socket.destroyed || socket.writableLength > 0) socket.destroy();
  else wait(url, socket, Math.min(milliseconds, maxWaitMilliseconds));
};

/** The last TLS session of each server, which makes the next handshake cheaper. */
const sessions = new Map<string, Buffer>();

/** Exchanges have listeners of their own. Without this one, an error after an exchange would end the process. */
const ignore = (): void => undefined;

/**
 * How much a connection reads ahead of its reader, as those with TLS do by default. With Node's 64 kB for others, a stream whose
 * reader is slow held 350 kB instead of 120.
 */
const readAheadBytes = 16_384;

/** Opens a connection, which may not be ready yet. With its own `lookup` it has nothing in common with any other. */
export const connect = ({ protocol, hostname, port, origin }: URL, lookup?: LookupFunction): Socket => {
  const host = hostname.replace(/^\[|\]$/g, "");
  const options = { host, lookup, noDelay: true, keepAlive: true, highWaterMark: readAheadBytes };
  if (protocol !== "https:") {
    return connectPlainly({ ...options, port: Number(port || 80) }).on("error", ignore);
  }
  const socket = connectSecurely({
    ...options,
    port: Number(port || 443),
    ALPNProtocols: ["http/1.1"],
    servername: isIP(host) === 0 ? host : undefined,
    session: lookup ? undefined : sessions.get(origin),
  });
  if (!lookup) socket.on("session", (latest) => sessions.set(origin, latest));
  return socket.on("error", ignore);
};

/** Returns a waiting connection that is still good, or a new one. */
export const takeConnection = (url: URL): Socket => {
  const { origin } = url;
  const connection = waiting.findLast((one) => one.origin === origin);
  if (!connection) return connect(url);
  const { socket, isGood, discard } = connection;
  if (!isGood()) {
    discard();
    return takeConnection(url);
  }
  waiting.splice(waiting.indexOf(connection), 1);
  for (const ending of endings) socket.off(ending, discard);
  return socket.ref().setTimeout(0);
};

/** Every started opening; each ends without an error. */
const openings: Promise<unknown>[] = [];

/**
 * Opens a connection for the first request to this server. Functions call it during their start: they have a whole
 * CPU then, with any memory size, and a TLS handshake is most of the cost of a first request.
 *
 * Nothing is sent, so it wakes no model. Failures are ignored: the request then opens its own connection.
 */
export const openConnection = (url: URL): void => {
  if (waiting.some(({ origin }) => origin === url.origin)) return;
  const socket = connect(url);
  const opened = url.protocol === "https:" ? "secureConnect" : "connect";
  openings.push(new Promise<void>((resolve) => socket.once(opened, resolve).once("close", resolve)));
  wait(url, socket, usualWaitMilliseconds);
};

/** Waits at most a second until the connections that were opened ahead are ready or have failed. */
export const connectionsOpened = async (): Promise<void> => {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const opened = Promise.race([Promise.all(openings), late]);
  await awaitActivity(opened, { milliseconds: 1_000, onIdle: resolve });
};

/** The value of `Authorization` for a name and a password in an address, which has both percent-encoded (RFC 7617). */
export const basicAuthorization = ({ username, password }: URL): string =>
  `Basic ${Buffer.from(decodeURIComponent(`${username}:${password}`)).toString("base64")}`;
