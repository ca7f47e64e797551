import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { DISABLE_ASSET_STAGING_CONTEXT } from "aws-cdk-lib/cx-api";
import * as z from "zod";
import { projectDirectory } from "./bundling/bundle-options.ts";
import { addServiceStacks, type ServiceProps } from "./service.ts";
import { localStage } from "./stages.ts";

const cdkSettings = z.object({ context: z.record(z.string(), z.unknown()) });

/**
 * The context that the CDK command passes to the app: feature flags that change the templates.
 *
 * @throws Error when `cdk.json` cannot be read.
 */
export const readCdkContext = async (): Promise<Record<string, unknown>> => {
  const text = await readFile(join(projectDirectory, "cdk.json"), "utf8");
  return cdkSettings.parse(JSON.parse(text)).context;
};

/**
 * Writes the service's CloudFormation templates without the CDK command, an AWS account or a network.
 *
 * Code assets are not copied: the asset manifests name the folders of the bundles.
 *
 * @param props.outdir the folder for the cloud assembly
 * @param props.bundles the folder of the bundled functions
 */
export const synthesize = async ({
  outdir,
  ...service
}: ServiceProps & { readonly outdir: string }): Promise<{ directory: string }> => {
  // CDK reads this switch from the environment only. Its check of the templates takes seconds; `cdk synth` runs it.
  process.env["CDK_VALIDATION"] = "false";
  const app = new App({
    outdir,
    analyticsReporting: false,
    treeMetadata: false,
    stackTraces: false,
    context: { ...(await readCdkContext()), [DISABLE_ASSET_STAGING_CONTEXT]: true },
  });
  addServiceStacks(app, { env: { account: "000000000000", region: "us-east-1" }, ...service });
  return { directory: app.synth().directory };
};

// `node infra/synthesize.ts <outdir>`: the local stage, with the variables of the environment.
if (import.meta.main) {
  const [outdir] = process.argv.slice(2);
  if (!outdir) throw new Error("Name the folder for the templates.");
  await synthesize({ stage: localStage(process.env), outdir });
}
