import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { lambdaContext, lambdaEvent } from "./lambda-event.ts";
import { type LoopbackServer, listenOnLoopback } from "./loopback-server.ts";
import { authorizedCaller } from "./send.ts";
import { streamingRuntime } from "./streaming-runtime.ts";
import { unlimited } from "./unlimited.ts";

const toHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Serves endpoints over HTTP, through the real stack of a streaming function. Every caller is an authorized one. */
export const serveStreaming = async (endpoints: readonly Endpoint[]): Promise<LoopbackServer> => {
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
  return listenOnLoopback(server);
};
