import { describe, expect, it } from "vitest";
import { readAudit } from "../../../infra/commands/read-audit.ts";

const counts = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };

describe("the audit of dependencies", () => {
  it("names the packages with known vulnerabilities", () => {
    const printed = JSON.stringify({
      auditReportVersion: 2,
      vulnerabilities: { jose: { name: "jose", severity: "high", range: "<6.0.0" } },
      metadata: { vulnerabilities: { ...counts, high: 1 } },
    });
    expect(readAudit(printed)).toEqual({ kind: "vulnerable", packages: ["jose <6.0.0: high"] });
  });

  it("says when there are none", () => {
    const printed = JSON.stringify({ vulnerabilities: {}, metadata: { vulnerabilities: counts } });
    expect(readAudit(printed)).toEqual({ kind: "clean" });
  });

  it("does not take a registry without advisories for good news", () => {
    const printed = JSON.stringify({ message: "405 Method Not Allowed", method: "POST" });
    expect(readAudit(printed)).toEqual({ kind: "not_offered", reason: "405 Method Not Allowed" });
  });

  it("fails when it cannot tell", () => {
    expect(() => readAudit("")).toThrow();
    expect(() => readAudit("{}")).toThrow();
  });
});
