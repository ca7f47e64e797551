import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { App, Stack, Validations } from "aws-cdk-lib";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { addServiceStacks } from "../../infra/service.ts";
import { readCdkContext } from "../../infra/synthesize.ts";
import {
  everyOption,
  exampleStage,
  withTemporaryDirectory,
  writeStandInBundles,
} from "./synthesized-service.ts";

const report = z.object({
  pluginReports: z.array(
    z.object({
      violations: z.array(
        z.object({
          ruleName: z.string(),
          violatingConstructs: z.array(z.object({ constructPath: z.string() })),
        }),
      ),
    }),
  ),
});

/** What the checks object to in an app. */
const findingsOf = (fill: (app: App, bundles: string) => void): Promise<string[]> =>
  withTemporaryDirectory(async (directory) => {
    const bundles = await writeStandInBundles(join(directory, "bundles"));
    const outdir = join(directory, "assembly");
    const app = new App({ outdir, analyticsReporting: false, context: await readCdkContext() });
    fill(app, bundles);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
    try {
      app.synth();
    } catch (error) {
      // The report is written anyway, and says more.
      if (!(error instanceof Error && error.name === "ValidationFailed")) throw error;
    }
    const text = await readFile(join(outdir, "validation-report.json"), "utf8");
    return report
      .parse(JSON.parse(text))
      .pluginReports.flatMap(({ violations }) => violations)
      .flatMap(({ ruleName, violatingConstructs }) =>
        violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
      );
  });

describe("The security checks (cdk-nag: AwsSolutions, Serverless)", () => {
  it.each(["dev", "prod"])("find nothing in the stage %s that is not explained", async (name) => {
    const stage = exampleStage(name, everyOption);
    expect(await findingsOf((app, bundles) => addServiceStacks(app, { stage, bundles }))).toEqual([]);
  });

  it("do object to a bucket without access logs, so they are really run", async () => {
    const findings = await findingsOf((app) => new Bucket(new Stack(app, "Canary"), "Bucket"));
    expect(findings).toContainEqual(expect.stringMatching(/AwsSolutions-S1 Canary\/Bucket/));
  });

  it("do object to a function without memory settings, so the serverless ones are run too", async () => {
    const { CfnFunction } = await import("aws-cdk-lib/aws-lambda");
    const findings = await findingsOf(
      (app) => new CfnFunction(new Stack(app, "Canary"), "Function", { code: {}, role: "role" }),
    );
    expect(findings).toContainEqual(
      expect.stringMatching(/Serverless-LambdaDefaultMemorySize Canary\/Function/),
    );
  });
});
