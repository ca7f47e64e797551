import { Logger } from "@aws-lambda-powertools/logger";
import { afterEach, describe, expect, it, vi } from "vitest";
import { logger } from "../../../shared/telemetry/logger.ts";
import { inRequestScope, openRequestScope } from "../../../shared/telemetry/request-scope.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("A line of the log", () => {
  const scope = { ...openRequestScope(1_000), requestId: "the-request" };

  it.each(["info", "warn", "error"] as const)(
    "has the id of the request it is about, at level %s",
    (level) => {
      const write = vi.spyOn(Logger.prototype, level).mockReturnValue();
      inRequestScope(scope, () => logger[level]("voice.not_made", { code: 1 }));
      expect(write).toHaveBeenCalledWith("voice.not_made", { request_id: "the-request", code: 1 });
    },
  );

  it("is about none outside of requests", () => {
    const write = vi.spyOn(Logger.prototype, "warn").mockReturnValue();
    logger.warn("circuit.opened", { seconds: 10 });
    expect(write).toHaveBeenCalledWith("circuit.opened", { seconds: 10 });
  });
});

describe("the scope of a request whose time is over already", () => {
  it("can be opened, with nothing left of it", () => {
    const { endsAt } = openRequestScope(-5);
    expect(endsAt).toBeLessThanOrEqual(performance.now());
  });
});
