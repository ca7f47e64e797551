/**
 * Bundles the functions and synthesises the local stage. Runs as a process of its own, because the CDK takes 200 MB
 * that the service does not need afterwards.
 *
 * Usage: node prepare-assembly.ts <build directory> <assembly directory>
 */
import { buildFunctions } from "../../build.ts";
import { localStage } from "../../stages.ts";

const [outdir, assembly] = process.argv.slice(2);
if (!outdir || !assembly) throw new Error("Name the build directory and the assembly directory.");

const [{ directory: bundles }, { synthesize }] = await Promise.all([
  buildFunctions({ outdir }),
  import("../../synthesize.ts"),
]);
await synthesize({ stage: localStage(process.env), outdir: assembly, bundles });
