import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { commandOf, type RunElsewhere, scriptRuns, scripts } from "../support/script-runs.ts";

const run = promisify(execFile);

/** They run other programs of their folder, by name. */
const dispatchers = ["test/bench/main.ts", "infra/packages/language-id-training/src/main.ts"];

const inScripts = Object.values(scripts).flatMap((command) =>
  [...command.matchAll(/node (\S+\.ts)/g)].map(([, file = ""]) => file),
);

/** Programs of this repository that scripts run. `house` has a help of its own, and bundles are a step of the check. */
const programs = [
  ...new Set(inScripts),
  ...dispatchers.flatMap((file) => readdirSync(dirname(file)).map((name) => join(dirname(file), name))),
]
  .filter(
    (file) =>
      file.endsWith(".ts") && ![...dispatchers, "test/house/main.ts", "test/house/bundles.ts"].includes(file),
  )
  .map((file) => ({ file, text: readFileSync(file, "utf8") }))
  .filter(({ file, text }) => inScripts.includes(file) || text.includes("readOptions("));

const elsewhere = Object.entries(scriptRuns).filter(
  (entry): entry is [string, RunElsewhere] => "ranBy" in entry[1],
);

describe("the scripts of package.json", () => {
  it.each(programs)("$file has a usage that --help prints, before it does anything", ({ text }) => {
    const reads = /^(?!import\b).*\b(?:runCommandLine|readOptions)\(\s*(?:usage\b|`|"Usage)/m.exec(text);
    const firstWork = /^(?:(?:const|let) .*= )?await /m.exec(text);
    expect(reads).not.toBeNull();
    expect(reads?.index).toBeLessThanOrEqual(firstWork?.index ?? text.length);
    expect(text).toMatch(/Usage: npm |node test/);
  });

  it.each(["infra/commands/stage.ts", "test/fuzz/main.ts"])(
    "%s prints its usage for --help and does nothing else",
    { timeout: 60_000 },
    async (file) => {
      const { stdout, stderr } = await run(process.execPath, [file, "--help"], { timeout: 30_000 });
      expect(stdout).toMatch(/^Usage: npm run /);
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
