import type { LocalModel, RestApi, Route } from "../template/local-model.ts";
import { type Decision, RequestAuthorizer } from "./authorizer.ts";
import type { Exchange } from "./exchange.ts";
import { createFault, type Fault } from "./faults.ts";
import { FunctionTarget } from "./function-target.ts";
import { GatewayResponder } from "./gateway-responder.ts";
import {
  type HttpServerOptions,
  type LocalServer,
  type Log,
  startHttpServer,
  type WordUnreadable,
} from "./http-server.ts";
import type { Invoke } from "./invoke.ts";
import { LambdaResponder } from "./lambda-responder.ts";
import { findLocalRoute, type LocalRoutes, respondLocally } from "./local-routes.ts";
import { MockResponder } from "./mock-responder.ts";
import {
  createEventHead,
  createRequestContext,
  type EventHead,
  type PublicAddress,
  type RequestContext,
} from "./proxy-event.ts";
import { maxHeadBytes, maxRequestBytes, readBody, unpackBody } from "./read-body.ts";
import { compileMediaTypes, type Responder } from "./responder.ts";
import { type Match, Router } from "./router.ts";

/** A route with what it takes to serve it. */
interface ServedRoute extends Route {
  readonly guard: RequestAuthorizer | undefined;
  readonly responder: Responder;
}

type Permission = Decision | { readonly allowed: true; readonly context: undefined };

const openToAnyone: Permission = { allowed: true, context: undefined };

/** Prepares the routes, once; routes that share an authorizer share its memory. */
const prepareRoutes = (
  { routes, binaryMediaTypes, stageVariables }: RestApi,
  invoke: Invoke,
  log: Log,
): ServedRoute[] => {
  const isBinary = compileMediaTypes(binaryMediaTypes);
  const authorizers = new Set(routes.flatMap(({ authorizer }) => authorizer ?? []));
  const guards = new Map([...authorizers].map((it) => [it, new RequestAuthorizer(it, invoke, log)]));
  return routes.map((route) => ({
    ...route,
    guard: route.authorizer && guards.get(route.authorizer),
    responder:
      route.integration.type === "mock"
        ? new MockResponder(route.integration, stageVariables)
        : new LambdaResponder(new FunctionTarget({ ...route.integration, invoke, log }), isBinary),
  }));
};

/** A request for one of the API's routes. */
export interface ObservedRequest {
  readonly method: string;
  /** Below the base path. */
  readonly path: string;
  /** Decompressed. */
  readonly body: Uint8Array;
}

/** Handles the requests of a REST API. */
class RestApiGateway {
  address: PublicAddress = { domainName: "localhost", basePath: "" };
  readonly #restApi: RestApi;
  readonly #router: Router<ServedRoute>;
  readonly #faults: GatewayResponder;
  readonly #observe: GatewayOptions["observe"];

  constructor(restApi: RestApi, { invoke, log, observe }: GatewayOptions) {
    this.#restApi = restApi;
    this.#observe = observe;
    this.#router = new Router(prepareRoutes(restApi, invoke, log));
    this.#faults = new GatewayResponder(restApi);
  }

  async respond(exchange: Exchange): Promise<void> {
    const found = this.#match(exchange);
    const match = "route" in found ? found : undefined;
    const context = createRequestContext(exchange, this.#restApi, this.address, match);
    const fault = "route" in found ? await this.#serve(exchange, found, context) : found;
    if (fault !== undefined) this.#faults.respond(exchange, fault, context);
  }

  /** Writes the response to malformed requests, in the format of all other refusals. */
  readonly wordUnreadable: WordUnreadable = (request) => this.#faults.wordUnreadable(request);

  #match({ method, path }: Exchange): Match<ServedRoute> | Fault {
    try {
      // API Gateway takes what has no route for a request of its own management API, and misses its signature.
      return this.#router.match(method, path) ?? createFault("MISSING_AUTHENTICATION_TOKEN");
    } catch (error) {
      if (error instanceof URIError) return createFault("BAD_REQUEST_PARAMETERS");
      throw error;
    }
  }

