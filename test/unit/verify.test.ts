import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parts } from "../verify/parts.ts";
import {
  type Choice,
  chooseParts,
  compareFindings,
  judgePart,
  type Outcome,
  type Part,
  readVerdict,
  runParts,
  ToolMissing,
} from "../verify/run-parts.ts";
import lastRelease from "../verify/upgrade/last-release.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");

/** Without processes and clocks. */
const runHere = async (part: Part): Promise<Outcome> => ({
  verdict: readVerdict(JSON.stringify(await judgePart(part))),
  cpuSeconds: 2.4,
  wallSeconds: 1,
});

const run = async (...parts: readonly Part[]) => {
  const lines: string[] = [];
  const summary = await runParts(parts, runHere, (line) => lines.push(line));
  return { lines, summary };
};

const partOf = (name: string, run: Part["run"]): Part => ({ name, paths: [name], run });
const passing = partOf("one tool", async () => ({ kind: "passed", said: "2 templates" }));
const large: Part = { ...partOf("a large tool", passing.run), isLarge: true };

describe("a second opinion", () => {
  it("without findings has passed, and says what it checked and used", async () => {
    const { lines, summary } = await run(passing);
    expect(lines).toEqual(["passed    one tool (2 s of CPU, 1 s): 2 templates"]);
    expect(summary).toEqual({ passed: 1, failed: 0, "left out": 0 });
  });

  it("with findings has failed with each of them, in capital letters, and the next one runs", async () => {
    const { lines, summary } = await run(
      partOf("another", async () => ({ kind: "failed", findings: ["a hole", "a gap"] })),
      passing,
    );
    expect(lines.toSorted()).toEqual([
      "          a gap",
      "FAILED    another (2 s of CPU, 1 s): a hole",
      "passed    one tool (2 s of CPU, 1 s): 2 templates",
    ]);
    expect(summary).toEqual({ passed: 1, failed: 1, "left out": 0 });
  });

  it("whose tool is missing is left out and says why, which is no failure", async () => {
    const withoutTool = () => Promise.reject(new ToolMissing("there is no Java on this machine"));
    const { lines, summary } = await run(partOf("a third", withoutTool));
    expect(lines).toEqual(["left out  a third (2 s of CPU, 1 s): there is no Java on this machine"]);
    expect(summary).toEqual({ passed: 0, failed: 0, "left out": 1 });
  });

  it("that breaks has failed, regardless of its result", async () => {
    const { lines, summary } = await run(partOf("a third", () => Promise.reject(new Error("no port"))));
    expect(lines).toEqual(["FAILED    a third (2 s of CPU, 1 s): It could not be completed: no port"]);
    expect(summary).toEqual({ passed: 0, failed: 1, "left out": 0 });
  });

  it("whose process ends without a verdict has failed with what it printed", () => {
    expect(readVerdict("Killed\n")).toEqual({
      kind: "failed",
      findings: ["It could not be completed: Killed\n"],
    });
  });
});

describe("the second opinions of a run", () => {
  const namesOf = ({ chosen, leftOut }: Choice) => [
    chosen.map(({ name }) => name),
    leftOut.map(({ name }) => name),
  ];

  it("are all but the large ones, or those that are named", () => {
    expect(namesOf(chooseParts([passing, large], undefined))).toEqual([["one tool"], ["a large tool"]]);
    expect(namesOf(chooseParts([passing, large], "LARGE"))).toEqual([["a large tool"], []]);
  });

  it("are in the gate those of which something changed, and all where that is unknown", () => {
    const other = partOf("another tool", passing.run);
    const choose = (isChanged: boolean | undefined) =>
      chooseParts([passing, other, large], undefined, ([path]) => (path === "one tool" ? isChanged : true));
    expect(namesOf(choose(false))).toEqual([["another tool"], ["one tool", "a large tool"]]);
    expect(namesOf(choose(undefined))).toEqual([["one tool", "another tool"], ["a large tool"]]);
    const nightly: Part = { ...other, isNightly: true };
    expect(namesOf(chooseParts([passing, nightly], undefined, () => true))).toEqual([
      ["one tool"],
      ["another tool"],
    ]);
    expect(namesOf(chooseParts([passing, nightly], undefined))).toEqual([["one tool", "another tool"], []]);
  });

  it("judge paths that exist", () => {
    const missing = parts.flatMap(({ paths }) => paths).filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
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
  const changes = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const [, released] = Array.from(changes.matchAll(/^## (\S+)$/gm), ([, version]) => version);
  expect(lastRelease.version).toBe(released);
});
