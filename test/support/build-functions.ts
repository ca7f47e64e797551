import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildFunctions } from "../../infra/build.ts";

/**
 * Bundles the functions unless this was done for this run: `BUILT_FUNCTIONS` names the folder of the bundles, which every service
 * that a test starts uses. They are removed when this process ends.
 */
export const setup = async (): Promise<void> => {
  if (process.env["BUILT_FUNCTIONS"]) return;
  const outdir = await mkdtemp(join(tmpdir(), "language-ai-built-"));
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  process.env["BUILT_FUNCTIONS"] = (await buildFunctions({ outdir })).directory;
};

// `node test/support/build-functions.ts <folder>` bundles for several runs, and prints what `BUILT_FUNCTIONS` should be.
if (import.meta.main) {
  const [outdir] = process.argv.slice(2);
  if (!outdir) throw new Error("Name the build directory.");
  process.stdout.write((await buildFunctions({ outdir })).directory);
}
