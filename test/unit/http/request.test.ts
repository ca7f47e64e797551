import { describe, expect, it } from "vitest";
import { toHttpEvent } from "../../../shared/http/request.ts";
import { lambdaEvent } from "../../support/lambda-event.ts";

describe("the headers of a request", () => {
  it("have names in lower case, and all values of those that were sent several times", () => {
    const { headers } = toHttpEvent(
      lambdaEvent({
        path: "/health",
        headers: { "X-Request-Id": "1" },
        repeatedHeaders: {
          Accept: ["text/html", "application/json"],
          Authorization: ["Bearer a"],
          authorization: ["Bearer b"],
        },
      }),
    );
    expect(headers).toEqual({
      "x-request-id": "1",
      accept: "text/html, application/json",
      authorization: "Bearer a, Bearer b",
    });
  });

  it("may be in one of the event's two fields only, as in hand-written events", () => {
    const event = lambdaEvent({ path: "/health", headers: { Accept: "text/html" } });
    const without = (field: "headers" | "multiValueHeaders") =>
      toHttpEvent(JSON.parse(JSON.stringify({ ...event, [field]: null }))).headers;
    expect(without("multiValueHeaders")).toEqual({ accept: "text/html" });
    expect(without("headers")).toEqual({});
  });

  it("may have any name", () => {
    const event = lambdaEvent({
      path: "/health",
      headers: JSON.parse('{"__proto__":"a","constructor":"b"}'),
    });
    const { headers } = toHttpEvent(event);
    expect(Object.entries(headers)).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });
});
