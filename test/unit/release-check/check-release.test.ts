import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkRelease } from "../../../functions/release-check/check-release.ts";
import { createInvoker } from "../../../functions/release-check/invoke-version.ts";
import { releaseSamples } from "../../../functions/release-check/samples.ts";
import { readAwsConfig } from "../../../shared/platform/config/environment.ts";
import { openAwsJsonService } from "../../../shared/platform/outbound/aws-json.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import {
  type Behaviour,
  type FakeBackend,
  hanging,
  responding,
  startFakeBackend,
} from "../../support/fake-backend.ts";

/** What CodeDeploy passes to the function. */
const event = { DeploymentId: "d-EXAMPLE12", LifecycleEventHookExecutionId: "eyJlbmNyeXB0ZWQi" };
const versions = {
  translate: "arn:aws:lambda:eu-west-1:000000000000:function:LanguageAi-prod-Api-Translate:12",
  docs: "arn:aws:lambda:eu-west-1:000000000000:function:LanguageAi-prod-Api-Docs:7",
  authorizer: "arn:aws:lambda:eu-west-1:000000000000:function:LanguageAi-prod-Api-Authorizer:3",
  mail: "arn:aws:lambda:eu-west-1:000000000000:function:LanguageAi-prod-Workers-Mail:4",
};

let aws: FakeBackend;
beforeEach(async () => {
  aws = await startFakeBackend();
  vi.spyOn(logger, "error").mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await aws.close();
});

/** The end of a streamed response's head. */
const zeros = "\0".repeat(8);

/** CodeDeploy, and Lambda that responds so, one response after the other. */
const behave = (group: string, ...invocations: Behaviour[]): void => {
  aws.behave((response: ServerResponse, request: IncomingMessage) => {
    if (request.url?.startsWith("/2015-03-31/")) {
      const next = invocations.length > 1 ? invocations.shift() : invocations[0];
      next?.(response, request);
    } else responding(200, { deploymentInfo: { deploymentGroupName: group } })(response, request);
  });
};

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI" };

const check = (milliseconds = 5_000) => {
  const config = readAwsConfig({
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL: new URL(aws.baseUrl).origin,
  });
  const codeDeploy = openAwsJsonService("CodeDeploy", config);
  const dependencies = { codeDeploy, versions, invoke: createInvoker(config) };
  return checkRelease(event, dependencies, AbortSignal.timeout(milliseconds));
};

/** The reports that CodeDeploy got. */
const reported = (): unknown[] =>
  aws.received
    .filter(({ headers }) =>
      String(headers["x-amz-target"]).endsWith(".PutLifecycleEventHookExecutionStatus"),
    )
    .map(({ body }) => JSON.parse(body));
const report = (status: string) => [
  { deploymentId: "d-EXAMPLE12", lifecycleEventHookExecutionId: "eyJlbmNyeXB0ZWQi", status },
];
const invocations = () => aws.received.filter(({ path }) => path.startsWith("/2015-03-31/"));

describe("The check of a new version", () => {
  it("invokes that version, not the one in use, with its sample events, and reports success", async () => {
    behave("translate", responding(200, `{"statusCode":401,"headers":{}}${zeros}{"detail":"No."}`));
    await check();
    expect(reported()).toEqual(report("Succeeded"));
    expect(invocations().map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      [
        "/2015-03-31/functions/LanguageAi-prod-Api-Translate/invocations?Qualifier=12",
        releaseSamples["translate"]?.[0]?.event,
      ],
    ]);
    expect(aws.received[0]?.headers["x-amz-target"]).toBe("CodeDeploy_20141006.GetDeployment");
  });

  it.each([
    ["a function of several samples", "docs", responding(200, { statusCode: 200, headers: {}, body: "" }), 3],
    [
      "the authorizer, which throws to refuse",
      "authorizer",
      responding(200, { errorMessage: "Unauthorized" }),
      1,
    ],
    ["the worker of a queue", "mail", responding(200, { batchItemFailures: [] }), 1],
  ])("passes %s", async (_what, group, response, count) => {
    behave(group, response);
    await check();
    expect(reported()).toEqual(report("Succeeded"));
    expect(invocations()).toHaveLength(count);
  });

  it.each([
    ["fails with 500", responding(200, { statusCode: 500, body: "{}" })],
    ["admits everyone", responding(200, { statusCode: 200, body: "{}" })],
    [
      "cannot start",
      responding(200, { errorType: "Runtime.ImportModuleError", errorMessage: "Cannot find module" }),
    ],
    ["returns no response", responding(200, "null")],
    ["returns what is no JSON", responding(200, "<html>")],
    ["does not exist", responding(404, { message: "ResourceNotFoundException" })],
  ])("refuses a version that %s", async (_what, response) => {
    behave("translate", response);
    await check();
    expect(reported()).toEqual(report("Failed"));
    expect(logger.error).toHaveBeenCalledExactlyOnceWith("release.refused", {
      reason: expect.objectContaining({ message: expect.stringMatching(/translate|Lambda/) }),
    });
    expect(invocations()).toHaveLength(1);
  });

  it("refuses a version that takes too long, and still reports it", async () => {
    behave("translate", hanging);
    await check(200);
    expect(reported()).toEqual(report("Failed"));
  });

  it("invokes again what Lambda throttles, because all functions of a stack are checked at once", async () => {
    const throttled = responding(429, { Reason: "ConcurrentInvocationLimitExceeded" });
    behave(
      "translate",
      throttled,
      responding(409, {}),
      responding(403, {}),
      responding(200, { statusCode: 401 }),
    );
    await check(10_000);
    expect(reported()).toEqual(report("Succeeded"));
    expect(invocations()).toHaveLength(4);
  });

  it("refuses a function that it does not know", async () => {
    behave("elsewhere", responding(200, { statusCode: 401 }));
    await check();
    expect(reported()).toEqual(report("Failed"));
    expect(invocations()).toEqual([]);
  });
});
