import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import type { CredentialAccess } from "../../../shared/accounts/access/access.ts";
import type { TokenClaims } from "../../../shared/accounts/access/tokens.ts";
import { createLimiter } from "../../../shared/accounts/limits/limiter.ts";
import { endpoint } from "../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { createStreamingHandler } from "../../../shared/http/pipeline.ts";
import { toHttpEvent } from "../../../shared/http/request.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { fakeCounters } from "../../support/fake-counters.ts";
import { lambdaContext } from "../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { unlimited } from "../../support/unlimited.ts";

const operation = defineOperation({
  ...exampleOperation,
  path: "/tasks/example",
  auth: "user",
  scope: "translate",
  body: { encoding: "json", schema: z.object({ text: z.string() }) },
});
const echo = endpoint(operation, ({ body, caller }) => ({ text: body.text, user: caller.userId }));

const lookUp = endpoint(
  defineOperation({
    ...exampleOperation,
    id: "lookUp",
    method: "GET",
    path: "/v1/things/{id}/parts/{part}",
    auth: "public",
    limit: "delivery",
    pathParameters: z.object({ id: z.string(), part: z.string() }),
  }),
  ({ path }) => path,
);

const whereFrom = endpoint(
  defineOperation({
    ...exampleOperation,
    id: "whereFrom",
    method: "GET",
    path: "/tasks/source",
    auth: "public",
    limit: "delivery",
  }),
  ({ request }) => ({ sourceAddress: request.sourceAddress }),
);

interface UrlRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const urlEvent = (request: UrlRequest): APIGatewayProxyEventV2 => ({
  version: "2.0",
  routeKey: "$default",
  rawPath: request.path ?? "/tasks/example",
  rawQueryString: "",
  headers: { "content-type": "application/json", ...request.headers },
  requestContext: {
    accountId: "anonymous",
    apiId: "url",
    domainName: "url.lambda-url.us-east-1.on.aws",
    domainPrefix: "url",
    http: {
      method: request.method ?? "POST",
      path: request.path ?? "/tasks/example",
      protocol: "HTTP/1.1",
      sourceIp: "203.0.113.7",
      userAgent: "test",
    },
    requestId: "request-1",
    routeKey: "$default",
    stage: "$default",
    time: "20/Nov/2026:10:00:00 +0000",
    timeEpoch: 1_795_168_800_000,
  },
  isBase64Encoded: false,
  ...(request.body === undefined ? {} : { body: request.body }),
});

const token: TokenClaims = { userId: 7, tokenId: "t", tokenEpoch: 0 };

afterEach(() => {
  vi.unstubAllGlobals();
});

interface TokenCase {
  /** What the signature vouches for. */
  readonly claims?: TokenClaims | undefined;
  readonly access?: Partial<CredentialAccess>;
  /** What the stage's domain for streams sends. */
  readonly originSecret?: string;
}

const send = async (request: UrlRequest, given: TokenCase = {}) => {
  stubStreamingRuntime();
  const verifyBearer = vi.fn().mockResolvedValue("claims" in given ? given.claims : token);
  const limiter = createLimiter(fakeCounters(undefined, given.access));
  const handler = createStreamingHandler([echo, lookUp, whereFrom], {
    verifyBearer,
    limiter,
    ...(given.originSecret === undefined ? {} : { originSecret: given.originSecret }),
  });
  const { status, headers, body } = await invokeStreaming(handler, urlEvent(request), lambdaContext());
  return { status, headers, body: body === "" ? undefined : JSON.parse(body), verifyBearer };
};

