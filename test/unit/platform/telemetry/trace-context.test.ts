import { describe, expect, it } from "vitest";
import { joinTrace, spanFields } from "../../../../shared/platform/telemetry/trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${parentId}-01`;

describe("The trace that a request is part of", () => {
  it("gets our own span below the caller's, which is sent on and logged", () => {
    const span = joinTrace(traceparent);
    expect(span).toMatchObject({ traceId, parentId, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(span?.traceparent).toBe(`00-${traceId}-${span?.spanId}-01`);
    expect(spanFields(span)).toEqual({
      trace_id: traceId,
      span_id: span?.spanId,
      parent_span_id: parentId,
    });
    expect(joinTrace(traceparent)?.spanId).not.toBe(span?.spanId);
  });

  it.each([
    ["of a later version", traceparent.replace("00-", "cc-"), "01"],
    ["of a later version with more fields", `${traceparent.replace("00-", "cc-")}-what a caller said`, "01"],
    ["with unknown flags", `00-${traceId}-${parentId}-fe`, "02"],
    ["that is not sampled", `00-${traceId}-${parentId}-00`, "00"],
  ])(
    "is sent on in version 00 without anything unknown when its header is one %s",
    (_case, header, flags) => {
      const span = joinTrace(header);
      expect(span?.traceparent).toBe(`00-${traceId}-${span?.spanId}-${flags}`);
    },
  );

  it.each([
    ["absent", undefined],
    ["of the forbidden version", traceparent.replace("00-", "ff-")],
    ["in capitals", traceparent.toUpperCase()],
    ["without a trace", `00-${"0".repeat(32)}-${parentId}-01`],
    ["without a parent", `00-${traceId}-${"0".repeat(16)}-01`],
    ["followed by more", `${traceparent}-what somebody said`],
    ["followed by more without a dash", `${traceparent.replace("00-", "cc-")}0`],
    ["followed by another header", `${traceparent.replace("00-", "cc-")}\r\nAuthorization: Bearer stolen`],
    ["sent twice", `${traceparent}, ${traceparent}`],
    ["too short", traceparent.slice(0, -1)],
  ])("is unknown when the header is %s", (_case, header) => {
    expect(joinTrace(header)).toBeUndefined();
    expect(spanFields(joinTrace(header))).toEqual({});
  });
});
