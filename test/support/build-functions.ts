import { rmSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuildResult, buildFunctions } from "../../infra/build.ts";

/**
 * What the services that tests start share, unless a process around this one has set it: bundles (`BUILT_FUNCTIONS` names their
 * folder), templates (`BUILT_TEMPLATES`) and compiled code (`NODE_COMPILE_CACHE`). It is removed when this process ends.
 */
export const setup = async (): Promise<void> => {
  const outdir = await mkdtemp(join(tmpdir(), "language-ai-built-"));
  process.once("exit", () => rmSync(outdir, { recursive: true, force: true }));
  process.env["BUILT_TEMPLATES"] ??= join(outdir, "templates");
  process.env["NODE_COMPILE_CACHE"] ??= join(outdir, "compiled");
  process.env["BUILT_FUNCTIONS"] ||= (await buildFunctions({ outdir })).directory;
};

/** What this run has built, when it has; else a build of its own. */
export const builtService = async (outdir: string): Promise<BuildResult> => {
  const { BUILT_FUNCTIONS: directory } = process.env;
  if (!directory) return buildFunctions({ outdir });
  return { directory, metafile: JSON.parse(await readFile(join(directory, "../metafile.json"), "utf8")) };
};

// `node test/support/build-functions.ts <folder>` bundles for several runs, and prints what `BUILT_FUNCTIONS` should be.
if (import.meta.main) {
  const [outdir] = process.argv.slice(2);
  if (!outdir) throw new Error("Name the build directory.");
  process.stdout.write((await buildFunctions({ outdir })).directory);
}
