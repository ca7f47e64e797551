import * as z from "zod";
import type { Authorizer, GatewayResponse, RestApi } from "./local-model.ts";
import type { FunctionCatalogue } from "./read-functions.ts";
import { noValidator, operationSchema, readRoute, texts } from "./read-routes.ts";
import { functionNameOf } from "./references.ts";
import type { ResolvedAssembly, ResourceView } from "./resolved-assembly.ts";

const anyMethod = "x-amazon-apigateway-any-method";
const methods = ["get", "head", "post", "put", "patch", "delete", "options", anyMethod] as const;

const authorizerSchema = z.object({
  type: z.literal("request", "only REQUEST authorizers are served"),
  authorizerUri: z.string(),
  // API Gateway's own default.
  authorizerResultTtlInSeconds: z.number().default(300),
  identitySource: z.string().default(""),
});

const gatewayResponseSchema = z.object({
  statusCode: z.coerce.number().int().optional(),
  responseParameters: texts,
  responseTemplates: texts,
});

/** An API's own OpenAPI document, with API Gateway's extensions. */
const definitionSchema = z.object({
  paths: z.record(z.string(), z.partialRecord(z.enum(methods), operationSchema)),
  security: z.never("authorizers of the whole API are not served").optional(),
  components: z
    .object({
      securitySchemes: z
        .record(z.string(), z.object({ "x-amazon-apigateway-authorizer": authorizerSchema }))
        .default({}),
    })
    .default({ securitySchemes: {} }),
  "x-amazon-apigateway-request-validator": noValidator,
  "x-amazon-apigateway-gateway-responses": z.record(z.string(), gatewayResponseSchema).default({}),
  "x-amazon-apigateway-binary-media-types": z.array(z.string()).default([]),
});

type Definition = z.output<typeof definitionSchema>;

const readIdentityHeader = (expression: string, resource: ResourceView): string => {
  const name = /^method\.request\.header\.(.+)$/.exec(expression)?.[1];
  if (name === undefined) throw resource.error(`identifies callers by ${expression}; headers are served`);
  return name;
};

/** The authorizers of a definition, by name. */
const readAuthorizers = (
  { components }: Definition,
  resource: ResourceView,
  functions: FunctionCatalogue,
): ReadonlyMap<string, Authorizer> =>
  new Map(
    Object.entries(components.securitySchemes).map(([name, scheme]) => {
      const { authorizerUri, identitySource, authorizerResultTtlInSeconds } =
        scheme["x-amazon-apigateway-authorizer"];
      const expressions = identitySource.split(",").map((expression) => expression.trim());
      const authorizer = {
        functionName: functions.require(functionNameOf(authorizerUri), resource.error),
        identityHeaders: expressions
          .filter((expression) => expression !== "")
          .map((expression) => readIdentityHeader(expression, resource)),
        cacheSeconds: authorizerResultTtlInSeconds,
      };
      return [name, authorizer];
    }),
  );

const headerPrefix = "gatewayresponse.header.";

const readGatewayResponse = (
  [responseType, response]: [string, z.output<typeof gatewayResponseSchema>],
  resource: ResourceView,
): GatewayResponse => {
  const headers = Object.entries(response.responseParameters).map(([parameter, expression]) => {
    if (parameter.startsWith(headerPrefix)) return [parameter.slice(headerPrefix.length), expression];
    throw resource.error(`at ${responseType} sets ${parameter}; only headers are served`);
  });
  return {
    responseType,
    statusCode: response.statusCode,
    headers: Object.fromEntries(headers),
    templates: response.responseTemplates,
  };
};

const onlyOne = (assembly: ResolvedAssembly, type: string): ResourceView => {
  const [resource, ...others] = assembly.resources(type);
  if (resource === undefined) throw new Error(`The assembly has no ${type}.`);
  if (others.length > 0) throw others[0]?.error(`is a second ${type}; one is served`);
  return resource;
};

const restApiSchema = z.object({
  Body: definitionSchema,
  BinaryMediaTypes: z.array(z.string()).default([]),
});

const stageSchema = z.object({
  StageName: z.string(),
  Variables: z.record(z.string(), z.string()).optional(),
});

/**
 * The REST API of an assembly, which has its routes in an OpenAPI document (`SpecRestApi`).
 *
 * @throws Error when there is none, or more than one.
 */
export const readRestApi = (assembly: ResolvedAssembly, functions: FunctionCatalogue): RestApi => {
  const resource = onlyOne(assembly, "AWS::ApiGateway::RestApi");
  const stage = onlyOne(assembly, "AWS::ApiGateway::Stage").read(stageSchema);
  const { BinaryMediaTypes, Body } = resource.read(restApiSchema);
  const stageVariables = stage.Variables ?? null;
  const targets = { functions, authorizers: readAuthorizers(Body, resource, functions), stageVariables };
  return {
    id: resource.name,
    stage: stage.StageName,
    stageVariables,
    binaryMediaTypes: [...BinaryMediaTypes, ...Body["x-amazon-apigateway-binary-media-types"]],
    routes: Object.entries(Body.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([key, operation]) =>
        readRoute(key === anyMethod ? "ANY" : key.toUpperCase(), path, operation, targets, resource.error),
      ),
    ),
    gatewayResponses: Object.entries(Body["x-amazon-apigateway-gateway-responses"]).map((response) =>
      readGatewayResponse(response, resource),
    ),
  };
};
