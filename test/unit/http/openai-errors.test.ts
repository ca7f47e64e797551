import { describe, expect, it } from "vitest";
import * as z from "zod";
import { endpoint } from "../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { ErrorCode } from "../../../shared/platform/errors/catalogue.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { send } from "../../support/send.ts";

const sendTo = (path: `/${string}`, code: ErrorCode | undefined) => {
  const operation = defineOperation({
    ...exampleOperation,
    path,
    auth: "public",
    limit: "reading",
    body: { encoding: "json", schema: z.object({ text: z.string() }) },
    response: { status: 200, description: "It", schema: z.object({}) },
  });
  const fail = () => {
    if (code) throw new AppError(code);
    return {};
  };
  return send([endpoint(operation, fail)], { path, body: code ? { text: "x" } : {} });
};

describe.each([
  [undefined, 400, "validation_failed", 422, "validation_failed"],
  ["unknown_model", 404, "model_not_found", 400, "unknown_model"],
  ["unauthenticated", 401, "invalid_api_key", 401, "unauthenticated"],
  ["rate_limited", 429, "rate_limit_exceeded", 429, "rate_limited"],
  ["quota_exceeded", 429, "insufficient_quota", 429, "quota_exceeded"],
  ["not_found", 404, "not_found", 404, "not_found"],
] as const)("the error %s", (thrown, status, code, ownStatus, ownCode) => {
  it("has OpenAI's status and code on /v1, and the service's own elsewhere", async () => {
    expect(await sendTo("/v1/example", thrown)).toMatchObject({ status, body: { error: { code } } });
    expect(await sendTo("/tasks/example", thrown)).toMatchObject({
      status: ownStatus,
      body: { error: { code: ownCode } },
    });
  });
});
