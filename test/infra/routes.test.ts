import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { functionDefinitions, operations } from "../../functions/manifest.ts";
import { corsAllowedHeaders } from "../../shared/http/cors.ts";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import { type Operation, supportedMethods, verifiesTokens } from "../../shared/http/operation.ts";
import { codeOfTemplate } from "./error-body.ts";
import { definitionOf, routesOf, type SynthesizedRoute } from "./synthesized-routes.ts";
import { resourcesOfType, type SynthesizedService, synthesizeService } from "./synthesized-service.ts";

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
  route("ANY", path)?.integration.responses?.[method === "OPTIONS" ? "204" : "default"];

beforeAll(async () => {
  service = await synthesizeService();
  routes = routesOf(service);
});

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
    for (const get of gets) {
      expect(route("HEAD", get.path)).toEqual({ ...get, method: "HEAD", operationId: undefined });
    }
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

  const isPublic = (operation: Operation): boolean =>
    operation.authorizer !== true && (operation.auth === "public" || verifiesTokens(operation));

  it("requires a token on every method of every path, unless its operation is public, or the function checks the token", () => {
    const isOpen = new Map<string, boolean>(
      declared.flatMap(({ operation }) => {
        const { method, path } = operation;
        return [method, ...(method === "GET" ? ["HEAD"] : [])].map(
          (name) => [`${name} ${path}`, isPublic(operation)] as const,
        );
      }),
    );
    for (const { path } of pages) isOpen.set(`ANY ${path}`, true);
    expect(routes.length).toBeGreaterThan(declared.length + paths.length);
    for (const { method, path, authorizer, functionName } of routes) {
      const isFree = functionName === undefined || isOpen.get(`${method} ${path}`);
      expect([`${method} ${path}`, authorizer]).toEqual([
        `${method} ${path}`,
        isFree ? undefined : "authorizer",
      ]);
    }
    expect(routes.filter(({ authorizer }) => authorizer).length).toBeGreaterThan(30);
  });

  it("names each operation once, and declares the parameters of its path", () => {
    const named = routes.flatMap(({ operationId }) => operationId ?? []);
    expect(named.sort()).toEqual(operations.map(({ id }) => id).sort());
    for (const { path, parameters } of routes) {
      expect(parameters.map((name) => `{${name}}`)).toEqual(
        path.replaceAll("+}", "}").match(/\{\w+\}/g) ?? [],
      );
    }
  });

  it.each(declared)(
    "lets $name respond as its function does, streamed or whole",
    ({ operation, definition }) => {
      const integration = route(operation.method, operation.path)?.integration;
      const isStream = definition.transfer === "stream";
      expect(integration?.type).toBe("aws_proxy");
      expect(integration?.responseTransferMode).toBe(isStream ? "STREAM" : undefined);
      expect(integration?.timeoutInMillis).toBe(isStream ? definition.timeoutSeconds * 1_000 : undefined);
      expect(integration?.uri?.includes("/response-streaming-invocations")).toBe(isStream);
    },
  );

  it("may call each function behind it by one permission", () => {
    const permissions = [...resourcesOfType(service.api, "AWS::Lambda::Permission").values()].filter(
      ({ Properties }) => Properties["Principal"] === "apigateway.amazonaws.com",
    );
    const called = new Set(permissions.map(({ Properties }) => JSON.stringify(Properties["FunctionName"])));
    const behind = new Set(routes.flatMap(({ functionName }) => functionName ?? []));
    expect(called.size).toBe(permissions.length);
    expect(permissions.length).toBe(behind.size + 1);
  });
});

