import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { judge } from "../suites/bounds.ts";
import { runMeasured } from "../suites/measured.ts";
import { testFolders } from "../suites/projects.ts";

const second = { cpuSeconds: 1, wallSeconds: 1 };
const bounds = {
  quick: { cpuSeconds: 9, wallSeconds: 19, raised: [{ for: "a feature, since then", ...second }] },
};

describe("a suite", () => {
  it("within its bounds says what it used, and what was added to them counts", () => {
    expect(judge("quick", { cpuSeconds: 9.6, wallSeconds: 29 }, bounds)).toEqual({
      lines: ["quick: 10 s of CPU (at most 10), took 29 s (20 s on two quiet cores)"],
      isBeyond: false,
    });
  });

  it("that uses more CPU than it may has failed; one that takes too long is only warned of", () => {
    const { lines, isBeyond } = judge("quick", { cpuSeconds: 11, wallSeconds: 31 }, bounds);
    expect(lines.slice(1)).toEqual([
      "FAILED: quick uses more CPU than .ci/suites.json allows.",
      "Warning: quick took more than 1.5 times as long as it should.",
    ]);
    expect(isBeyond).toBe(true);
  });

  it("without bounds only says what it used", () => {
    const used = { cpuSeconds: undefined, wallSeconds: 2 };
    expect(judge("other", used, bounds)).toEqual({
      lines: ["other: CPU not measured, because there is no Perl, took 2 s"],
      isBeyond: false,
    });
  });

  it("runs every folder that has tests", () => {
    const folders = readdirSync(join(import.meta.dirname, ".."), { withFileTypes: true, recursive: true })
      .filter(({ name }) => name.endsWith(".test.ts"))
      .map(({ parentPath }) => parentPath.split("/test/").at(-1)?.split("/")[0]);
    expect([...new Set(folders)].toSorted()).toEqual([...testFolders, "smoke"].toSorted());
  });
});

it("Processes whose parent was killed count as well", async () => {
  const burn = "const start = process.cpuUsage(); while (process.cpuUsage(start).user < 500_000);";
  const leave = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(burn)}], { detached: true });
    process.kill(process.pid, "SIGKILL");`;
  const { code, cpuSeconds } = await runMeasured(["-e", leave], { output: "pipe" });
  expect(code).toBe(137);
  expect(cpuSeconds).toBeGreaterThan(0.5);
});
