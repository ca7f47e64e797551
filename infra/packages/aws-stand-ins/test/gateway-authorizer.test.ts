import { afterEach, describe, expect, it, vi } from "vitest";
import type { InvocationResult } from "../src/lambda/invocation.ts";
import {
  rawStream,
  restApi,
  returned,
  startTestGateway,
  type TestGateway,
  thrown,
  wordless,
} from "./gateway-harness.ts";

let gateway: TestGateway;
afterEach(async () => {
  vi.useRealTimers();
  await gateway.close();
});

const statement = (Effect: "Allow" | "Deny", Resource: string | string[]) => ({
  Effect,
  Action: "execute-api:Invoke",
  Resource,
});

const policy = (...Statement: object[]) => ({ Version: "2012-10-17", Statement });

const anything = policy(statement("Allow", "*"));

/** Starts the API with an authorizer that always returns the same. */
const start = async (result: InvocationResult): Promise<void> => {
  const echo = () => returned({ statusCode: 200, body: "{}" });
  gateway = await startTestGateway({ echo, authorizer: () => result, remembered: () => result });
};

const get = (path: string, authorization = "Bearer token"): Promise<Response> =>
  fetch(`${gateway.url}${path}`, { headers: authorization === "" ? {} : { authorization } });

describe("A caller whom the authorizer allows", () => {
  it("reaches the function, which gets its identity, as text", async () => {
    await start(
      returned({
        principalId: "42",
        policyDocument: anything,
        context: { plan: "Free", limit: 50, admin: false },
      }),
    );
    const response = await get("/items/7");
    expect(response.status).toBe(200);
    expect(gateway.eventsOf("echo")).toMatchObject([
      {
        requestContext: {
          authorizer: {
            principalId: "42",
            plan: "Free",
            limit: "50",
            admin: "false",
            integrationLatency: expect.any(Number),
          },
        },
      },
    ]);
  });

  it("was passed to the authorizer with its method, and without its body", async () => {
    await start(returned({ principalId: "42", policyDocument: anything }));
    await get("/items/7");
    const [event] = gateway.eventsOf("authorizer");
    expect(event).toMatchObject({
      type: "REQUEST",
      methodArn: `arn:aws:execute-api:us-east-1:000000000000:${restApi.id}/v2/GET/items/7`,
      resource: "/items/{id}",
      path: "/items/7",
      httpMethod: "GET",
      headers: { authorization: "Bearer token" },
      queryStringParameters: {},
      pathParameters: { id: "7" },
      stageVariables: { colour: "blue" },
      requestContext: { stage: "v2", identity: { sourceIp: "127.0.0.1" } },
    });
    expect(event).not.toHaveProperty("body");
  });
});

describe("A caller whom the authorizer does not allow", () => {
  const unauthorized = { detail: "Not authenticated", request_id: expect.any(String) };

  it("gets 401 without an identity, and the authorizer is not asked", async () => {
    await start(returned({ principalId: "42", policyDocument: anything }));
    const response = await get("/items/7", "");
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await response.json()).toEqual(unauthorized);
    expect(gateway.eventsOf("authorizer")).toEqual([]);
  });

  it("gets 401 when the authorizer throws «Unauthorized»", async () => {
    await start(thrown("Unauthorized"));
    const response = await get("/items/7");
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual(unauthorized);
    expect(gateway.eventsOf("echo")).toEqual([]);
  });

  it("gets 403 when the policy denies, in words that the authorizer chose", async () => {
    const context = { reason: "The account is disabled." };
    await start(returned({ principalId: "42", policyDocument: policy(statement("Deny", "*")), context }));
    const response = await get("/items/7");
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ detail: "The account is disabled." });
  });

  it.each([
    [
      "denies explicitly, in spite of other statements",
      [statement("Allow", "*"), statement("Deny", "*")],
      " with an explicit deny",
    ],
    ["allows another path only", [statement("Allow", "arn:aws:execute-api:*/v2/GET/health")], ""],
    ["allows another method only", [statement("Allow", "arn:aws:execute-api:*/v2/POST/items/*")], ""],
    ["allows another action only", [{ ...statement("Allow", "*"), Action: "s3:GetObject" }], ""],
    ["says nothing", [], ""],
  ])("gets API Gateway's own 403 when the policy %s", async (_what, statements, detail) => {
    const result = returned({ principalId: "42", policyDocument: policy(...statements) });
    gateway = await startTestGateway({ authorizer: () => result }, { model: wordless });
    const response = await get("/items/7");
    expect(response.status).toBe(403);
    expect(response.headers.get("x-amzn-errortype")).toBe("AccessDeniedException");
    expect(await response.json()).toEqual({
      message: `User is not authorized to access this resource${detail}`,
    });
  });

  it.each([
    ["arn:aws:execute-api:*:*:*/v2/GET/items/*", 200],
    ["arn:aws:execute-api:us-east-1:000000000000:*/*/GET/items/?", 200],
    ["arn:aws:execute-api:us-east-1:000000000000:*/*/GET/items/??", 403],
    ["*/items/7", 200],
    ["arn:aws:execute-api:us-east-1.000000000000:*", 403],
  ])("is decided by wildcards: %s returns %i", async (resource, status) => {
    await start(
      returned({ principalId: "42", policyDocument: policy(statement("Allow", ["arn:other", resource])) }),
    );
    expect((await get("/items/7")).status).toBe(status);
  });
});

