import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { Server } from "node:net";

/**
 * Lets a server listen.
 *
 * @param port 0 lets the system choose one.
 * @returns the port.
 * @throws Error with a message when the port is in use.
 */
export const listen = async (server: Server, port = 0, host = "127.0.0.1"): Promise<number> => {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
      throw new Error(`Port ${port} is in use.`, { cause: error });
    }
    throw error;
  }
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
};

/** Accepts no new connection, lets requests finish for a moment, then cuts them off. */
export const closeServer = async (server: HttpServer, graceMilliseconds = 0): Promise<void> => {
  const closed = once(server, "close");
  server.close();
  const cutOff = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
  await closed;
  clearTimeout(cutOff);
};
