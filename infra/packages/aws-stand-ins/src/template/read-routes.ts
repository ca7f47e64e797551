import * as z from "zod";
import type { Authorizer, LambdaIntegration, MockIntegration, Route } from "./local-model.ts";
import type { FunctionCatalogue } from "./read-functions.ts";
import { functionNameOf } from "./references.ts";

/** The one decision that templates may take: whether a variable of the request is a text. */
export const choice = /#if\(\$(context(?:\.\w+)+) == "([^"]*)"\)(.*?)#else\b(.*?)#end/s;

/** Expressions or templates, by name. */
export const texts = z.record(z.string(), z.string()).default({});

const mockSchema = z.object({
  type: z.literal("mock"),
  passthroughBehavior: z.literal("never", "bodies without a template are not passed through"),
  contentHandling: z.literal("CONVERT_TO_TEXT", "templates are applied to text"),
  requestTemplates: texts,
  responses: z
    .record(
      z.string(),
      z.object({
        statusCode: z.coerce.number().int(),
        responseParameters: texts,
        responseTemplates: texts,
      }),
    )
    .default({}),
});

const lambdaSchema = z.object({
  type: z.literal("aws_proxy"),
  uri: z.string(),
  responseTransferMode: z.enum(["BUFFERED", "STREAM"]).default("BUFFERED"),
  // API Gateway's own default.
  timeoutInMillis: z.number().default(29_000),
});

// What is refused would turn away requests on AWS that are let through here.
export const noValidator = z.never("request validators are not served").optional();

/** A method of an API's definition, with API Gateway's extensions. */
export const operationSchema = z.object({
  security: z
    .array(z.record(z.string(), z.unknown()))
    .max(1, "one authorizer for each method is served")
    .default([]),
  "x-amazon-apigateway-auth": z.never("IAM authorization is not served").optional(),
  "x-amazon-apigateway-request-validator": noValidator,
  "x-amazon-apigateway-integration": z.discriminatedUnion("type", [lambdaSchema, mockSchema]),
});

/** What routes refer to. */
export interface RouteTargets {
  readonly functions: FunctionCatalogue;
  readonly authorizers: ReadonlyMap<string, Authorizer>;
  readonly stageVariables: Readonly<Record<string, string>> | null;
}

/** The error about a route, for a problem in words. */
type RouteError = (problem: string) => Error;

const headerPrefix = "method.response.header.";

const readHeaders = (parameters: Record<string, string>, error: RouteError): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).map(([parameter, expression]) => {
      const known = parameter.startsWith(headerPrefix) && /^('.*'|context\..+)$/.test(expression);
      if (known) return [parameter.slice(headerPrefix.length), expression];
      throw error(
        `sets ${parameter} to ${expression}; headers from statics and context variables are served`,
      );
    }),
  );

// Mapping templates are Velocity programs. Those are served that insert variables of the context and the stage, or choose once
// between two texts by one; a program that does more would need its interpreter.
const requirePlain = (templates: Record<string, string>, error: RouteError): Record<string, string> => {
  for (const template of Object.values(templates)) {
    const program =
      /#(?:set|if|else|elseif|end|foreach|macro)\b|\$(?!(?:context|stageVariables)\.)[!{a-zA-Z]/.exec(
        template.replace(choice, "$3$4"),
      );
    if (program !== null)
      throw error(`has a mapping template with ${program[0]}, which is not evaluated locally`);
  }
  return templates;
};

/** An integration that API Gateway handles itself: CORS preflights, refused methods. */
const readMock = (
  { requestTemplates, responses }: z.output<typeof mockSchema>,
  error: RouteError,
): MockIntegration => ({
  type: "mock",
  requestTemplates: requirePlain(requestTemplates, error),
  responses: Object.entries(responses).map(([pattern, response]) => ({
    statusCode: response.statusCode,
    selectionPattern: pattern === "default" ? undefined : pattern,
    headers: readHeaders(response.responseParameters, error),
    templates: requirePlain(response.responseTemplates, error),
  })),
});

/** API Gateway looks up the variables of its stage with each request; a stage has one value here. */
const insertStageVariables = (uri: string, { stageVariables }: RouteTargets, error: RouteError): string =>
  uri.replaceAll(/\$\{stageVariables\.(\w+)\}/g, (_, name: string) => {
    const value = stageVariables?.[name];
    if (value === undefined) throw error(`names ${name}, a variable that the stage does not have`);
    return value;
  });

const readLambda = (
  integration: z.output<typeof lambdaSchema>,
  targets: RouteTargets,
  error: RouteError,
): LambdaIntegration => ({
  type: "lambda",
  functionName: targets.functions.require(
    functionNameOf(insertStageVariables(integration.uri, targets, error)),
    error,
  ),
  timeoutMilliseconds: integration.timeoutInMillis,
  transferMode: integration.responseTransferMode === "STREAM" ? "stream" : "buffered",
});

/**
 * Reads a route.
 *
 * @param error makes the error that names the API.
 */
export const readRoute = (
  method: string,
  path: string,
  operation: z.output<typeof operationSchema>,
  targets: RouteTargets,
  error: RouteError,
): Route => {
  const logicalId = `${method} ${path}`;
  const routeError: RouteError = (problem) => error(`at ${logicalId} ${problem}`);
  const [scheme] = operation.security;
  const authorizer = scheme && targets.authorizers.get(Object.keys(scheme).join(" and "));
  if (scheme && !authorizer) throw routeError("is protected by an authorizer that is not in the definition");
  const integration = operation["x-amazon-apigateway-integration"];
  return {
    logicalId,
    method,
    path,
    authorizer,
    integration:
      integration.type === "mock"
        ? readMock(integration, routeError)
        : readLambda(integration, targets, routeError),
  };
};
