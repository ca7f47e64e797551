/** `npm run package -- prod`: writes the release of a stage for CloudFormation and Terraform, without the CDK. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { buildFunctions } from "../build.ts";
import { projectDirectory } from "../bundling/bundle-options.ts";
import { runCommandLine, UsageError } from "../command-line.ts";
import { synthesizePackage } from "../packaging/synthesize-package.ts";
import { packageNameOf, writePackage } from "../packaging/write-package.ts";
import { deployedStage } from "../stages.ts";

const usage = `Usage: npm run package -- <stage> [--output <folder>]

Writes language-ai-service-<version>-<stage>.zip into the folder (.build): the stage's templates and functions, which CloudFormation
and Terraform's aws_cloudformation_stack take without the CDK. infra/handbook/terraform.md says how. It deploys nothing and needs no
account. The stage's settings are in the templates, as in a deployment.`;

const packageFile = z.object({ version: z.string() });

await runCommandLine(usage, async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { output: { type: "string", default: join(projectDirectory, ".build") } },
  });
  const [name] = positionals;
  if (!name || positionals.length > 1) throw new UsageError("Name one stage, such as prod.");
  const stage = deployedStage(name, process.env);
  const { version } = packageFile.parse(
    JSON.parse(await readFile(join(projectDirectory, "package.json"), "utf8")),
  );
  const { directory: bundles } = await buildFunctions({ catalogue: stage.catalogue });
  const folder = await mkdtemp(join(tmpdir(), "language-ai-package-"));
  try {
    const assembly = await synthesizePackage({ stage, bundles, outdir: folder });
    const archive = await writePackage(assembly, { version, stage: name });
    const path = join(values.output, `${packageNameOf({ version, stage: name })}.zip`);
    await mkdir(values.output, { recursive: true });
    await writeFile(path, archive);
    process.stdout.write(`${path}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
