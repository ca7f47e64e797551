import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Endpoint } from "../../shared/http/endpoint.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { lambdaContext, lambdaEvent } from "./lambda-event.ts";
import { authorizedCaller } from "./send.ts";
import { streamingRuntime } from "./streaming-runtime.ts";
import { unlimited } from "./unlimited.ts";

/** Endpoints served over HTTP. */
export interface StreamingServer {
  readonly url: string;
  close(): Promise<void>;
}

const toHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Serves endpoints over HTTP, through the real stack of a streaming function. Every caller is an authorized one. */
export const serveStreaming = async (endpoints: readonly Endpoint[]): Promise<StreamingServer> => {
  Object.assign(globalThis, { awslambda: streamingRuntime });
  const handler: (...args: never[]) => unknown = createStreamingHandler(endpoints, { limiter: unlimited });
  const server = createServer((request, response) => {
    void (async () => {
      const event = lambdaEvent({
        method: request.method ?? "",
        path: request.url ?? "",
        headers: toHeaders(request),
        body: await buffer(request),
        authorizer: authorizedCaller,
      });
      await Reflect.apply(handler, undefined, [event, response, lambdaContext(60_000)]);
    })();
  });
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
