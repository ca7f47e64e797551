import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const run = promisify(execFile);

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync("package.json", "utf8")));

/** Programs of this repository that a script runs; those of packages have a help of their own. */
const programs = [
  ...new Set(
    Object.values(scripts).flatMap((command) =>
      [...command.matchAll(/node (\S+\.ts)/g)].map(([, file = ""]) => file),
    ),
  ),
].filter((file) => !file.startsWith("infra/packages/"));

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
});
