import { once } from "node:events";
import type { Server } from "node:http";

/**
 * Starts a server on the loopback interface.
 *
 * @param port 0 for any free one
 * @returns its address, without a slash at the end.
 */
export const listenOnLoopback = async (server: Server, port: number): Promise<string> => {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no TCP address.");
  return `http://127.0.0.1:${address.port}`;
};

/** Stops a server and ends its connections. */
export const closeServer = async (server: Server): Promise<void> => {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
};
