import { Duration } from "aws-cdk-lib";
import {
  AuthorizationType,
  type IAuthorizer,
  type IResource,
  LambdaIntegration,
  type Method,
  ResponseTransferMode,
  type RestApi,
} from "aws-cdk-lib/aws-apigateway";
import { corsAllowedHeaders } from "../../shared/http/cors.ts";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import { type Operation, supportedMethods, verifiesTokens } from "../../shared/http/operation.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { errorBody, unknownPath } from "../../shared/platform/errors/error-body.ts";
import { acknowledge } from "./acknowledge.ts";
import { addMockMethod, requestIdVariable } from "./gateway-responses.ts";
import type { ServiceFunction } from "./service-function.ts";

/** API Gateway's timeout for an integration that does not stream. */
const bufferedLimitSeconds = 29;

/** How long browsers may cache a preflight's response. Chromium uses no more than this. */
const preflightSeconds = 7_200;

export interface OperationRoutesProps {
  readonly api: RestApi;
  readonly functions: readonly ServiceFunction[];
  /** Admits callers to operations of `auth: "user"`, except those whose functions verify tokens themselves. */
  readonly authorizer: IAuthorizer;
  /** HTML for browsers at paths that do not exist. */
  readonly notFoundPage: string;
}

/**
 * Adds the API's routes for the operations and pages that the functions declare.
 *
 * Every path of operations also responds to preflights, and with 405 to methods that it does not have. All methods of a page
 * go to its function. Every other path gets 404: a page for browsers, JSON for programs, with what is served on `/v1`.
 *
 * @throws Error when two operations have one method and path, a page has the path of another page or of an operation, or a
 *   buffered function may take longer than API Gateway waits.
 */
export const addOperationRoutes = ({
  api,
  functions,
  authorizer,
  notFoundPage,
}: OperationRoutesProps): void => {
  const methodsByPath = new Map<string, string[]>();
  const pages = new Set<string>();
  for (const serviceFunction of functions) {
    const integration = integrate(serviceFunction);
    for (const operation of serviceFunction.definition.operations) {
      const methods = methodsByPath.get(operation.path) ?? [];
      if (methods.includes(operation.method)) {
        throw new Error(`The route ${operation.method} ${operation.path} is declared twice.`);
      }
      methodsByPath.set(operation.path, [...methods, operation.method]);
      addOperation(api, operation, integration, authorizer);
    }
    for (const path of serviceFunction.definition.pages ?? []) {
      if (pages.has(path)) throw new Error(`The page ${path} is declared twice.`);
      pages.add(path);
      addPage(api, path, integration);
    }
  }
  const ambiguous = [...pages].find((path) => methodsByPath.has(path));
  if (ambiguous) throw new Error(`The path ${ambiguous} is declared as an operation and as a page.`);
  for (const [path, methods] of methodsByPath) {
    addPathResponses(api.root.resourceForPath(path), supportedMethods(methods));
  }
  addNotFound(api, notFoundPage, methodsByPath.has("/") || pages.has("/"));
};

const integrate = ({ definition, live }: ServiceFunction): LambdaIntegration => {
  checkTimeout(definition);
  return new LambdaIntegration(live, {
    // One permission for each function, because a resource policy must not grow with every route.
    scopePermissionToMethod: false,
    ...(definition.transfer === "stream"
      ? {
          responseTransferMode: ResponseTransferMode.STREAM,
          timeout: Duration.seconds(definition.timeoutSeconds),
        }
      : {}),
  });
};

const checkTimeout = ({ name, operations, pages, timeoutSeconds, transfer }: FunctionDefinition): void => {
  const hasRoutes = operations.length > 0 || pages !== undefined;
  if (transfer === "stream" || !hasRoutes || timeoutSeconds <= bufferedLimitSeconds) return;
  throw new Error(
    `The function "${name}" may take ${timeoutSeconds} seconds, but API Gateway waits ${bufferedLimitSeconds} ` +
      `for a buffered response. Declare it as "stream".`,
  );
};

const addOperation = (
  api: RestApi,
  operation: Operation,
  integration: LambdaIntegration,
  authorizer: IAuthorizer,
): void => {
  const { id, method, path, auth, summary } = operation;
  const resource = api.root.resourceForPath(path);
  // To API Gateway, HEAD is a method like any other.
  for (const httpMethod of method === "GET" ? ["GET", "HEAD"] : [method]) {
    const named = httpMethod === method ? { operationName: id } : {};
    if (auth === "user" && !verifiesTokens(operation)) {
      const authorizationType = AuthorizationType.CUSTOM;
      acknowledgeOwnTokens(
        resource.addMethod(httpMethod, integration, { ...named, authorizer, authorizationType }),
      );
    } else {
      const reason =
        auth === "user" ? "The function checks the token itself" : `The operation is public: ${summary}`;
      acknowledgePublic(resource.addMethod(httpMethod, integration, named), `${reason}.`);
    }
  }
};

const addPage = (api: RestApi, path: string, integration: LambdaIntegration): void =>
  acknowledgePublic(
    api.root.resourceForPath(path).addMethod("ANY", integration),
    "Pages are public, or their function checks the visitor's session.",
  );

const addPathResponses = (resource: IResource, methods: readonly string[]): void => {
  const refusal = errorResponse(new AppError("method_not_allowed"), { Allow: methods.join(", ") });
  const method = addMockMethod(resource, refusal, {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": methods.join(", "),
      "Access-Control-Allow-Headers": corsAllowedHeaders.join(", "),
      "Access-Control-Max-Age": String(preflightSeconds),
    },
  });
  acknowledgePublic(method, "It only lists the methods of the path, without a function.");
};

/**
 * Without this route, API Gateway refuses an unknown path because it has no AWS credentials, with a message that depends on the
 * `Authorization` header. A greedy path does not include the path above it.
 */
const addNotFound = (api: RestApi, page: string, rootIsServed: boolean): void => {
  for (const path of ["/{unknown+}", "/v1/{unknown+}", ...(rootIsServed ? [] : ["/"])]) {
    const error = unknownPath(path);
    const method = addMockMethod(api.root.resourceForPath(path), { ...errorResponse(error), page });
    acknowledgePublic(method, `It always responds with the same error, ${error.status}, without a function.`);
  }
};

const errorResponse = (error: AppError, headers: Record<string, string> = {}) => ({
  status: error.status,
  headers,
  body: JSON.stringify(errorBody(error, requestIdVariable)),
});

const acknowledgeOwnTokens = (method: Method): void =>
  acknowledge(
    method,
    "AwsSolutions-COG4",
    "The service issues its own tokens, and its own authorizer verifies them.",
  );

const acknowledgePublic = (method: Method, reason: string): void => {
  acknowledge(method, "AwsSolutions-APIG4", reason);
  acknowledge(method, "AwsSolutions-COG4", reason);
};
