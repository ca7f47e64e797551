import type { LocalModel } from "../template/local-model.ts";
import { type HttpServerOptions, type LocalServer, startHttpServer } from "./http-server.ts";
import type { Invoke } from "./invoke.ts";
import { MAXIMUM_HEAD_BYTES } from "./limits.ts";
import { findLocalRoute, type LocalRoutes, respondLocally } from "./local-routes.ts";
import { RestApiGateway } from "./rest-api-gateway.ts";

export interface RestApiOptions extends HttpServerOptions {
  readonly model: Pick<LocalModel, "restApi">;
  readonly invoke: Invoke;
  /** Where callers reach the API, such as `http://127.0.0.1:3000`; the server's own address when left out. */
  readonly baseUrl?: string;
  /** Answered before the API's own routes; made once it is known where the server listens. */
  readonly localRoutes?: (url: string) => LocalRoutes;
}

/**
 * Serves the REST API of an application as API Gateway does: events, authorizers, refusals, limits, time-outs, buffered
 * and streamed answers. README.md says where the two differ.
 *
 * @throws Error when the port is in use, or when the API needs something that is not served.
 */
export const startRestApi = async (options: RestApiOptions): Promise<LocalServer> => {
  const { model, invoke, log, baseUrl } = options;
  let localRoutes: LocalRoutes = {};
  const gateway = new RestApiGateway(model.restApi, invoke, log);
  const server = await startHttpServer(options, {
    answer: (exchange) => {
      exchange.response.setHeader("x-amz-apigw-id", exchange.extendedRequestId);
      const localRoute = findLocalRoute(exchange, localRoutes);
      return localRoute === undefined ? gateway.answer(exchange) : respondLocally(exchange, localRoute);
    },
    wordUnreadable: (request) => gateway.wordUnreadable(request),
    maximumHeadBytes: MAXIMUM_HEAD_BYTES,
  });
  localRoutes = options.localRoutes?.(server.url) ?? {};
  gateway.domainName = new URL(baseUrl ?? server.url).host;
  return server;
};
