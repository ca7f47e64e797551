import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { functionDefinitions, operations } from "../../functions/manifest.ts";
import { corsAllowedHeaders } from "../../shared/http/cors.ts";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import { type Operation, supportedMethods, verifiesTokens } from "../../shared/http/operation.ts";
import { parseErrorTemplate } from "./error-body.ts";
import { routesOf, type SynthesizedRoute } from "./synthesized-routes.ts";
import {
  lambdasByName,
  resourcesOfType,
  type SynthesizedService,
  synthesizeService,
} from "./synthesized-service.ts";

const declared = functionDefinitions.flatMap((definition) =>
  definition.operations.map((operation: Operation) => ({
    definition,
    operation,
    name: `${operation.method} ${operation.path}`,
  })),
);
const pages = functionDefinitions.flatMap((definition: FunctionDefinition) =>
  (definition.pages ?? []).map((path) => ({ definition, path })),
);
const paths = [...new Set(operations.map(({ path }) => path))];

let service: SynthesizedService;
let routes: readonly SynthesizedRoute[];
const route = (method: string, path: string) =>
  routes.find((candidate) => candidate.method === method && candidate.path === path);
/** API Gateway's own response to `OPTIONS`, or to any other method that the path does not have. */
const mockResponse = (method: "ANY" | "OPTIONS", path: string) =>
  route("ANY", path)?.integration.IntegrationResponses?.find(
    ({ SelectionPattern }) => SelectionPattern === (method === "OPTIONS" ? "204" : undefined),
  );

beforeAll(async () => {
  service = await synthesizeService();
  routes = routesOf(service);
}, 30_000);

describe("The deployed API", () => {
  it("has the routes that the features declare, and no other that reaches a function", () => {
    const deployed = routes.filter(({ functionName }) => functionName !== undefined);
    expect(deployed.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      [
        ...declared.flatMap(({ name, operation: { method, path } }) =>
          method === "GET" ? [name, `HEAD ${path}`] : [name],
        ),
        ...pages.map(({ path }) => `ANY ${path}`),
      ].sort(),
    );
  });

  it("has HEAD wherever it has GET, with the same function and the same authorizer", () => {
    const gets = routes.filter(({ method, functionName }) => method === "GET" && functionName);
    expect(gets.length).toBeGreaterThan(5);
    for (const get of gets) expect(route("HEAD", get.path)).toEqual({ ...get, method: "HEAD" });
  });

  it.each(declared)("sends $name to the function that declares it", ({ operation, definition }) => {
    expect(route(operation.method, operation.path)?.functionName).toBe(definition.name);
  });

  it("sends every request for a page to the function that declares it, without an authorizer", () => {
    for (const { path, definition } of pages) {
      expect(route("ANY", path)).toMatchObject({ functionName: definition.name, authorizer: undefined });
    }
    expect(route("ANY", "/{unknown+}")?.functionName).toBeUndefined();
  });

  it.each(declared)(
    "requires a token on $name unless it is public, or the function checks the token",
    ({ operation }) => {
      const [authorizer] = resourcesOfType(service.api, "AWS::ApiGateway::Authorizer").keys();
      const expected = operation.auth === "user" && !verifiesTokens(operation) ? authorizer : undefined;
      expect(authorizer).toBeDefined();
      expect(route(operation.method, operation.path)?.authorizer).toBe(expected);
    },
  );

  it.each(declared)(
    "lets $name respond as its function does, streamed or whole",
    ({ operation, definition }) => {
      const integration = route(operation.method, operation.path)?.integration;
      const isStream = definition.transfer === "stream";
      expect(integration?.ResponseTransferMode).toBe(isStream ? "STREAM" : undefined);
      expect(integration?.TimeoutInMillis).toBe(isStream ? definition.timeoutSeconds * 1_000 : undefined);
      expect(JSON.stringify(integration?.Uri).includes("/response-streaming-invocations")).toBe(isStream);
    },
  );
});

describe("A path of the API", () => {
  it.each(paths)("informs browsers what they may send to %s", (path) => {
    const methods = operations.filter((operation) => operation.path === path).map(({ method }) => method);
    expect(mockResponse("OPTIONS", path)).toMatchObject({
      StatusCode: "204",
      ResponseParameters: {
        "method.response.header.Access-Control-Allow-Origin": "'*'",
        "method.response.header.Access-Control-Allow-Methods": `'${supportedMethods(methods).join(", ")}'`,
        "method.response.header.Access-Control-Allow-Headers": `'${corsAllowedHeaders.join(", ")}'`,
      },
    });
  });

  it.each(paths)("refuses other methods on %s with 405 and the list of those it has", (path) => {
    const methods = operations.filter((operation) => operation.path === path).map(({ method }) => method);
    const response = mockResponse("ANY", path);
    expect(response).toMatchObject({
      StatusCode: "405",
      ResponseParameters: {
        "method.response.header.Allow": `'${supportedMethods(methods).join(", ")}'`,
        "method.response.header.X-Request-Id": "context.requestId",
        "method.response.header.Access-Control-Allow-Origin": "'*'",
      },
    });
    expect(parseErrorTemplate(response?.ResponseTemplates["application/json"]).error.code).toBe(
      "method_not_allowed",
    );
  });
});

