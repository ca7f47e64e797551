import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { commandOf, type RunElsewhere, scriptRuns, scripts } from "../support/script-runs.ts";

const run = promisify(execFile);

/** Programs of this repository that scripts run; other programs have a help of their own. */
const programs = [
  ...new Set(
    Object.values(scripts).flatMap((command) =>
      [...command.matchAll(/node (\S+\.ts)/g)].map(([, file = ""]) => file),
    ),
  ),
];

const elsewhere = Object.entries(scriptRuns).filter(
  (entry): entry is [string, RunElsewhere] => "ranBy" in entry[1],
);

describe("the scripts of package.json", () => {
  it.for(programs)(
    "%s prints its usage for --help and does nothing else",
    { timeout: 60_000 },
    async (file) => {
      const { stdout, stderr } = await run(process.execPath, [file, "--help"], { timeout: 30_000 });
      expect(stdout).toMatch(/npm (?:run|start)|node test/);
      expect(stderr).toBe("");
    },
  );

  it("are all run by CI, or say why not", () => {
    const run = new Set(Object.keys(scriptRuns).map((name) => name.split(" -- ")[0]));
    expect([...run].toSorted()).toEqual(Object.keys(scripts).toSorted());
  });

  it.each(elsewhere)("%s is run where the table says", (_name, { ranBy, as }) => {
    expect(existsSync(ranBy) ? readFileSync(ranBy, "utf8") : commandOf(ranBy)).toContain(as);
  });
});
