import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type LoopbackServer, listenOnLoopback } from "./loopback-server.ts";

/** A model's server that takes recordings at a pace of its own. */
export interface RecordingServer extends Pick<LoopbackServer, "close"> {
  readonly baseUrl: string;
  /** How many connections are open. */
  connections(): Promise<number>;
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
  const { url, close } = await listenOnLoopback(server);
  return {
    baseUrl: `${url}/v1`,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    close,
  };
};
