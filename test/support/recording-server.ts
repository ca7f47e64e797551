import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** A model's server that takes recordings at a pace of its own. */
export interface RecordingServer {
  readonly baseUrl: string;
  /** How many connections are open. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

/** Reads a request with a pause after each piece; then responds with a transcription. */
export const readingSlowly =
  (pauseMilliseconds: number) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for await (const _piece of request) await pause(pauseMilliseconds);
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"text":"Oli otya?"}');
  };

/** Starts a server on a free port of this machine, whose requests a test reads as it likes. */
export const startRecordingServer = async (
  take: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<RecordingServer> => {
  const server = createServer({ highWaterMark: 64 * 1024 }, (request, response) => {
    void (async () => {
      // A connection that the client breaks off ends the reading with an error.
      await Promise.resolve(take(request, response)).catch(() => undefined);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
