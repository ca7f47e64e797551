import { corsAllowedHeaders } from "../../shared/http/cors.ts";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import { type Operation, supportedMethods, verifiesTokens } from "../../shared/http/operation.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { dialectPrefixes, errorBodyAt, unknownPath } from "../../shared/platform/errors/error-body.ts";
import { mockIntegration, mockResponses, requestIdVariable } from "./gateway-responses.ts";

/** API Gateway's timeout for an integration that does not stream. */
const bufferedLimitSeconds = 29;

/** How long browsers may cache a preflight's response. Chromium uses no more than this. */
const preflightSeconds = 7_200;

/** API Gateway's name in OpenAPI documents for all methods that a path does not have otherwise. */
const anyMethod = "x-amazon-apigateway-any-method";

/** The authorizer's name in the API's definition. */
export const authorizerName = "token";

/** A method of the API's definition: what API Gateway needs, without the schemas that the functions check. */
interface DefinedMethod {
  readonly operationId?: string;
  readonly parameters?: readonly object[];
  /** Empty for everyone; otherwise the authorizer. */
  readonly security: readonly object[];
  readonly responses: object;
  readonly "x-amazon-apigateway-integration": object;
}

/** The methods of the API's paths, in the notation of OpenAPI. */
export type DefinedPaths = Readonly<Record<string, Readonly<Record<string, DefinedMethod>>>>;

export interface RouteOptions {
  readonly functions: readonly FunctionDefinition[];
  /** Where API Gateway invokes a function. */
  readonly uriOf: (definition: FunctionDefinition) => string;
  /** HTML for browsers at paths that do not exist. */
  readonly notFoundPage: string;
}

/**
 * The API's paths for the operations and pages that the functions declare.
 *
 * Every path of operations also responds to preflights, and with 405 to methods that it does not have. All methods of a page
 * go to its function. Every other path gets 404: a page for browsers, JSON for programs, in the form of the API that the path belongs to.
 *
 * @throws Error when two operations have one method and path, a page has the path of another page or of an operation, or a
 *   buffered function may take longer than API Gateway waits.
 */
export const definePaths = ({ functions, uriOf, notFoundPage }: RouteOptions): DefinedPaths => {
  const operations: Record<string, Record<string, DefinedMethod>> = {};
  const pages: Record<string, Record<string, DefinedMethod>> = {};
  for (const definition of functions) {
    const integration = integrate(definition, uriOf(definition));
    for (const operation of definition.operations) {
      const { method, path } = operation;
      const methods = operations[path] ?? {};
      if (method.toLowerCase() in methods) throw new Error(`The route ${method} ${path} is declared twice.`);
      operations[path] = { ...methods, ...methodsOf(operation, integration) };
    }
    for (const path of definition.pages ?? []) {
      if (path in pages) throw new Error(`The page ${path} is declared twice.`);
      pages[path] = { [anyMethod]: forwardedMethod(path, integration, false) };
    }
  }
  const ambiguous = Object.keys(pages).find((path) => path in operations);
  if (ambiguous) throw new Error(`The path ${ambiguous} is declared as an operation and as a page.`);
  for (const [path, methods] of Object.entries(operations)) {
    const declared = functions.flatMap((each) => each.operations.filter((other) => other.path === path));
    methods[anyMethod] = pathResponses(path, supportedMethods(declared.map(({ method }) => method)));
  }
  return { ...notFoundPaths(notFoundPage), ...operations, ...pages };
};

const integrate = (definition: FunctionDefinition, uri: string): object => {
  checkTimeout(definition);
  const stream = { responseTransferMode: "STREAM", timeoutInMillis: definition.timeoutSeconds * 1_000 };
  return { type: "aws_proxy", httpMethod: "POST", uri, ...(definition.transfer === "stream" ? stream : {}) };
};

const checkTimeout = ({ name, operations, pages, timeoutSeconds, transfer }: FunctionDefinition): void => {
  const hasRoutes = operations.length > 0 || pages !== undefined;
  if (transfer === "stream" || !hasRoutes || timeoutSeconds <= bufferedLimitSeconds) return;
  throw new Error(
    `The function "${name}" may take ${timeoutSeconds} seconds, but API Gateway waits ${bufferedLimitSeconds} ` +
      `for a buffered response. Declare it as "stream".`,
  );
};

/** To API Gateway, HEAD is a method like any other. */
const methodsOf = (operation: Operation, integration: object): Record<string, DefinedMethod> => {
  const { id, method, path } = operation;
  const forwarded = forwardedMethod(path, integration, isAuthorized(operation));
  return {
    [method.toLowerCase()]: { operationId: id, ...forwarded },
    ...(method === "GET" ? { head: forwarded } : {}),
  };
};

/** Whether the authorizer is in front of an operation. */
const isAuthorized = (operation: Operation): boolean =>
  operation.authorizer === true || (operation.auth === "user" && !verifiesTokens(operation));

const forwardedMethod = (path: string, integration: object, isAuthorized: boolean): DefinedMethod => ({
  ...parametersOf(path),
  security: isAuthorized ? [{ [authorizerName]: [] }] : [],
  responses: { "200": { description: "The function's response" } },
  "x-amazon-apigateway-integration": integration,
});

/** The declaration of a path's parameters, which OpenAPI requires. */
const parametersOf = (path: string): Pick<DefinedMethod, "parameters"> => {
  const names = [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = ""]) => name);
  if (names.length === 0) return {};
  return {
    parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
  };
};

type MockOptions = Parameters<typeof mockIntegration>;

const mockMethod = (path: string, ...[usual, toOptions]: MockOptions): DefinedMethod => ({
  ...parametersOf(path),
  security: [],
  responses: mockResponses(usual, toOptions),
  "x-amazon-apigateway-integration": mockIntegration(usual, toOptions),
});

const pathResponses = (path: string, methods: readonly string[]): DefinedMethod => {
  const refusal = errorResponse(path, new AppError("method_not_allowed"), { Allow: methods.join(", ") });
  return mockMethod(path, refusal, {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": methods.join(", "),
      "Access-Control-Allow-Headers": corsAllowedHeaders.join(", "),
      "Access-Control-Max-Age": String(preflightSeconds),
    },
  });
};

/**
 * Without these, API Gateway refuses an unknown path because it has no AWS credentials, with a message that depends on the
 * `Authorization` header. A greedy path does not include the path above it.
 */
const notFoundPaths = (page: string): DefinedPaths =>
  Object.fromEntries(
    ["/", "/{unknown+}", ...dialectPrefixes.map((prefix) => `${prefix}{unknown+}`)].map((path) => {
      const response = { ...errorResponse(path, unknownPath(path)), page };
      return [path, { [anyMethod]: mockMethod(path, response) }];
    }),
  );

const errorResponse = (path: string, error: AppError, headers: Record<string, string> = {}) => ({
  status: error.status,
  headers,
  body: JSON.stringify(errorBodyAt(path, error, requestIdVariable)),
});
