import type { FunctionUrl } from "../template/local-model.ts";
import { FunctionUrlGateway } from "./function-url-gateway.ts";
import { type HttpServerOptions, type LocalServer, startHttpServer } from "./http-server.ts";
import type { Invoke } from "./invoke.ts";

export interface FunctionUrlOptions extends HttpServerOptions {
  readonly functionUrl: FunctionUrl;
  readonly invoke: Invoke;
}

/**
 * Serves one function URL on a port of its own, as Lambda does on a host of its own.
 *
 * @throws Error when the port is in use.
 */
export const startFunctionUrl = async (options: FunctionUrlOptions): Promise<LocalServer> => {
  const gateway = new FunctionUrlGateway(options.functionUrl, options.invoke, options.log);
  const server = await startHttpServer(options, {
    answer: (exchange) => gateway.answer(exchange),
    wordUnreadable: ({ reason }) => ({ body: JSON.stringify({ Message: reason }) }),
  });
  gateway.domainName = new URL(server.url).host;
  return server;
};
