import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of a test. */
export interface LoopbackServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Lets a server listen on a free port of this machine. Closing it ends all its connections. */
export const listenOnLoopback = async (server: Server): Promise<LoopbackServer> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
