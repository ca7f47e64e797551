import { describe, expect, it } from "vitest";
import { readTraceparent, traceIdOf } from "../../../../shared/platform/telemetry/request-scope.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

describe("The trace that a request is part of", () => {
  it("is sent on as it came, and its id is known", () => {
    expect(readTraceparent(traceparent)).toBe(traceparent);
    expect(traceIdOf(traceparent)).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
  });

  it.each([
    ["absent", undefined],
    ["of another version", traceparent.replace("00-", "01-")],
    ["in capitals", traceparent.toUpperCase()],
    ["without a trace", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
    ["without a parent", `00-4bf92f3577b34da6a3ce929d0e0e4736-${"0".repeat(16)}-01`],
    ["followed by more", `${traceparent}-what somebody said`],
  ])("is unknown when the header is %s", (_case, header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });
});
