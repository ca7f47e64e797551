import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAuthorizer } from "../../../functions/authorizer/authorize-request.ts";
import { type Credential, makeApiKey } from "../../../shared/accounts/access/api-keys.ts";
import type { TokenClaims } from "../../../shared/accounts/access/tokens.ts";
import { credentialContext } from "../../../shared/http/authenticate.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { lambdaContext } from "../../support/lambda-event.ts";

const stageArn = "arn:aws:execute-api:eu-west-1:000000000000:api1234567/prod";
const methodArn = `${stageArn}/POST/tasks/audio/speech`;
const claims: TokenClaims = { userId: 7, tokenId: "token-1", tokenEpoch: 3, tokenExpiresAt: 1_795_000_000 };

beforeEach(() => {
  vi.spyOn(logger, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const ask = (
  claimed: Credential | undefined,
  headers: Record<string, string> | null = { Authorization: "Bearer abc" },
) => {
  const verifyBearer = vi.fn(async (_authorization: string | undefined) => claimed);
  return { verifyBearer, result: createAuthorizer(verifyBearer)({ headers, methodArn }, lambdaContext()) };
};

describe("A good token", () => {
  it("opens every route of the stage, because API Gateway may reuse the decision for the next call", async () => {
    const { result } = ask(claims);
    expect(await result).toEqual({
      principalId: "7",
      policyDocument: {
        Version: "2012-10-17",
        Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: `${stageArn}/*` }],
      },
      context: { userId: "7", tokenId: "token-1", tokenEpoch: "3", tokenExpiresAt: "1795000000" },
    });
  });

  it.each(["Authorization", "authorization", "AUTHORIZATION"])("is found in the header %s", async (name) => {
    const { verifyBearer, result } = ask(claims, { Accept: "*/*", [name]: "Bearer abc" });
    await result;
    expect(verifyBearer).toHaveBeenCalledExactlyOnceWith("Bearer abc");
  });
});

describe("What the authorizer passes to the functions", () => {
  it("is, of a key, whose it is, its id and its digest, and not its text", async () => {
    const { key, prefix: _prefix, ...created } = makeApiKey(7);
    const { context } = await ask(created, { Authorization: `Bearer ${key}` }).result;
    expect(context).toEqual({ userId: "7", keyId: created.keyId, keyDigest: created.keyDigest });
    expect(credentialContext.parse(context)).toEqual(created);
    expect(JSON.stringify(context)).not.toContain(key.slice(4, 24));
  });

  it.each([
    claims,
    { userId: 7, tokenId: "token-1", tokenEpoch: 0, tokenExpiresAt: undefined },
    { ...claims, scopes: ["translate", "speech"] },
    { ...claims, scopes: [""] },
  ])("is what its signature vouches for: %j", async (token) => {
    const { context } = await ask(token).result;
    expect(credentialContext.parse(context)).toEqual(token);
  });
});

describe("A request without a good token", () => {
  it("is refused with the one message that API Gateway turns into 401, and is no failure", async () => {
    await expect(ask(undefined).result).rejects.toThrow(/^Unauthorized$/);
    expect(logger.error).not.toHaveBeenCalled();
  });

  it.each([null, {}, { Accept: "*/*" }])("has none in the headers %j", async (headers) => {
    const { verifyBearer, result } = ask(claims, headers);
    await result;
    expect(verifyBearer).toHaveBeenCalledExactlyOnceWith(undefined);
  });
});

describe("A token that cannot be checked", () => {
  it("is not called invalid, and the log says why, for the alarm that watches it", async () => {
    const failure = Object.assign(new Error("The policy was changed."), { name: "AccessDeniedException" });
    const failing = createAuthorizer(() => Promise.reject(failure));
    await expect(failing({ headers: null, methodArn }, lambdaContext())).rejects.toBe(failure);
    expect(logger.error).toHaveBeenCalledExactlyOnceWith("authorizer.failed", {
      reason: expect.objectContaining({ name: "AccessDeniedException", message: "The policy was changed." }),
    });
  });
});
