import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import lastRelease from "../verify/upgrade/last-release.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");

/** The folders in `test/` with tests, and so the projects of vitest. */
export const testFolders = [
  "unit",
  "architecture",
  "infra",
  "integration",
  "conformance",
  "browser",
] as const;

/** The packages in `infra/packages`, which are projects, too. */
export const packages: readonly string[] = readdirSync(join(root, "infra/packages"));

/** Whether paths differ from the last release; `undefined` when the history does not have it, as in a shallow clone. */
export const differFromRelease = (paths: readonly string[]): boolean | undefined => {
  const { status } = spawnSync("git", ["diff", "--quiet", lastRelease.commit, "--", ...paths], { cwd: root });
  return status === 0 || status === 1 ? status === 1 : undefined;
};
