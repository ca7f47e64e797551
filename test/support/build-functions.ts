import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildFunctions } from "../../infra/build.ts";

/**
 * Bundles the functions once; every service that a test starts uses these bundles. Each run builds them again, so no
 * test uses old ones.
 */
export const setup = async (): Promise<() => Promise<void>> => {
  const outdir = await mkdtemp(join(tmpdir(), "language-ai-built-"));
  process.env["BUILT_FUNCTIONS"] = (await buildFunctions({ outdir })).directory;
  return () => rm(outdir, { recursive: true, force: true });
};
