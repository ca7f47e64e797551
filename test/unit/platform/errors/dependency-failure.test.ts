import { describe, expect, it } from "vitest";
import { AppError } from "../../../../shared/platform/errors/app-error.ts";
import { dependencyFailure, toAppError } from "../../../../shared/platform/errors/dependency-failure.ts";

/** An error as the AWS SDK throws it. */
const sdkError = (fields: object) => Object.assign(new Error("Of AWS."), { $metadata: {} }, fields);

describe("a failure of a part of the service", () => {
  it.each([
    ["throttling", { name: "ThrottlingException", $metadata: { httpStatusCode: 400 } }],
    ["throughput", { name: "ProvisionedThroughputExceededException", $metadata: { httpStatusCode: 400 } }],
    ["status 500", { name: "InternalServerError", $metadata: { httpStatusCode: 500 } }],
    ["status 503", { name: "503", $metadata: { httpStatusCode: 503 } }],
    ["their fault", { name: "InternalServerError", $fault: "server" }],
    ["timeout", { name: "TimeoutError" }],
    ["refused connection", { code: "ECONNREFUSED" }],
    ["unknown host", { code: "ENOTFOUND" }],
    [
      "throttled transaction",
      {
        name: "TransactionCanceledException",
        $metadata: { httpStatusCode: 400 },
        CancellationReasons: [{ Code: "None" }, { Code: "ThrottlingError" }],
      },
    ],
  ])("that is temporary becomes 503, with a time for another attempt: %s", (_case, fields) => {
    const error = sdkError(fields);
    expect(toAppError(error)).toMatchObject({
      code: "service_unavailable",
      retryAfterSeconds: 5,
      cause: error,
    });
  });

  it.each([
    ["denied access", sdkError({ name: "AccessDeniedException", $metadata: { httpStatusCode: 400 } })],
    ["missing table", sdkError({ name: "ResourceNotFoundException", $metadata: { httpStatusCode: 400 } })],
    [
      "condition",
      sdkError({
        name: "TransactionCanceledException",
        $metadata: { httpStatusCode: 400 },
        CancellationReasons: [{ Code: "ConditionalCheckFailed" }],
      }),
    ],
    ["error of our own", new TypeError("undefined is not a function")],
    ["system error that is not of AWS", Object.assign(new Error("refused"), { code: "ECONNREFUSED" })],
    ["thrown text", "ThrottlingException"],
    ["nothing", undefined],
  ])("that is permanent is our own error: %s", (_case, error) => {
    expect(dependencyFailure(error)).toBeUndefined();
    expect(toAppError(error)).toMatchObject({ code: "internal", status: 500 });
  });

  it("that is already one of our errors stays unchanged", () => {
    const error = new AppError("storage_unavailable", { cause: sdkError({ name: "TimeoutError" }) });
    expect(toAppError(error)).toBe(error);
  });
});
