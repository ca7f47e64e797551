import * as z from "zod";
import type { Authorizer, LambdaIntegration, MockIntegration, MockResponse, Route } from "./local-model.ts";
import type { ApiDefinition } from "./read-definition.ts";
import type { FunctionCatalogue } from "./read-functions.ts";
import { functionNameOf } from "./references.ts";
import type { ResolvedAssembly, ResourceView } from "./resolved-assembly.ts";
import { choice } from "./variables.ts";

const resourceSchema = z.object({ ParentId: z.string(), PathPart: z.string() });

/** The full path of every resource of the REST API, by the value of `Ref` to the resource. */
const readResourcePaths = (assembly: ResolvedAssembly): ReadonlyMap<string, string> => {
  const parts = new Map(
    assembly
      .resources("AWS::ApiGateway::Resource")
      .map((resource) => [resource.name, resource.read(resourceSchema)] as const),
  );
  const pathOf = (id: string): string => {
    const part = parts.get(id);
    return part === undefined ? "" : `${pathOf(part.ParentId)}/${part.PathPart}`;
  };
  const paths = new Map([...parts.keys()].map((id) => [id, pathOf(id)]));
  for (const restApi of assembly.resources("AWS::ApiGateway::RestApi"))
    paths.set(`${restApi.name}/root`, "/");
  return paths;
};

const texts = z.record(z.string(), z.string()).default({});

const responseSchema = z.object({
  StatusCode: z.coerce.number().int(),
  SelectionPattern: z.string().optional(),
  ResponseParameters: texts,
  ResponseTemplates: texts,
});

const mockIntegrationSchema = z.object({
  Type: z.literal("MOCK"),
  PassthroughBehavior: z.enum(["WHEN_NO_MATCH", "WHEN_NO_TEMPLATES", "NEVER"]).default("WHEN_NO_MATCH"),
  ContentHandling: z.enum(["CONVERT_TO_TEXT", "CONVERT_TO_BINARY"]).optional(),
  RequestTemplates: texts,
  IntegrationResponses: z.array(responseSchema).default([]),
});

const headerPrefix = "method.response.header.";

const readHeaders = (parameters: Record<string, string>, resource: ResourceView): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).map(([parameter, expression]) => {
      const known = parameter.startsWith(headerPrefix) && /^('.*'|context\..+)$/.test(expression);
      if (known) return [parameter.slice(headerPrefix.length), expression];
      throw resource.error(
        `sets ${parameter} to ${expression}; headers from statics and context variables are served`,
      );
    }),
  );

// Mapping templates are Velocity programs. Those are served that insert variables of the context and the stage, or choose once
// between two texts by one; a program that does more would need its interpreter.
const requirePlain = (templates: Record<string, string>, resource: ResourceView): Record<string, string> => {
  for (const template of Object.values(templates)) {
    const program =
      /#(?:set|if|else|elseif|end|foreach|macro)\b|\$(?!(?:context|stageVariables)\.)[!{a-zA-Z]/.exec(
        template.replace(choice, "$3$4"),
      );
    if (program !== null)
      throw resource.error(`has a mapping template with ${program[0]}, which is not evaluated locally`);
  }
  return templates;
};

const readResponse = (response: z.output<typeof responseSchema>, resource: ResourceView): MockResponse => ({
  statusCode: response.StatusCode,
  selectionPattern: response.SelectionPattern,
  headers: readHeaders(response.ResponseParameters, resource),
  templates: requirePlain(response.ResponseTemplates, resource),
});

/** An integration that API Gateway handles itself: CORS preflights, refused methods. */
const readMockIntegration = (
  integration: z.output<typeof mockIntegrationSchema>,
  resource: ResourceView,
): MockIntegration => ({
  type: "mock",
  passthroughBehavior: integration.PassthroughBehavior,
  contentHandling: integration.ContentHandling,
  requestTemplates: requirePlain(integration.RequestTemplates, resource),
  responses: integration.IntegrationResponses.map((response) => readResponse(response, resource)),
});

