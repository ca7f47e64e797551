import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { errorCatalogue } from "../../shared/platform/errors/catalogue.ts";
import { parseErrorTemplate } from "./error-body.ts";
import { resourcesOfType, synthesizeService } from "./synthesized-service.ts";

const gatewayResponse = z.object({
  ResponseType: z.string(),
  StatusCode: z.string(),
  ResponseParameters: z.record(z.string(), z.string()),
  ResponseTemplates: z.object({ "application/json": z.string() }),
});
type GatewayResponse = z.infer<typeof gatewayResponse>;

let responses: ReadonlyMap<string, GatewayResponse>;
const header = (response: GatewayResponse | undefined, name: string) =>
  response?.ResponseParameters[`gatewayresponse.header.${name}`];

beforeAll(async () => {
  const { api } = await synthesizeService();
  const all = [...resourcesOfType(api, "AWS::ApiGateway::GatewayResponse").values()];
  responses = new Map(
    all.map(({ Properties }) => gatewayResponse.parse(Properties)).map((each) => [each.ResponseType, each]),
  );
}, 30_000);

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
    expect(responses.get(type)?.StatusCode).toBe(String(status));
  });

  it("has our error body, with the status of its code", () => {
    for (const { StatusCode, ResponseTemplates } of responses.values()) {
      const { error, detail } = parseErrorTemplate(ResponseTemplates["application/json"]);
      expect(String(errorCatalogue[error.code].status)).toBe(StatusCode);
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
    const temporary = [...responses.values()].filter(({ StatusCode }) => ["429", "503"].includes(StatusCode));
    expect(temporary.map(({ ResponseType }) => ResponseType).sort()).toEqual([
      "AUTHORIZER_CONFIGURATION_ERROR",
      "AUTHORIZER_FAILURE",
      "INTEGRATION_TIMEOUT",
      "QUOTA_EXCEEDED",
      "THROTTLED",
    ]);
    for (const response of temporary) expect(header(response, "Retry-After")).toMatch(/^'[1-9]\d*'$/);
  });
});
