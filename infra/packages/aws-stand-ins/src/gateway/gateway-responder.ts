import type { GatewayResponse, RestApi } from "../template/local-model.ts";
import type { Exchange } from "./exchange.ts";
import type { Fault } from "./faults.ts";
import type { UnreadableRequest, WordUnreadable } from "./http-server.ts";
import type { RequestContext } from "./proxy-event.ts";
import { compileHeaders, compileTemplate, lookUp, type Variables } from "./variables.ts";

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

  respond({ response }: Exchange, fault: Fault, requestContext: RequestContext): void {
    if (response.destroyed) return;
    const defaultType = fault.status < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX";
    const compiled = this.#responses.get(fault.type) ?? this.#responses.get(defaultType) ?? this.#unmapped;
    const { type, message, authorizer } = fault;
    const error = { responseType: type, message, messageString: JSON.stringify(message) };
    const variables = this.#variables({ ...requestContext, authorizer, error });
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
    const variables = this.#variables({ requestId, extendedRequestId, error });
    return {
      headers: { "x-amz-apigw-id": extendedRequestId, ...compiled.headers(variables) },
      body: compiled.body(variables),
    };
  }

  #variables(context: object): Variables {
    const known = { context, stageVariables: this.#stageVariables };
    return (name) => lookUp(known, name.split("."));
  }
}
