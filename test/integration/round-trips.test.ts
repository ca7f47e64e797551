import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from "aws-lambda";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createAuthorizer } from "../../functions/authorizer/authorize-request.ts";
import { chatEndpoints } from "../../functions/chat/endpoints.ts";
import { createSigningKeySource, createTokens, type NewToken } from "../../shared/accounts/access/tokens.ts";
import { createBearerVerification } from "../../shared/accounts/access/verify-bearer.ts";
import { createLimitCounters, createLimiter } from "../../shared/accounts/limits/limiter.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import {
  createApiKeysRepository,
  type KeyChoices,
} from "../../shared/accounts/repositories/api-keys-repository.ts";
import { createTokensRepository } from "../../shared/accounts/repositories/tokens-repository.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import type { ChatModels } from "../../shared/models/inference/chat.ts";
import type { RequestTable } from "../../shared/platform/storage/table.ts";
import { lambdaContext, lambdaEvent } from "../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../support/lambda-stream.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

const secret = "first-secret-of-more-than-thirty-two-bytes";
const verifyBearer = createBearerVerification(async () => secret);
const { sign } = createTokens(createSigningKeySource(async () => secret));
const body = JSON.stringify({ messages: [{ role: "user", content: "Oli otya?" }] });
const models: ChatModels = {
  reply: async () => ({
    text: "Bulungi.",
    finishReason: "stop",
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  streamReply: () => Promise.reject(new Error("The test requests no stream.")),
};

let table: TestTable;
let token: NewToken;
beforeAll(async () => {
  table = await startTestTable();
  stubStreamingRuntime();
  const { id } = await createAccountsRepository(table.open()).create({
    username: "amina",
    email: "amina@example.com",
    password_hash: "$argon2id$the-hash",
    organization: "Unknown",
    full_name: undefined,
    organization_type: undefined,
    sector: undefined,
  });
  token = { userId: id, tokenId: "first", tokenEpoch: 0 };
});
beforeEach(() => {
  table.calls.length = 0;
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await table.close();
});

const keys = () => createApiKeysRepository(table.open());

/** Makes a key of the account, and forgets the calls that it took. */
const makeKey = async (choices: Partial<KeyChoices>) => {
  const choice = { name: "a program", scopes: undefined, expiresAt: undefined, monthlyLimit: undefined };
  const calls = table.calls.length;
  const created = await keys().create(token, { ...choice, ...choices });
  table.calls.length = calls;
  return created;
};

const byFunctionUrl = async (bearer: string): Promise<APIGatewayProxyEventV2> => ({
  version: "2.0",
  routeKey: "$default",
  rawPath: "/tasks/chat/completions",
  rawQueryString: "",
  headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
  requestContext: {
    accountId: "anonymous",
    apiId: "url",
    domainName: "url.lambda-url.us-east-1.on.aws",
    domainPrefix: "url",
    http: {
      method: "POST",
      path: "/tasks/chat/completions",
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
  body,
});

const byRestApi = async (bearer: string): Promise<APIGatewayProxyEvent> => {
  const request = {
    headers: { Authorization: `Bearer ${bearer}` },
    methodArn: "arn:aws:execute-api:eu-west-1:000000000000:api1234567/prod/POST/tasks/chat/completions",
  };
  const { context } = await createAuthorizer(verifyBearer)(request, lambdaContext());
  const authorizer = Object.fromEntries(
    Object.entries(context ?? {}).map(([name, value]) => [name, `${value}`]),
  );
  return lambdaEvent({
    path: "/tasks/chat/completions",
    headers: { "Content-Type": "application/json" },
    body,
    authorizer,
  });
};

describe.each([
  ["a function URL", byFunctionUrl],
  ["the REST API", byRestApi],
])("a chat request through %s", (_door, toEvent) => {
  const handlerOver = (over: RequestTable) =>
    createStreamingHandler(chatEndpoints({ models }), {
      verifyBearer,
      limiter: createLimiter(createLimitCounters(over)),
    });
  const askOf = async (handler: ReturnType<typeof handlerOver>, credential?: string) =>
    invokeStreaming(handler, await toEvent(credential ?? (await sign(token, 60))), lambdaContext());
  const ask = async (credential?: string) =>
    (await askOf(handlerOver(table.openForRequests()), credential)).status;

  it("makes one round trip to DynamoDB where its account is busy: token, account, limits, quota and what was used before in one write", async () => {
    const handler = handlerOver(table.openForRequests());
    await askOf(handler);
    table.calls.length = 0;
    for (let sent = 0; sent < 3; sent += 1) expect((await askOf(handler)).status).toBe(200);
    expect(table.calls).toEqual(["UpdateItem", "UpdateItem", "UpdateItem"]);
  });

  it("makes one before its response where its account is quiet, and one after all of its response was sent", async () => {
    const over = table.openForRequests();
    const responded = Promise.withResolvers<void>();
    let writes = 0;
    const handler = handlerOver({
      ...over,
      updateWithFallback: async (...given) => {
        writes += 1;
        if (writes > 1) await responded.promise;
        return over.updateWithFallback(...given);
      },
    });
    const stream = new PassThrough();
    const args = [await toEvent(await sign(token, 60)), stream, lambdaContext()];
    const end = Promise.resolve(Reflect.apply(handler, undefined, args));
    expect(JSON.parse(await text(stream))).toMatchObject({ usage: { total_tokens: 2 } });
    responded.resolve();
    await end;
    expect(writes).toBe(2);
  });

  it("needs no other one to be refused", async () => {
    token = { ...token, tokenId: crypto.randomUUID() };
    await createTokensRepository(table.open()).revoke(token);
    table.calls.length = 0;
    expect(await ask()).toBe(401);
    expect(table.calls).toEqual(["UpdateItem"]);
    token = { ...token, tokenId: "second" };
  });

  it("makes one with a key as well: digest, expiry, scope and its own limit are in the same write", async () => {
    const { key } = await makeKey({ scopes: ["chat"], expiresAt: 4_000_000_000, monthlyLimit: 10 });
    const handler = handlerOver(table.openForRequests());
    await askOf(handler);
    table.calls.length = 0;
    expect((await askOf(handler, key)).status).toBe(200);
    expect(table.calls).toEqual(["UpdateItem"]);
  });

  it("needs no other one to refuse a key, for any fault", async () => {
    const { key: speaking } = await makeKey({ scopes: ["speech"] });
    expect(await ask(speaking)).toBe(403);
    const { key: expired } = await makeKey({ expiresAt: 1 });
    expect(await ask(expired)).toBe(401);
    const { key, id } = await makeKey({});
    await keys().revoke(token.userId, id);
    table.calls.length = 2;
    expect(await ask(key)).toBe(401);
    expect(table.calls).toEqual(["UpdateItem", "UpdateItem", "UpdateItem"]);
  });

  it("makes none for what is no key by its checksum", async () => {
    const { key } = await makeKey({});
    const wrong = `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`;
    await expect(ask(wrong).catch(() => 401)).resolves.toBe(401);
    await expect(ask("lai_nonsense").catch(() => 401)).resolves.toBe(401);
    expect(table.calls).toEqual([]);
  });
});