describe("a function behind its own URL", () => {
  it("checks the bearer token itself and knows its caller", async () => {
    const response = await send({ headers: { authorization: "Bearer abc" }, body: '{"text":"hello"}' });
    expect(response).toMatchObject({ status: 200, body: { text: "hello", user: 7 } });
    expect(response.verifyBearer).toHaveBeenCalledWith("Bearer abc");
    expect(response.headers["X-Request-Id"]).toBe("request-1");
  });

  it("admits only requests through the stage's domain for streams, if it has one, and knows their address", async () => {
    const given = { originSecret: "secret of the domain" };
    const request = (headers: Record<string, string>) =>
      send({ method: "GET", path: "/tasks/source", headers }, given);
    for (const headers of [
      {},
      { "x-language-ai-origin": "guessed" },
      { "x-language-ai-viewer": "192.0.2.1" },
    ]) {
      const refused = await request(headers);
      expect(refused).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
    }
    const domain = { "x-language-ai-origin": given.originSecret, "x-language-ai-viewer": "198.51.100.7" };
    expect(await request(domain)).toMatchObject({ status: 200, body: { sourceAddress: "198.51.100.7" } });
    // Without such a domain a caller cannot choose an address.
    const direct = await send({ method: "GET", path: "/tasks/source", headers: domain });
    expect(direct).toMatchObject({ status: 200, body: { sourceAddress: "203.0.113.7" } });
  });

  it("refuses a missing or unknown token before it parses the body", async () => {
    const response = await send({ body: "{broken" }, { claims: undefined });
    expect(response).toMatchObject({ status: 401, body: { error: { code: "unauthenticated" } } });
    expect(response.headers).toMatchObject({
      "WWW-Authenticate": "Bearer",
      "Access-Control-Allow-Origin": "*",
    });
  });

  it("never believes that a caller was checked elsewhere", async () => {
    const event = urlEvent({ body: '{"text":"x"}' });
    Object.assign(event.requestContext, { authorizer: { lambda: token, ...token } });
    stubStreamingRuntime();
    const handler = createStreamingHandler([echo], { limiter: unlimited });
    expect(await invokeStreaming(handler, event, lambdaContext())).toMatchObject({ status: 401 });
  });

  it("refuses other paths with 404, other methods with 405, in our JSON", async () => {
    expect(await send({ path: "/nowhere", body: "{}" })).toMatchObject({
      status: 404,
      body: { error: { code: "not_found" } },
    });
    const response = await send({ method: "GET" });
    expect(response).toMatchObject({ status: 405, body: { error: { code: "method_not_allowed" } } });
    expect(response.headers["Allow"]).toBe("POST, OPTIONS");
  });

  it("reads the parameters of a path itself", async () => {
    const path = "/v1/things/stt-51%3Alug/parts/%zz";
    expect(await send({ method: "GET", path })).toMatchObject({
      status: 200,
      body: { id: "stt-51:lug", part: "%zz" },
    });
    for (const other of ["/v1/things/a/parts/", "/v1/things/a/parts", "/v1/things/a/b/c", "/v1/things"]) {
      expect((await send({ method: "GET", path: other })).status, other).toBe(404);
    }
    expect((await send({ method: "PUT", path, body: "{}" })).headers["Allow"]).toBe("GET, HEAD, OPTIONS");
  });

  it("responds to a browser's preflight without a token", async () => {
    const response = await send({ method: "OPTIONS" }, { claims: undefined });
    expect(response.status).toBe(204);
    expect(response.headers).toMatchObject({
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Methods": "POST, OPTIONS",
      "Access-Control-Allow-Headers": expect.stringContaining("Authorization"),
      "Access-Control-Max-Age": "86400",
      "X-Request-Id": "request-1",
    });
    expect(response.body).toBeUndefined();
    expect(response.verifyBearer).not.toHaveBeenCalled();
  });

  it("has its requests read like those of the REST API", () => {
    const event = urlEvent({ headers: { "x-own": "a" }, body: '{"text":"x"}' });
    const request = toHttpEvent({ ...event, queryStringParameters: { page: "2" }, isBase64Encoded: true });
    expect(request).toMatchObject({
      entryPoint: "function-url",
      requestId: "request-1",
      httpMethod: "POST",
      resource: "/tasks/example",
      headers: { "content-type": "application/json", "x-own": "a" },
      queryStringParameters: { page: "2" },
      pathParameters: null,
      body: '{"text":"x"}',
      isBase64Encoded: true,
      requestContext: {
        authorizer: null,
        identity: { sourceIp: "203.0.113.7" },
        path: "/tasks/example",
        requestId: "request-1",
      },
    });
    expect(toHttpEvent(urlEvent({}))).toMatchObject({
      queryStringParameters: null,
      body: null,
      isBase64Encoded: false,
    });
  });
});