describe("A path of the API", () => {
  it.each(paths)("informs browsers what they may send to %s", (path) => {
    const methods = operations.filter((operation) => operation.path === path).map(({ method }) => method);
    expect(mockResponse("OPTIONS", path)).toMatchObject({
      statusCode: "204",
      responseParameters: {
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
      statusCode: "405",
      responseParameters: {
        "method.response.header.Allow": `'${supportedMethods(methods).join(", ")}'`,
        "method.response.header.X-Request-Id": "context.requestId",
        "method.response.header.Access-Control-Allow-Origin": "'*'",
      },
    });
    expect(codeOfTemplate(path, response?.responseTemplates["application/json"])).toBe("method_not_allowed");
  });
});

describe("Responses that need no function", () => {
  const isPage = pages.some(({ path }) => path === "/");
  it.each([
    ...(isPage ? [] : ["/"]),
    "/{unknown+}",
    "/v1/{unknown+}",
    "/deepl/{unknown+}",
    "/libretranslate/{unknown+}",
  ])("tell that nothing is at %s, with or without a token", (path) => {
    const response = mockResponse("ANY", path);
    expect(response?.statusCode).toBe("404");
    expect(codeOfTemplate(path, response?.responseTemplates["application/json"])).toBe(
      path.startsWith("/v1/") ? "unknown_url" : "not_found",
    );
    // Without an `Accept` that has a template, as curl's, API Gateway uses the first.
    const types = Object.keys(response?.responseTemplates ?? {});
    expect([types, types.toSorted()]).toEqual(Array(2).fill(["application/json", "text/html"]));
    const page = JSON.stringify(response?.responseTemplates["text/html"]);
    expect(page).toContain("<h1>Page not found</h1>");
    expect(page).toContain("$stageVariables.publicBaseUrl/");
    // Velocity reads both characters as its own.
    expect(page.replaceAll("$stageVariables", "")).not.toMatch(/[#$]/);
  });

  it("have the same status for any content type of the request", () => {
    for (const { integration } of routes.filter(({ functionName }) => functionName === undefined)) {
      const { default: usual, "204": toOptions } = integration.responses ?? {};
      const templates = Object.values(integration.requestTemplates ?? {});
      expect(templates.length).toBeGreaterThan(1);
      const template = toOptions
        ? `{ #if($context.httpMethod == "OPTIONS") "statusCode": ${toOptions.statusCode} #else "statusCode": ${usual?.statusCode} #end }`
        : `{"statusCode":${usual?.statusCode}}`;
      expect(templates).toEqual(templates.map(() => template));
      expect(integration).toMatchObject({
        type: "mock",
        passthroughBehavior: "never",
        contentHandling: "CONVERT_TO_TEXT",
      });
    }
  });

  it("declare the headers that they send, without which API Gateway refuses them", () => {
    for (const { integration, declaredHeaders } of routes) {
      for (const { statusCode, responseParameters } of Object.values(integration.responses ?? {})) {
        const sent = Object.keys(responseParameters).map((name) =>
          name.replace("method.response.header.", ""),
        );
        expect(declaredHeaders[statusCode]).toEqual(sent);
      }
    }
  });
});

describe("The authorizer", () => {
  it("reads the Authorization header and is called for each request", () => {
    const { token, ...others } = definitionOf(service).components.securitySchemes;
    expect(others).toEqual({});
    expect(token).toMatchObject({
      type: "apiKey",
      name: "Authorization",
      in: "header",
      "x-amazon-apigateway-authorizer": {
        type: "request",
        identitySource: "method.request.header.Authorization",
        authorizerResultTtlInSeconds: 0,
      },
    });
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
      host: "$context.domainName",
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

  it("is traced for one request in twenty, and not for the first of each second as well", () => {
    expect(only("AWS::XRay::SamplingRule")).toMatchObject({
      SamplingRule: {
        RuleName: "LanguageAi-prod",
        Version: 1,
        Priority: 1_000,
        ServiceName: "language-ai-prod/prod",
        ServiceType: "AWS::ApiGateway::Stage",
        ResourceARN: "*",
        Host: "*",
        HTTPMethod: "*",
        URLPath: "*",
        ReservoirSize: 0,
        FixedRate: 0.05,
      },
    });
  });

  it("is reached in its region, because an edge would cut streams, and leaves forms as they are", () => {
    expect(only("AWS::ApiGateway::RestApi")).toMatchObject({
      EndpointConfiguration: { Types: ["REGIONAL"] },
      Parameters: { endpointConfigurationTypes: "REGIONAL" },
    });
    expect(definitionOf(service)["x-amazon-apigateway-binary-media-types"]).toEqual(["multipart/form-data"]);
  });

  it("names the functions behind the routes, and waits for permission to call them", () => {
    const [stage] = resourcesOfType(service.api, "AWS::ApiGateway::Stage").values();
    const { Variables } = z.object({ Variables: z.record(z.string(), z.unknown()) }).parse(stage?.Properties);
    const behind = new Set(routes.flatMap(({ functionName }) => functionName ?? []));
    expect(Object.keys(Variables).sort()).toEqual([...behind, "publicBaseUrl"].sort());
    for (const [id, { Properties }] of resourcesOfType(service.api, "AWS::Lambda::Permission")) {
      expect(Properties["Principal"] === "*" || stage?.DependsOn.includes(id)).toBe(true);
    }
  });

  it("keeps its logs, and those of the functions, for three months", () => {
    const groups = [...resourcesOfType(service.withFunctions, "AWS::Logs::LogGroup").values()];
    const functions = resourcesOfType(service.withFunctions, "AWS::Lambda::Function");
    const logging = [...functions.values()].filter(({ Properties }) => "LoggingConfig" in Properties);
    expect(logging.length).toBeGreaterThan(functionDefinitions.length);
    expect(groups.length).toBe(logging.length + 2);
    for (const { Properties, DeletionPolicy } of groups) {
      expect(Properties["RetentionInDays"]).toBe(90);
      expect(DeletionPolicy).toBe("RetainExceptOnCreate");
    }
  });
});