const lambdaIntegrationSchema = z.object({
  Type: z.literal("AWS_PROXY"),
  Uri: z.string(),
  ResponseTransferMode: z.enum(["BUFFERED", "STREAM"]).default("BUFFERED"),
  // API Gateway's own default.
  TimeoutInMillis: z.number().default(29_000),
});

const methodSchema = z.object({
  HttpMethod: z.string(),
  AuthorizationType: z.enum(["NONE", "CUSTOM"]).default("NONE"),
  AuthorizerId: z.string().optional(),
  OperationName: z.string().optional(),
  // Both would refuse requests on AWS that are let through here.
  ApiKeyRequired: z.literal(false, "API keys are not served").default(false),
  RequestValidatorId: z.never("request validators are not served").optional(),
  Integration: z.discriminatedUnion("Type", [lambdaIntegrationSchema, mockIntegrationSchema]),
});

type Method = z.output<typeof methodSchema>;

/** The methods that are resources of their own, with their paths put together. */
const resourceMethods = (assembly: ResolvedAssembly): ApiDefinition["methods"] => {
  const paths = readResourcePaths(assembly);
  return assembly.resources("AWS::ApiGateway::Method").map((resource) => {
    const path = paths.get(resource.read(z.object({ ResourceId: z.string() })).ResourceId);
    if (path === undefined) throw resource.error("belongs to a resource that is not in the assembly");
    return { resource, path };
  });
};

/** What routes refer to. */
export interface RouteTargets {
  readonly functions: FunctionCatalogue;
  readonly authorizers: ReadonlyMap<string, Authorizer>;
  readonly stageVariables: Readonly<Record<string, string>> | null;
}

/** API Gateway looks up the variables of its stage with each request; a stage has one value here. */
const insertStageVariables = (
  uri: string,
  { stageVariables }: RouteTargets,
  resource: ResourceView,
): string =>
  uri.replaceAll(/\$\{stageVariables\.(\w+)\}/g, (_, name: string) => {
    const value = stageVariables?.[name];
    if (value === undefined) throw resource.error(`names ${name}, a variable that the stage does not have`);
    return value;
  });

const readLambdaIntegration = (
  integration: z.output<typeof lambdaIntegrationSchema>,
  targets: RouteTargets,
  resource: ResourceView,
): LambdaIntegration => {
  const functionName = functionNameOf(insertStageVariables(integration.Uri, targets, resource));
  return {
    type: "lambda",
    functionName: targets.functions.require(functionName, resource),
    timeoutMilliseconds: integration.TimeoutInMillis,
    transferMode: integration.ResponseTransferMode === "STREAM" ? "stream" : "buffered",
  };
};

const findAuthorizer = (
  method: Method,
  { authorizers }: RouteTargets,
  resource: ResourceView,
): Authorizer | undefined => {
  if (method.AuthorizationType === "NONE") return undefined;
  const authorizer = authorizers.get(method.AuthorizerId ?? "");
  if (authorizer === undefined)
    throw resource.error("is protected by an authorizer that is not in the assembly");
  return authorizer;
};

/** The methods of the REST API: those of its definition, and those that are resources of their own. */
export const readRoutes = (
  assembly: ResolvedAssembly,
  definition: ApiDefinition,
  targets: RouteTargets,
): Route[] =>
  [...definition.methods, ...resourceMethods(assembly)].map(({ resource, path }) => {
    const method = resource.read(methodSchema);
    return {
      logicalId: resource.logicalId,
      method: method.HttpMethod,
      path,
      pathParameters: [...path.matchAll(/\{(?<name>[^}+]+)\+?\}/g)].map(
        ({ groups }) => groups?.["name"] ?? "",
      ),
      operationName: method.OperationName,
      authorizer: findAuthorizer(method, targets, resource),
      integration:
        method.Integration.Type === "MOCK"
          ? readMockIntegration(method.Integration, resource)
          : readLambdaIntegration(method.Integration, targets, resource),
    };
  });
