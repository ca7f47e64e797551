import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { connect as connectPlainly, isIP, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { awaitActivity } from "./timeouts.ts";

/**
 * Whoever connects to a name has Node look whether it is an address, by a regular expression for IPv6 whose compilation takes
 * V8 a seventh of an empty function's start. Without its optimizations it takes a tenth of that, and names are short. Once
 * compiled it stays, so it is compiled here, and everything after it as always.
 */
const compileAddressPattern = (): void => {
  const optimizations = ["regexp-optimization", "regexp-peephole-optimization", "regexp-tier-up"];
  for (const name of optimizations) setFlagsFromString(`--no-${name}`);
  isIP("localhost");
  for (const name of optimizations) setFlagsFromString(`--${name}`);
};
compileAddressPattern();

/** Connections that were opened ahead and have carried no request yet, by host and port. */
const unused = new Map<string, Socket>();

/** Every opening that has been begun; each ends without an error. */
const openings = new Set<Promise<void>>();

interface Place {
  readonly host?: string | null | undefined;
  readonly port?: number | string | null | undefined;
}

const keyOf = ({ host, port }: Place): string => `${host}:${port}`;

const takeUnused = (place: Place): Socket | undefined => {
  const socket = unused.get(keyOf(place));
  unused.delete(keyOf(place));
  return socket?.ref();
};

/** Takes a connection that was opened ahead before it opens one. */
class PlainAgent extends HttpAgent {
  override createConnection(...[options, callback]: Parameters<HttpAgent["createConnection"]>) {
    return takeUnused(options) ?? super.createConnection(options, callback);
  }
}

/** As {@link PlainAgent}. */
class SecureAgent extends HttpsAgent {
  override createConnection(...[options, callback]: Parameters<HttpsAgent["createConnection"]>) {
    return takeUnused(options) ?? super.createConnection(options, callback);
  }
}

/**
 * Connections are kept and used again, newest first. `node:https` and not `fetch`: loading undici costs a function
 * about 50 ms of its cold start and every call several times the CPU.
 */
const agentOptions = { keepAlive: true, scheduling: "lifo", timeout: 60_000 } as const;

/** Who keeps the connections of all requests to other servers, by the protocol. */
export const agents = { "http:": new PlainAgent(agentOptions), "https:": new SecureAgent(agentOptions) };

/**
 * Opens a connection that the first request to this server will use. A function does so while it starts: it has a whole CPU
 * then, whatever its memory, and a TLS handshake is most of what a first request costs.
 *
 * Nothing is sent, so that no model is woken up by it. A failure is no one's concern: the request opens its own connection.
 */
export const openConnection = ({ protocol, hostname, port: ownPort }: URL): void => {
  const isSecure = protocol === "https:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const place = { host, port: Number(ownPort || (isSecure ? 443 : 80)) };
  const key = keyOf(place);
  if (unused.has(key)) return;
  const options = { ...place, noDelay: true, keepAlive: true };
  const socket = isSecure
    ? connectSecurely({
        ...options,
        ALPNProtocols: ["http/1.1"],
        ...(isIP(host) === 0 ? { servername: host } : {}),
      })
    : connectPlainly(options);
  unused.set(key, socket);
  const opening = new Promise<void>((resolve) => {
    socket.once(isSecure ? "secureConnect" : "connect", () => {
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

/** No start waits longer for its connections. */
const longestMilliseconds = 1_000;

/** Waits until the connections that were opened ahead stand or have failed, but not for long. */
export const connectionsOpened = async (): Promise<void> => {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const opened = Promise.race([Promise.all(openings), late]);
  await awaitActivity(opened, { milliseconds: longestMilliseconds, onIdle: resolve });
};
