import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareFindings, type Part, runParts, ToolMissing } from "../verify/run-parts.ts";
import lastRelease from "../verify/upgrade/last-release.json" with { type: "json" };

const run = async (...parts: readonly Part[]) => {
  const lines: string[] = [];
  const summary = await runParts(parts, (line) => lines.push(line));
  return { lines, summary };
};

const passing: Part = { name: "one tool", run: async () => ({ kind: "passed", said: "2 templates" }) };

describe("a second opinion", () => {
  it("without findings has passed, and says what it checked", async () => {
    const { lines, summary } = await run(passing);
    expect(lines).toEqual(["passed    one tool (0 s): 2 templates"]);
    expect(summary).toEqual({ passed: 1, failed: 0, leftOut: 0 });
  });

  it("with findings has failed with each of them, in capital letters, and the next one runs", async () => {
    const { lines, summary } = await run(
      { name: "another", run: async () => ({ kind: "failed", findings: ["a hole", "a gap"] }) },
      passing,
    );
    expect(lines).toEqual([
      "FAILED    another (0 s): a hole",
      "          a gap",
      "passed    one tool (0 s): 2 templates",
    ]);
    expect(summary).toEqual({ passed: 1, failed: 1, leftOut: 0 });
  });

  it("whose tool is missing is left out and says why, which is no failure", async () => {
    const withoutTool = async () => {
      throw new ToolMissing("there is no Java on this machine");
    };
    const { lines, summary } = await run({ name: "a third", run: withoutTool });
    expect(lines).toEqual(["left out  a third (0 s): there is no Java on this machine"]);
    expect(summary).toEqual({ passed: 0, failed: 0, leftOut: 1 });
  });

  it("that breaks has failed, regardless of its result", async () => {
    const { lines, summary } = await run({
      name: "a third",
      run: () => Promise.reject(new Error("no port")),
    });
    expect(lines).toEqual(["FAILED    a third (0 s): It could not be completed: no port"]);
    expect(summary).toEqual({ passed: 0, failed: 1, leftOut: 0 });
  });
});

describe("findings that are explained", () => {
  it("pass when they are all that there is", () => {
    expect(compareFindings(["W1", "W1"], { W1: "on purpose" }, "W1 twice")).toEqual({
      kind: "passed",
      said: "W1 twice",
    });
  });

  it("fail when there is another one, and when one of them is gone", () => {
    expect(compareFindings(["W2"], { W1: "on purpose" }, "")).toEqual({
      kind: "failed",
      findings: ["new: W2", "no longer reported, so its explanation can go: W1"],
    });
  });
});

it("Upgrades start from the release below the newest heading of the list of changes", () => {
  const changes = readFileSync(join(import.meta.dirname, "../../CHANGELOG.md"), "utf8");
  const [, released] = Array.from(changes.matchAll(/^## (\S+)$/gm), ([, version]) => version);
  expect(lastRelease.version).toBe(released);
});
