import * as z from "zod";
import type { Authorizer, IdentitySource } from "./local-model.ts";
import type { FunctionCatalogue } from "./read-functions.ts";
import type { ResolvedAssembly, ResourceView } from "./resolved-assembly.ts";
import { functionNameOf } from "./resource-kinds.ts";

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

/** The authorizers of an assembly, by what `Ref` to them gives. */
export const readAuthorizers = (
  assembly: ResolvedAssembly,
  functions: FunctionCatalogue,
): ReadonlyMap<string, Authorizer> => {
  const authorizers = new Map<string, Authorizer>();
  for (const resource of assembly.resources("AWS::ApiGateway::Authorizer")) {
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
