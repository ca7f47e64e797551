import { describe, expect, it } from "vitest";
import { readAudit } from "../../../infra/commands/audit.ts";
import { productionPackages } from "../../../infra/commands/production-packages.ts";

const production = new Set(["node_modules/jose"]);
const counts = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };

describe("the audit of dependencies", () => {
  it("names the packages with known vulnerabilities", () => {
    const printed = JSON.stringify({
      auditReportVersion: 2,
      vulnerabilities: {
        jose: { name: "jose", severity: "high", range: "<6.0.0", nodes: ["node_modules/jose"] },
      },
      metadata: { vulnerabilities: { ...counts, high: 1 } },
    });
    expect(readAudit(printed, production)).toEqual({ kind: "vulnerable", packages: ["jose <6.0.0: high"] });
  });

  it("says when there are none", () => {
    const printed = JSON.stringify({ vulnerabilities: {}, metadata: { vulnerabilities: counts } });
    expect(readAudit(printed, production)).toEqual({ kind: "clean" });
  });

  it("passes over what only a workspace of tools needs", () => {
    const printed = JSON.stringify({
      vulnerabilities: { franc: { severity: "high", range: "*", nodes: ["node_modules/franc"] } },
      metadata: { vulnerabilities: { ...counts, high: 1 } },
    });
    expect(readAudit(printed, production)).toEqual({ kind: "clean" });
  });

  it("does not take a registry without advisories for good news", () => {
    const printed = JSON.stringify({ message: "405 Method Not Allowed", method: "POST" });
    expect(readAudit(printed, production)).toEqual({ kind: "not_offered", reason: "405 Method Not Allowed" });
  });

  it("fails when it cannot tell", () => {
    expect(() => readAudit("", production)).toThrow();
    expect(() => readAudit("{}", production)).toThrow();
  });
});

describe("the packages that the functions are bundled from", () => {
  const lock = {
    packages: {
      "": { dependencies: { one: "1.0.0" }, devDependencies: { tool: "1.0.0" } },
      "infra/packages/copyleft-tools": { dependencies: { copyleft: "1.0.0" } },
      "node_modules/copyleft-tools": { link: true },
      "node_modules/copyleft": {},
      "node_modules/one": {
        dependencies: { two: "2.0.0", platform: "1.0.0" },
        peerDependencies: { peer: "1" },
      },
      "node_modules/one/node_modules/two": { dependencies: { one: "1.0.0", three: "1.0.0" } },
      "node_modules/peer": {},
      "node_modules/platform": { optional: true },
      "node_modules/three": {},
      "node_modules/tool": { dev: true },
      "node_modules/two": {},
    },
  };

  it("are what the project's own dependencies reach, and nothing that only a workspace or a tool needs", () => {
    expect([...productionPackages(lock)]).toEqual([
      "node_modules/one",
      "node_modules/one/node_modules/two",
      "node_modules/three",
      "node_modules/peer",
    ]);
  });
});