describe("An authorizer that does not work", () => {
  it.each([
    ["throws", thrown("Cannot read properties", "TypeError"), "failed with TypeError"],
    ["responds without a policy", returned({ principalId: "42" }), "did not return a policy"],
    ["returns nothing", returned(null), "did not return a policy"],
    [
      "passes objects on",
      returned({ principalId: "42", policyDocument: anything, context: { user: {} } }),
      "policy",
    ],
    [
      "writes a policy with conditions, which API Gateway would evaluate",
      returned({
        principalId: "42",
        policyDocument: policy({
          ...statement("Allow", "*"),
          Condition: { IpAddress: { "aws:SourceIp": "192.0.2.1" } },
        }),
      }),
      "did not return a policy",
    ],
    ["streams", rawStream().result, "streams its response"],
  ])("admits no one when it %s, and the log says why", async (_what, result, reason) => {
    await start(result);
    const response = await get("/items/7");
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: null });
    expect(gateway.eventsOf("echo")).toEqual([]);
    expect(gateway.log[0]).toContain(reason);
  });
});

describe("The memory of an authorizer", () => {
  const onlyOne = policy(statement("Allow", "arn:aws:execute-api:*/v2/GET/remembered/one"));

  it("does not exist when its time to live is 0", async () => {
    await start(returned({ principalId: "42", policyDocument: anything }));
    await get("/items/7");
    await get("/items/7");
    expect(gateway.eventsOf("authorizer")).toHaveLength(2);
  });

  it("is not called again for the same identity until the cache expires", async () => {
    await start(returned({ principalId: "42", policyDocument: anything }));
    vi.useFakeTimers({ toFake: ["Date"] });
    await get("/remembered/one");
    vi.advanceTimersByTime(299_000);
    await get("/remembered/one");
    expect(gateway.eventsOf("remembered")).toHaveLength(1);
    vi.advanceTimersByTime(2_000);
    await get("/remembered/one");
    expect(gateway.eventsOf("remembered")).toHaveLength(2);
  });

  it("is not shared between identities", async () => {
    await start(returned({ principalId: "42", policyDocument: anything }));
    await get("/remembered/one", "Bearer a");
    await get("/remembered/one", "Bearer b");
    expect(gateway.eventsOf("remembered")).toHaveLength(2);
  });

  it("decides every route by the cached policy, not by the first decision", async () => {
    await start(returned({ principalId: "42", policyDocument: onlyOne }));
    expect((await get("/remembered/one")).status).toBe(200);
    expect((await get("/remembered/two")).status).toBe(403);
    expect((await get("/remembered/one")).status).toBe(200);
    expect(gateway.eventsOf("remembered")).toHaveLength(1);
  });

  it("does not keep failures", async () => {
    await start(thrown("Unauthorized"));
    await get("/remembered/one");
    await get("/remembered/one");
    expect(gateway.eventsOf("remembered")).toHaveLength(2);
  });
});
