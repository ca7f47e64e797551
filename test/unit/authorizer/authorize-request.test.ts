import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAuthorizer } from "../../../functions/authorizer/authorize-request.ts";
import type { Decision } from "../../../shared/auth/authorize.ts";
import { logger } from "../../../shared/telemetry/logger.ts";

const stageArn = "arn:aws:execute-api:eu-west-1:000000000000:api1234567/prod";
const methodArn = `${stageArn}/POST/tasks/audio/speech`;
const caller = { userId: 7, username: "amina", accountType: "Premium", tokenId: "token-1" } as const;
const allowed: Decision = { kind: "allowed", caller };

beforeEach(() => {
  vi.spyOn(logger, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const ask = (
  decision: Decision,
  headers: Record<string, string> | null = { Authorization: "Bearer abc" },
) => {
  const authorize = vi.fn(async (_authorization: string | undefined) => decision);
  return { authorize, answered: createAuthorizer(authorize)({ headers, methodArn }) };
};

describe("A good token", () => {
  it("opens every route of the stage, because API Gateway may reuse the decision for the next call", async () => {
    const { answered } = ask(allowed);
    expect(await answered).toEqual({
      principalId: "7",
      policyDocument: {
        Version: "2012-10-17",
        Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: `${stageArn}/*` }],
      },
      context: caller,
    });
  });

  it.each(["Authorization", "authorization", "AUTHORIZATION"])("is found in the header %s", async (name) => {
    const { authorize, answered } = ask(allowed, { Accept: "*/*", [name]: "Bearer abc" });
    await answered;
    expect(authorize).toHaveBeenCalledExactlyOnceWith("Bearer abc");
  });
});

describe("A disabled account", () => {
  it("is shut out of every route of the stage, and named in the access log", async () => {
    const { answered } = ask({ kind: "forbidden", userId: 8 });
    expect(await answered).toEqual({
      principalId: "8",
      policyDocument: {
        Version: "2012-10-17",
        Statement: [{ Action: "execute-api:Invoke", Effect: "Deny", Resource: `${stageArn}/*` }],
      },
    });
  });
});

describe("A request without a good token", () => {
  it("is refused with the one message that API Gateway turns into 401, and is no failure", async () => {
    await expect(ask({ kind: "unauthenticated" }).answered).rejects.toThrow(/^Unauthorized$/);
    expect(logger.error).not.toHaveBeenCalled();
  });

  it.each([null, {}, { Accept: "*/*" }])("has none in the headers %j", async (headers) => {
    const { authorize, answered } = ask(allowed, headers);
    await answered;
    expect(authorize).toHaveBeenCalledExactlyOnceWith(undefined);
  });
});

describe("A token that cannot be checked", () => {
  it("is not called invalid, and the log says why, for the alarm that watches it", async () => {
    const failure = Object.assign(new Error("The policy was changed."), { name: "AccessDeniedException" });
    const failing = createAuthorizer(() => Promise.reject(failure));
    await expect(failing({ headers: null, methodArn })).rejects.toBe(failure);
    expect(logger.error).toHaveBeenCalledExactlyOnceWith("authorizer.failed", {
      reason: expect.objectContaining({ name: "AccessDeniedException", message: "The policy was changed." }),
    });
  });
});
