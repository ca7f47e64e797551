import * as z from "zod";
import type { Authorizer, GatewayResponse, IdentitySource, RestApi } from "./local-model.ts";
import { type ApiDefinition, readDefinition } from "./read-definition.ts";
import type { FunctionCatalogue } from "./read-functions.ts";
import { readRoutes } from "./read-routes.ts";
import { functionNameOf } from "./references.ts";
import type { ResolvedAssembly, ResourceView } from "./resolved-assembly.ts";

const authorizerSchema = z.object({
  Type: z.literal("REQUEST", "only REQUEST authorizers are served"),
  AuthorizerUri: z.string(),
  // API Gateway's own default.
  AuthorizerResultTtlInSeconds: z.number().default(300),
  IdentitySource: z.string().default(""),
});

const readIdentitySource = (expression: string, resource: ResourceView): IdentitySource => {
  const { from, name } =
    /^method\.request\.(?<from>header|querystring)\.(?<name>.+)$/.exec(expression)?.groups ?? {};
  if (name === undefined)
    throw resource.error(`identifies callers by ${expression}; headers and queries are served`);
  return { from: from === "header" ? "header" : "querystring", name };
};

/** The authorizers of an assembly, by the value of `Ref` to them, or by their name in the API's definition. */
const readAuthorizers = (
  assembly: ResolvedAssembly,
  definition: ApiDefinition,
  functions: FunctionCatalogue,
): ReadonlyMap<string, Authorizer> => {
  const authorizers = new Map<string, Authorizer>();
  const resources = [...definition.authorizers, ...assembly.resources("AWS::ApiGateway::Authorizer")];
  for (const resource of resources) {
    const authorizer = resource.read(authorizerSchema);
    const expressions = authorizer.IdentitySource.split(",").map((expression) => expression.trim());
    authorizers.set(resource.name, {
      logicalId: resource.logicalId,
      functionName: functions.require(functionNameOf(authorizer.AuthorizerUri), resource),
      identitySources: expressions
        .filter((expression) => expression !== "")
        .map((expression) => readIdentitySource(expression, resource)),
      cacheSeconds: authorizer.AuthorizerResultTtlInSeconds,
    });
  }
  return authorizers;
};

const restApiSchema = z.object({
  BinaryMediaTypes: z.array(z.string()).default([]),
  BodyS3Location: z.never("an API whose definition is a file in a bucket is not served").optional(),
});

const stageSchema = z.object({
  StageName: z.string(),
  Variables: z.record(z.string(), z.string()).optional(),
});

const gatewayResponseSchema = z.object({
  ResponseType: z.string(),
  StatusCode: z.coerce.number().int().optional(),
  ResponseParameters: z.record(z.string(), z.string()).default({}),
  ResponseTemplates: z.record(z.string(), z.string()).default({}),
});

const headerPrefix = "gatewayresponse.header.";

const readGatewayResponse = (resource: ResourceView): GatewayResponse => {
  const response = resource.read(gatewayResponseSchema);
  const headers = Object.entries(response.ResponseParameters).map(([parameter, expression]) => {
    if (parameter.startsWith(headerPrefix)) return [parameter.slice(headerPrefix.length), expression];
    throw resource.error(`sets ${parameter}; only headers are served`);
  });
  return {
    responseType: response.ResponseType,
    statusCode: response.StatusCode,
    headers: Object.fromEntries(headers),
    templates: response.ResponseTemplates,
  };
};

const onlyOne = (assembly: ResolvedAssembly, type: string): ResourceView => {
  const [resource, ...others] = assembly.resources(type);
  if (resource === undefined) throw new Error(`The assembly has no ${type}.`);
  if (others.length > 0) throw others[0]?.error(`is a second ${type}; one is served`);
  return resource;
};

/**
 * The REST API of an assembly.
 *
 * @throws Error when there is none, or more than one.
 */
export const readRestApi = (assembly: ResolvedAssembly, functions: FunctionCatalogue): RestApi => {
  const resource = onlyOne(assembly, "AWS::ApiGateway::RestApi");
  const stage = onlyOne(assembly, "AWS::ApiGateway::Stage").read(stageSchema);
  const { BinaryMediaTypes } = resource.read(restApiSchema);
  const definition = readDefinition(resource);
  const stageVariables = stage.Variables ?? null;
  const authorizers = readAuthorizers(assembly, definition, functions);
  return {
    logicalId: resource.logicalId,
    id: resource.name,
    stage: stage.StageName,
    stageVariables,
    binaryMediaTypes: [...BinaryMediaTypes, ...definition.binaryMediaTypes],
    routes: readRoutes(assembly, definition, { functions, authorizers, stageVariables }),
    gatewayResponses: [
      ...definition.gatewayResponses,
      ...assembly.resources("AWS::ApiGateway::GatewayResponse"),
    ].map(readGatewayResponse),
  };
};
