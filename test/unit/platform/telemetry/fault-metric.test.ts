import type { SQSEvent, SQSRecord } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { createAuthorizer } from "../../../../functions/authorizer/authorize-request.ts";
import { endpoint } from "../../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../../shared/http/operation.ts";
import { createBufferedHandler } from "../../../../shared/http/pipeline.ts";
import { AppError } from "../../../../shared/platform/errors/app-error.ts";
import { workThrough } from "../../../../shared/platform/queue/work-through.ts";
import { faultFields } from "../../../../shared/platform/telemetry/fault-metric.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import { exampleOperation } from "../../../support/example-operation.ts";
import { lambdaContext, lambdaEvent } from "../../../support/lambda-event.ts";

const metricsNamespace = "LanguageAi-prod";
const context = { ...lambdaContext(), functionName: "translate", functionVersion: "12" };
const denied = Object.assign(new Error("No permission."), {
  name: "AccessDeniedException",
  $metadata: { httpStatusCode: 400 },
});
const silent = Object.assign(new Error("No response."), { name: "TimeoutError", $metadata: {} });

const operation = defineOperation({
  ...exampleOperation,
  method: "GET",
  path: "/example",
  auth: "public",
  limit: "reading",
  response: { status: 200, description: "It", schema: z.object({}) },
});

/** What a line adds to the metric by which a release is judged. */
const fault = {
  faults: 1,
  function_version: "translate:12",
  _aws: expect.objectContaining({
    CloudWatchMetrics: [
      {
        Namespace: metricsNamespace,
        Dimensions: [["function_version"]],
        Metrics: [{ Name: "faults", Unit: "Count" }],
      },
    ],
  }),
};

beforeEach(() => {
  for (const level of ["info", "error"] as const) vi.spyOn(logger, level).mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const lineOf = async (error: Error) => {
  const endpoints = [endpoint(operation, () => Promise.reject(error))];
  const handler = createBufferedHandler(endpoints, { metricsNamespace });
  await handler(lambdaEvent({ method: "GET", path: "/example" }), context);
  return vi.mocked(logger.error).mock.calls.find(([event]) => event === "request.failed")?.[1];
};

describe("The faults of a version", () => {
  it.each([
    ["a bug", new TypeError("undefined is not a function")],
    ["a missing permission", denied],
    ["a store that refuses", new AppError("storage_unavailable")],
  ])("count %s", async (_what, error) => {
    expect(await lineOf(error)).toMatchObject(fault);
  });

  it.each([
    ["a model's response that is no use", new AppError("external_service_error")],
    ["a model that is down", new AppError("service_unavailable")],
    ["a table that does not respond in time", silent],
  ])("do not count %s", async (_what, error) => {
    expect(await lineOf(error)).toEqual(expect.not.objectContaining({ faults: expect.anything() }));
  });

  it("do not count what a caller did wrong", async () => {
    expect(await lineOf(new AppError("forbidden"))).toBeUndefined();
    expect(faultFields(new AppError("forbidden"), { metricsNamespace, functionVersion: "a:1" })).toEqual({});
  });

  it("count records of queues", async () => {
    const record: Partial<SQSRecord> = { messageId: "1", body: "{}", messageAttributes: {} };
    const attributes = { ApproximateReceiveCount: "1", SentTimestamp: "0" };
    // The fields that the work reads.
    const event = { Records: [{ ...record, attributes }] } as unknown as SQSEvent;
    let noted: unknown;
    await workThrough(event, context, {
      operation: "sendMail",
      metricsNamespace,
      minMilliseconds: 1,
      reserveMilliseconds: 1,
      work: async () => {
        noted = faultFields(denied);
        return false;
      },
    });
    expect(noted).toMatchObject(fault);
  });

  it("count the authorizer, whose refusals Lambda counts as errors", async () => {
    const authorize = createAuthorizer(() => Promise.reject(denied), metricsNamespace);
    await expect(authorize({ headers: {}, methodArn: "a/b/c" }, context)).rejects.toBe(denied);
    expect(logger.error).toHaveBeenCalledExactlyOnceWith("authorizer.failed", expect.objectContaining(fault));
  });
});
