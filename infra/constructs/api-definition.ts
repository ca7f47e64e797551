import { type FunctionDefinition, service } from "../../shared/http/function-definition.ts";
import { gatewayResponses } from "./gateway-responses.ts";
import { notFoundPage } from "./not-found-page.ts";
import { authorizerName, definePaths } from "./operation-routes.ts";

export interface ApiDefinitionOptions {
  readonly name: string;
  readonly functions: readonly FunctionDefinition[];
  /** Where API Gateway invokes a function. */
  readonly uriOf: (definition: FunctionDefinition) => string;
  readonly authorizer: { readonly uri: string; readonly cacheSeconds: number };
  /** The address that callers use, without a slash at the end; a variable of API Gateway's templates. */
  readonly publicBaseUrl: string;
  readonly disableExecuteApiEndpoint: boolean;
}

/** The API as an OpenAPI document with API Gateway's extensions, and without anything that API Gateway does not need. */
export const defineApi = (options: ApiDefinitionOptions) => ({
  openapi: "3.0.1",
  info: { title: options.name, version: service.apiVersion },
  servers: [
    {
      url: "/",
      "x-amazon-apigateway-endpoint-configuration": {
        disableExecuteApiEndpoint: options.disableExecuteApiEndpoint,
      },
    },
  ],
  paths: definePaths({ ...options, notFoundPage: notFoundPage(options.publicBaseUrl) }),
  components: { securitySchemes: { [authorizerName]: defineAuthorizer(options.authorizer) } },
  "x-amazon-apigateway-gateway-responses": gatewayResponses,
  "x-amazon-apigateway-binary-media-types": binaryMediaTypes(options.functions),
});

const defineAuthorizer = ({ uri, cacheSeconds }: ApiDefinitionOptions["authorizer"]) => ({
  type: "apiKey",
  name: "Authorization",
  in: "header",
  "x-amazon-apigateway-authtype": "custom",
  "x-amazon-apigateway-authorizer": {
    type: "request",
    authorizerUri: uri,
    identitySource: "method.request.header.Authorization",
    authorizerResultTtlInSeconds: cacheSeconds,
  },
});

/** Bodies of these types reach functions unchanged; API Gateway decodes any other as text. */
const binaryMediaTypes = (functions: readonly FunctionDefinition[]): string[] =>
  functions.some(({ operations }) => operations.some(({ body }) => body?.encoding === "multipart"))
    ? ["multipart/form-data"]
    : [];
