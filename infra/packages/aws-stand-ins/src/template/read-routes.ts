import * as z from "zod";
import type { Authorizer, LambdaIntegration, Route } from "./local-model.ts";
import type { FunctionCatalogue } from "./read-functions.ts";
import { mockIntegrationSchema, readMockIntegration } from "./read-mock-integration.ts";
import { readResourcePaths } from "./read-resource-paths.ts";
import type { ResolvedAssembly, ResourceView } from "./resolved-assembly.ts";
import { functionNameOf } from "./resource-kinds.ts";

const lambdaIntegrationSchema = z.object({
  Type: z.literal("AWS_PROXY"),
  Uri: z.string(),
  ResponseTransferMode: z.enum(["BUFFERED", "STREAM"]).default("BUFFERED"),
  // API Gateway's own default.
  TimeoutInMillis: z.number().default(29_000),
});

const methodSchema = z.object({
  HttpMethod: z.string(),
  ResourceId: z.string(),
  AuthorizationType: z.enum(["NONE", "CUSTOM"]).default("NONE"),
  AuthorizerId: z.string().optional(),
  OperationName: z.string().optional(),
  // Both would refuse requests on AWS that are let through here.
  ApiKeyRequired: z.literal(false, "API keys are not served").default(false),
  RequestValidatorId: z.never("request validators are not served").optional(),
  Integration: z.discriminatedUnion("Type", [lambdaIntegrationSchema, mockIntegrationSchema]),
});

type Method = z.output<typeof methodSchema>;

const readLambdaIntegration = (
  integration: z.output<typeof lambdaIntegrationSchema>,
  functions: FunctionCatalogue,
  resource: ResourceView,
): LambdaIntegration => ({
  type: "lambda",
  functionName: functions.require(functionNameOf(integration.Uri), resource),
  timeoutMilliseconds: integration.TimeoutInMillis,
  transferMode: integration.ResponseTransferMode === "STREAM" ? "stream" : "buffered",
});

const findAuthorizer = (
  method: Method,
  authorizers: ReadonlyMap<string, Authorizer>,
  resource: ResourceView,
): Authorizer | undefined => {
  if (method.AuthorizationType === "NONE") return undefined;
  const authorizer = authorizers.get(method.AuthorizerId ?? "");
  if (authorizer === undefined)
    throw resource.error("is protected by an authorizer that is not in the assembly");
  return authorizer;
};

/** The methods of the REST API, with their paths put together. */
export const readRoutes = (
  assembly: ResolvedAssembly,
  functions: FunctionCatalogue,
  authorizers: ReadonlyMap<string, Authorizer>,
): Route[] => {
  const paths = readResourcePaths(assembly);
  return assembly.resources("AWS::ApiGateway::Method").map((resource) => {
    const method = resource.read(methodSchema);
    const path = paths.get(method.ResourceId);
    if (path === undefined) throw resource.error("belongs to a resource that is not in the assembly");
    return {
      logicalId: resource.logicalId,
      method: method.HttpMethod,
      path,
      pathParameters: [...path.matchAll(/\{(?<name>[^}+]+)\+?\}/g)].map(
        ({ groups }) => groups?.["name"] ?? "",
      ),
      operationName: method.OperationName,
      authorizer: findAuthorizer(method, authorizers, resource),
      integration:
        method.Integration.Type === "MOCK"
          ? readMockIntegration(method.Integration, resource)
          : readLambdaIntegration(method.Integration, functions, resource),
    };
  });
};
