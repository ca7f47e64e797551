import type { GatewayResponse, RestApi, Route } from "../template/local-model.ts";
import { compileHeaders, compileTemplate, lookUp, type Variables } from "../template/variables.ts";
import type { Exchange } from "./exchange.ts";
import type { Fault } from "./faults.ts";
import type { UnreadableRequest, WordUnreadable } from "./http-server.ts";
import type { RequestContext } from "./proxy-event.ts";
import type { Match } from "./router.ts";

interface CompiledResponse {
  readonly statusCode: number | undefined;
  headers(variables: Variables): Record<string, string>;
  body(variables: Variables): string;
}

/** API Gateway's responses when the API does not define them. */
const unmappedBody = '{"message":$context.error.messageString}';

const compile = ({ statusCode, headers, templates }: GatewayResponse): CompiledResponse => ({
  statusCode,
  headers: compileHeaders(headers),
  body: compileTemplate(templates["application/json"] ?? unmappedBody),
});

/** Formats errors as the API's gateway responses define. */
export class GatewayResponder {
  readonly #stageVariables: RestApi["stageVariables"];
  readonly #responses: ReadonlyMap<string, CompiledResponse>;
  readonly #unmapped = compile({ responseType: "", statusCode: undefined, headers: {}, templates: {} });

  constructor({ gatewayResponses, stageVariables }: RestApi) {
    this.#stageVariables = stageVariables;
    this.#responses = new Map(gatewayResponses.map((response) => [response.responseType, compile(response)]));
  }

  respond(
    exchange: Exchange,
    fault: Fault,
    requestContext: RequestContext,
    match: Match<Route> | undefined,
  ): void {
    const { response } = exchange;
    if (response.destroyed) return;
    const defaultType = fault.status < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX";
    const compiled = this.#responses.get(fault.type) ?? this.#responses.get(defaultType) ?? this.#unmapped;
    const variables = this.#variables(exchange, fault, requestContext, match);
    const body = compiled.body(variables);
    response.writeHead(compiled.statusCode ?? fault.status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...(fault.errorType !== undefined && { "x-amzn-ErrorType": fault.errorType }),
      ...compiled.headers(variables),
    });
    response.end(body);
  }

  /** The response to an unreadable request: that of errors without their own response. */
  wordUnreadable({ reason, requestId, extendedRequestId }: UnreadableRequest): ReturnType<WordUnreadable> {
    const type = "DEFAULT_4XX";
    const compiled = this.#responses.get(type) ?? this.#unmapped;
    const error = { responseType: type, message: reason, messageString: JSON.stringify(reason) };
    const known = {
      context: { requestId, extendedRequestId, error },
      stageVariables: this.#stageVariables,
    };
    const variables: Variables = (name) => lookUp(known, name.split("."));
    return {
      headers: { "x-amz-apigw-id": extendedRequestId, ...compiled.headers(variables) },
      body: compiled.body(variables),
    };
  }

  #variables(
    { request, rawQuery }: Exchange,
    { type, message, authorizer }: Fault,
    requestContext: RequestContext,
    match: Match<Route> | undefined,
  ): Variables {
    const error = { responseType: type, message, messageString: JSON.stringify(message) };
    const context = { ...requestContext, authorizer, error };
    return (name) => {
      const path = name.split(".");
      if (path[0] === "context") return lookUp(context, path.slice(1));
      if (path[0] === "stageVariables") return lookUp(this.#stageVariables, path.slice(1));
      const [, , location, key = ""] = path;
      if (location === "header") return lookUp(request.headers, [key.toLowerCase()]);
      if (location === "querystring") return new URLSearchParams(rawQuery).get(key) ?? undefined;
      return lookUp(match?.pathParameters, [key]);
    };
  }
}
