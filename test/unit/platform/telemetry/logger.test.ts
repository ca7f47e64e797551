import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import { inRequestScope, openRequestScope } from "../../../../shared/platform/telemetry/request-scope.ts";

beforeEach(() => {
  vi.stubEnv("LOG_LEVEL", undefined);
  vi.stubEnv("_X_AMZN_TRACE_ID", undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** What work writes to the log. */
const linesOf = (work: () => void): unknown[] => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  work();
  const text = write.mock.calls.map(([chunk]) => String(chunk)).join("");
  write.mockRestore();
  return text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => JSON.parse(line));
};

describe("A line of the log", () => {
  const scope = { ...openRequestScope(1_000), requestId: "the-request" };

  it.each(["info", "warn", "error"] as const)(
    "is JSON with its level, its time and the id of the request it is about, at level %s",
    (level) => {
      const [line, ...others] = linesOf(() =>
        inRequestScope(scope, () => logger[level]("voice.not_made", { code: 1, left_out: undefined })),
      );
      expect(line).toEqual({
        level: level.toUpperCase(),
        message: "voice.not_made",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        service: "language-ai-service",
        request_id: "the-request",
        code: 1,
      });
      expect(others).toEqual([]);
    },
  );

  it("is about none outside of requests", () => {
    expect(linesOf(() => logger.warn("circuit.opened", { seconds: 10 }))).toEqual([
      expect.not.objectContaining({ request_id: expect.anything() }),
    ]);
  });

  it("is one line, for any value of a field", () => {
    expect(linesOf(() => logger.info("model.failed", { code: "a\nb" }))).toMatchObject([{ code: "a\nb" }]);
  });

  it("names the trace of its invocation", () => {
    vi.stubEnv(
      "_X_AMZN_TRACE_ID",
      "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1",
    );
    expect(linesOf(() => logger.info("model.failed"))).toMatchObject([
      { xray_trace_id: "1-5759e988-bd862e3fe1be46a994272793" },
    ]);
  });

  it.each([
    ["DEBUG", ["INFO", "WARN", "ERROR"]],
    ["INFO", ["INFO", "WARN", "ERROR"]],
    ["WARN", ["WARN", "ERROR"]],
    ["ERROR", ["ERROR"]],
    ["SILENT", []],
    ["LOUD", ["INFO", "WARN", "ERROR"]],
  ])("is written from the level %s on, where that is the least", (min, written) => {
    vi.stubEnv("LOG_LEVEL", min);
    const lines = linesOf(() => {
      logger.info("model.failed");
      logger.warn("model.failed");
      logger.error("model.failed");
    });
    expect(lines).toEqual(written.map((level) => expect.objectContaining({ level })));
  });
});

describe("the scope of a request", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("can be opened when its time has already ended, with nothing left of it", () => {
    const { endsAt } = openRequestScope(-5);
    expect(endsAt).toBeLessThanOrEqual(performance.now());
  });

  it("ends at its deadline, as a timeout", () => {
    const { deadline } = openRequestScope(100);
    vi.advanceTimersByTime(99);
    expect(deadline.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.reason).toMatchObject({ name: "TimeoutError" });
  });

  it("leaves no timer when its work ends", () => {
    const { deadline, close } = openRequestScope(100);
    close();
    expect(vi.getTimerCount()).toBe(0);
    expect(deadline.aborted).toBe(false);
  });
});
