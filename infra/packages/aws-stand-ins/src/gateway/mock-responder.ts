import type { MockIntegration, MockResponse, RestApi } from "../template/local-model.ts";
import { compileHeaders, compileTemplate, lookUp, type Variables } from "../template/variables.ts";
import type { Exchange } from "./exchange.ts";
import { createFault, type Fault } from "./faults.ts";
import { type IsBinary, mediaTypeOf, type Responder, type RoutedRequest } from "./responder.ts";

interface CompiledResponse {
  readonly statusCode: number;
  /** Undefined for the default response. */
  readonly pattern: RegExp | undefined;
  headers(variables: Variables): Record<string, string>;
  readonly templates: ReadonlyMap<string, (variables: Variables) => string>;
}

const compile = ({ statusCode, selectionPattern, headers, templates }: MockResponse): CompiledResponse => ({
  statusCode,
  pattern: selectionPattern === undefined ? undefined : new RegExp(`^(?:${selectionPattern})$`),
  headers: compileHeaders(headers),
  templates: new Map(Object.entries(templates).map(([type, template]) => [type, compileTemplate(template)])),
});

/** Responds with a MOCK integration: no function is called. */
export class MockResponder implements Responder {
  readonly #integration: MockIntegration;
  readonly #requestTemplates: ReadonlyMap<string, (variables: Variables) => string>;
  readonly #responses: readonly CompiledResponse[];
  readonly #isBinary: IsBinary;
  readonly #stageVariables: RestApi["stageVariables"];

  constructor(integration: MockIntegration, isBinary: IsBinary, stageVariables: RestApi["stageVariables"]) {
    this.#integration = integration;
    this.#requestTemplates = new Map(
      Object.entries(integration.requestTemplates).map(([type, template]) => [
        type,
        compileTemplate(template),
      ]),
    );
    this.#responses = integration.responses.map(compile);
    this.#isBinary = isBinary;
    this.#stageVariables = stageVariables;
  }

  async respond({ exchange, head, body, authorizer }: RoutedRequest): Promise<Fault | undefined> {
    // API Gateway takes a request without a content type for JSON.
    const mediaType = mediaTypeOf(exchange.request.headers["content-type"]) || "application/json";
    const context = { ...head.requestContext, authorizer };
    const known = { context, stageVariables: this.#stageVariables };
    const variables: Variables = (name) => lookUp(known, name.split("."));
    const request = this.#transform(mediaType, body, variables);
    if (typeof request !== "string") return request;
    // The template's JSON may have bare keys: the CDK itself writes `{ statusCode: 200 }`.
    const status = /["']?statusCode["']?\s*:\s*["']?(?<status>\d{3})/.exec(request)?.groups?.["status"];
    const response =
      this.#responses.find(({ pattern }) => status !== undefined && pattern?.test(status)) ??
      this.#responses.find(({ pattern }) => pattern === undefined);
    if (status === undefined || response === undefined) return createFault("API_CONFIGURATION_ERROR");
    this.#send(exchange, response, variables);
    return undefined;
  }

  /**
   * The integration request: the template for the request's content type, or what the passthrough behaviour makes of a
   * type without one. A body that is passed through must itself name the status, so that ordinary ones fail; and a
   * template is applied to text only.
   */
  #transform(mediaType: string, body: Buffer, variables: Variables): string | Fault {
    const { requestTemplates, passthroughBehavior, contentHandling } = this.#integration;
    const template = this.#requestTemplates.get(mediaType);
    if (template !== undefined) {
      const isText = contentHandling === "CONVERT_TO_TEXT" || !this.#isBinary(mediaType);
      return isText ? template(variables) : createFault("API_CONFIGURATION_ERROR");
    }
    const isRefused =
      passthroughBehavior === "NEVER" ||
      (passthroughBehavior === "WHEN_NO_TEMPLATES" && Object.keys(requestTemplates).length > 0);
    return isRefused ? createFault("UNSUPPORTED_MEDIA_TYPE") : body.toString();
  }

  #send(
    { request, response }: Exchange,
    { statusCode, headers, templates }: CompiledResponse,
    variables: Variables,
  ): void {
    const accepted = mediaTypeOf(request.headers.accept);
    const contentType = [accepted, "application/json", ...templates.keys()].find((type) =>
      templates.has(type),
    );
    const body = templates.get(contentType ?? "")?.(variables) ?? "";
    response.writeHead(statusCode, {
      ...(statusCode !== 204 && {
        "content-type": contentType ?? "application/json",
        "content-length": Buffer.byteLength(body),
      }),
      ...headers(variables),
    });
    response.end(body);
  }
}
