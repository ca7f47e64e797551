import { beforeAll, describe, expect, it } from "vitest";
import { errorCatalogue } from "../../shared/platform/errors/catalogue.ts";
import { parseErrorTemplate } from "./error-body.ts";
import { definitionOf } from "./synthesized-routes.ts";
import { synthesizeService } from "./synthesized-service.ts";

type GatewayResponses = ReturnType<typeof definitionOf>["x-amazon-apigateway-gateway-responses"];
type GatewayResponse = GatewayResponses[string];

let responses: ReadonlyMap<string, GatewayResponse>;
const header = (response: GatewayResponse | undefined, name: string) =>
  response?.responseParameters[`gatewayresponse.header.${name}`];

beforeAll(async () => {
  const definition = definitionOf(await synthesizeService());
  responses = new Map(Object.entries(definition["x-amazon-apigateway-gateway-responses"]));
});

describe("An error of API Gateway itself", () => {
  it.each([
    ["UNAUTHORIZED", 401],
    ["ACCESS_DENIED", 403],
    ["MISSING_AUTHENTICATION_TOKEN", 404],
    ["INVALID_SIGNATURE", 404],
    ["RESOURCE_NOT_FOUND", 404],
    ["REQUEST_TOO_LARGE", 413],
    ["THROTTLED", 429],
    ["QUOTA_EXCEEDED", 429],
    ["BAD_REQUEST_BODY", 400],
    ["BAD_REQUEST_PARAMETERS", 400],
    ["UNSUPPORTED_MEDIA_TYPE", 400],
    ["INTEGRATION_TIMEOUT", 503],
    ["INTEGRATION_FAILURE", 502],
    ["AUTHORIZER_FAILURE", 503],
    ["AUTHORIZER_CONFIGURATION_ERROR", 503],
    ["DEFAULT_4XX", 400],
    ["DEFAULT_5XX", 500],
  ])("has for %s the status %i", (type, status) => {
    expect(responses.get(type)?.statusCode).toBe(String(status));
  });

  it("has our error body, with the status of its code", () => {
    for (const { statusCode, responseTemplates } of responses.values()) {
      const { error, detail } = parseErrorTemplate(responseTemplates["application/json"]);
      expect(String(errorCatalogue[error.code].status)).toBe(statusCode);
      expect(detail).toBe(error.message);
    }
  });

  it("carries a request id, may be read by browsers and is never cached", () => {
    for (const response of responses.values()) {
      expect(header(response, "X-Request-Id")).toBe("context.requestId");
      expect(header(response, "Access-Control-Allow-Origin")).toBe("'*'");
      expect(header(response, "X-Content-Type-Options")).toBe("'nosniff'");
      expect(header(response, "Cache-Control")).toBe("'no-store'");
    }
  });

  it("names the scheme of tokens on 401", () => {
    expect(header(responses.get("UNAUTHORIZED"), "WWW-Authenticate")).toBe("'Bearer'");
  });

  it("says on 429 and 503 when to try again", () => {
    const temporary = [...responses].filter(([, { statusCode }]) => ["429", "503"].includes(statusCode));
    expect(temporary.map(([type]) => type).sort()).toEqual([
      "AUTHORIZER_CONFIGURATION_ERROR",
      "AUTHORIZER_FAILURE",
      "INTEGRATION_TIMEOUT",
      "QUOTA_EXCEEDED",
      "THROTTLED",
    ]);
    for (const [, response] of temporary) expect(header(response, "Retry-After")).toMatch(/^'[1-9]\d*'$/);
  });
});