describe("Responses that need no function", () => {
  const isPage = pages.some(({ path }) => path === "/");
  it.each([...(isPage ? [] : ["/"]), "/{unknown+}", "/v1/{unknown+}"])(
    "tell that nothing is at %s, with or without a token",
    (path) => {
      const response = mockResponse("ANY", path);
      expect(response?.StatusCode).toBe("404");
      expect(parseErrorTemplate(response?.ResponseTemplates["application/json"]).error.code).toBe(
        path.startsWith("/v1/") ? "unknown_url" : "not_found",
      );
      // Without an `Accept` that has a template, as curl's, API Gateway uses the first.
      const types = Object.keys(response?.ResponseTemplates ?? {});
      expect([types, types.toSorted()]).toEqual(Array(2).fill(["application/json", "text/html"]));
      // Velocity reads both characters as its own.
      const page = response?.ResponseTemplates["text/html"];
      expect(JSON.stringify(page)).toContain("<h1>Page not found</h1>");
      expect(JSON.stringify(page)).not.toMatch(/[#]|\$[^{]/);
    },
  );

  it("have the same status for any content type of the request", () => {
    for (const { integration } of routes.filter(({ functionName }) => functionName === undefined)) {
      const [usual, toOptions] = integration.IntegrationResponses ?? [];
      const templates = Object.values(integration.RequestTemplates ?? {});
      expect(templates.length).toBeGreaterThan(1);
      const template = toOptions
        ? `{ #if($context.httpMethod == "OPTIONS") "statusCode": ${toOptions.StatusCode} #else "statusCode": ${usual?.StatusCode} #end }`
        : `{"statusCode":${usual?.StatusCode}}`;
      expect(templates).toEqual(templates.map(() => template));
      expect(integration.PassthroughBehavior).toBe("NEVER");
    }
  });
});

describe("The authorizer", () => {
  it("reads the Authorization header and is called for each request", () => {
    const [authorizer] = resourcesOfType(service.api, "AWS::ApiGateway::Authorizer").values();
    expect(authorizer?.Properties).toMatchObject({
      Type: "REQUEST",
      IdentitySource: "method.request.header.Authorization",
      AuthorizerResultTtlInSeconds: 0,
    });
    const { AuthorizerUri } = z.object({ AuthorizerUri: z.unknown() }).parse(authorizer?.Properties);
    expect(JSON.stringify(AuthorizerUri)).toContain(lambdasByName(service).get("authorizer")?.aliasId);
  });
});

describe("The stage of the API", () => {
  const only = (type: string) => {
    const resources = [...resourcesOfType(service.api, type).values()];
    expect(resources).toHaveLength(1);
    return resources[0]?.Properties;
  };

  it("limits all callers together, is traced, and logs errors without what was sent", () => {
    expect(only("AWS::ApiGateway::Stage")).toMatchObject({
      StageName: "prod",
      TracingEnabled: true,
      MethodSettings: [
        {
          HttpMethod: "*",
          ResourcePath: "/*",
          ThrottlingRateLimit: 200,
          ThrottlingBurstLimit: 400,
          LoggingLevel: "ERROR",
          DataTraceEnabled: false,
        },
      ],
    });
  });

  it("writes a line for each request that names the route's pattern, never the path or its query", () => {
    const { AccessLogSetting } = z
      .object({ AccessLogSetting: z.object({ Format: z.string() }) })
      .parse(only("AWS::ApiGateway::Stage"));
    expect(JSON.parse(AccessLogSetting.Format)).toEqual({
      requestId: "$context.requestId",
      time: "$context.requestTime",
      sourceAddress: "$context.identity.sourceIp",
      account: "$context.authorizer.principalId",
      method: "$context.httpMethod",
      resource: "$context.resourcePath",
      status: "$context.status",
      responseLength: "$context.responseLength",
      latencyMilliseconds: "$context.responseLatency",
      functionMilliseconds: "$context.integrationLatency",
      firstContentMilliseconds: "$context.integration.timeToFirstContent",
      gatewayError: "$context.error.responseType",
    });
  });

  it("is reached in its region, because an edge would cut streams, and leaves forms as they are", () => {
    expect(only("AWS::ApiGateway::RestApi")).toMatchObject({
      EndpointConfiguration: { Types: ["REGIONAL"] },
      BinaryMediaTypes: ["multipart/form-data"],
    });
  });

  it("keeps its logs, and those of the functions, for three months", () => {
    const groups = [...resourcesOfType(service.withFunctions, "AWS::Logs::LogGroup").values()];
    expect(groups.length).toBe(functionDefinitions.length + 2);
    for (const { Properties, DeletionPolicy } of groups) {
      expect(Properties["RetentionInDays"]).toBe(90);
      expect(DeletionPolicy).toBe("Retain");
    }
  });
});