  async #serve(
    exchange: Exchange,
    match: Match<ServedRoute>,
    context: RequestContext,
  ): Promise<Fault | undefined> {
    const received = await readBody(exchange, maxRequestBytes);
    if (received.kind === "aborted") return undefined;
    if (received.kind === "too-large") return createFault("REQUEST_TOO_LARGE");
    const head = createEventHead(exchange, this.#restApi, match, context);
    const permission = await this.#authorize(exchange, match.route, head);
    if (!permission.allowed) return permission.fault;
    const authorizer = permission.context;
    const body = await unpackBody(received.bytes, exchange.request.headers["content-encoding"]);
    if (body === "too-large") return createFault("REQUEST_TOO_LARGE");
    if (body === "unreadable") return createFault("UNSUPPORTED_MEDIA_TYPE");
    this.#observe?.({ method: exchange.method, path: exchange.path, body });
    return await match.route.responder.respond({ exchange, head, body, authorizer });
  }

  async #authorize(exchange: Exchange, { guard }: ServedRoute, head: EventHead): Promise<Permission> {
    return guard === undefined ? openToAnyone : await guard.authorize(exchange, head);
  }
}

/** The same request with the path that its API knows; undefined when it is for no path of the API's. */
const belowBasePath = (exchange: Exchange, basePath: string): Exchange | undefined => {
  if (basePath === "") return exchange;
  const rest = exchange.path.slice(basePath.length);
  if (!exchange.path.startsWith(basePath) || (rest !== "" && !rest.startsWith("/"))) return undefined;
  return { ...exchange, path: rest === "" ? "/" : rest };
};

/** API Gateway's response for an unknown stage. */
const refuseOutside = async ({ response }: Exchange): Promise<void> => {
  response
    .writeHead(403, { "content-type": "application/json", "x-amzn-errortype": "ForbiddenException" })
    .end('{"message":"Forbidden"}');
};

interface GatewayOptions {
  readonly invoke: Invoke;
  readonly log: Log;
  /** Called with every authorized request before its function is. */
  readonly observe?: ((request: ObservedRequest) => void) | undefined;
}

export interface RestApiOptions extends HttpServerOptions, GatewayOptions {
  readonly model: Pick<LocalModel, "restApi">;
  /** The prefix of every path, such as `/prod`; empty by default. */
  readonly basePath?: string;
  /** Handled before the API's own routes; created once the server's address is known. */
  readonly localRoutes?: (url: string) => LocalRoutes;
}

/**
 * Serves the REST API of an application as API Gateway does: events, authorizers, refusals, limits, timeouts,
 * buffered and streamed responses. README.md lists the differences.
 *
 * @throws Error when the port is in use, or when the API needs an unsupported feature.
 */
export const startRestApi = async (options: RestApiOptions): Promise<LocalServer> => {
  const { model, basePath = "" } = options;
  let localRoutes: LocalRoutes = {};
  const gateway = new RestApiGateway(model.restApi, options);
  const server = await startHttpServer(options, {
    respond: (exchange) => {
      exchange.response.setHeader("x-amz-apigw-id", exchange.extendedRequestId);
      const below = belowBasePath(exchange, basePath);
      if (below === undefined) return refuseOutside(exchange);
      const localRoute = findLocalRoute(below, localRoutes);
      return localRoute === undefined ? gateway.respond(below) : respondLocally(below, localRoute);
    },
    wordUnreadable: (request) => gateway.wordUnreadable(request),
    maxHeadBytes: maxHeadBytes,
  });
  const url = `${server.url}${basePath}`;
  localRoutes = options.localRoutes?.(url) ?? {};
  gateway.address = { domainName: new URL(url).host, basePath };
  return { ...server, url };
};
