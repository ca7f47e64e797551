import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { readCdkContext } from "../../infra/synthesize.ts";
import {
  everyOption,
  exampleStage,
  resourcesOfType,
  synthesizeService,
  withTemporaryDirectory,
} from "./synthesized-service.ts";

const run = promisify(execFile);

describe("Synthesis", () => {
  it.each(["dev", "prod"])("makes the stacks of %s without an account or a network", async (name) => {
    const { api, data } = await synthesizeService(exampleStage(name));
    expect(Object.keys(api.Outputs)).toContain("ApiUrl");
    expect(Object.keys(data.Outputs)).toEqual(
      expect.arrayContaining([
        "TableName",
        "AudioBucketName",
        "MailQueueUrl",
        "MailDeadLetterQueueUrl",
        "SecondFactorKeyArn",
        "TokenSigningKeyArn",
        "InferenceKeysArn",
        "IdentityProvidersSecretArn",
      ]),
    );
  });

  it("leaves physical names to CloudFormation, so that stages can share an account", async () => {
    const { api, data } = await synthesizeService();
    const names = ["TableName", "BucketName", "QueueName", "FunctionName", "SecretName", "RoleName"];
    const named = [...Object.values(api.Resources), ...Object.values(data.Resources)].filter(
      ({ Properties }) => names.some((property) => typeof Properties[property] === "string"),
    );
    expect(named).toEqual([]);
  });

  it("lets the stacks with functions hold on to the data they use, and the one that watches hold on to nothing", async () => {
    const { api, workers, monitoring } = await synthesizeService();
    for (const template of [api, workers]) {
      expect(JSON.stringify(template)).toContain('"Fn::ImportValue"');
      expect(JSON.stringify(template)).not.toContain("Fn::GetStackOutput");
    }
    expect(JSON.stringify(monitoring)).toContain('"Fn::GetStackOutput"');
    expect(JSON.stringify(monitoring)).not.toContain("Fn::ImportValue");
  });

  // CloudFormation takes 500 resources in a stack, and 1 MB of template. What comes near is split before it is needed.
  it.each([
    ["data", 60],
    ["api", 250],
    ["workers", 120],
    ["monitoring", 200],
  ] as const)("leaves room in the stack of %s with every option: at most %i resources", async (name, max) => {
    const template = (await synthesizeService(exampleStage("prod", everyOption)))[name];
    const count = Object.keys(template.Resources).length;
    expect(count).toBeGreaterThan(10);
    expect(count).toBeLessThanOrEqual(max);
    expect(JSON.stringify(template).length).toBeLessThan(800_000);
  });

  it.each([
    ["dev", "dev", {}],
    ["prod", "prod", {}],
    ["prod with every option", "prod", everyOption],
  ])(
    "leaves nothing behind after a failed operation in %s, so that it can be repeated",
    async (_, name, options) => {
      const service = await synthesizeService(exampleStage(name, options));
      const { data, api, workers, monitoring, budget } = service;
      const policies = [data, api, workers, monitoring, ...(budget ? [budget] : [])].flatMap(
        ({ Resources }) => Object.values(Resources).flatMap(({ DeletionPolicy }) => DeletionPolicy ?? []),
      );
      expect(policies).not.toContain("Retain");
      // At least the version of each function, which a release may go back to.
      const functions = resourcesOfType(service.withFunctions, "AWS::Lambda::Version").size;
      expect(functions).toBeGreaterThan(20);
      expect(policies.filter((policy) => policy === "RetainExceptOnCreate").length).toBeGreaterThanOrEqual(
        functions,
      );
    },
  );

  it("uses every feature flag that CDK recommends", async () => {
    const flags: unknown = createRequire(import.meta.url)("aws-cdk-lib/recommended-feature-flags.json");
    expect(await readCdkContext()).toMatchObject(z.record(z.string(), z.unknown()).parse(flags));
  });
});

describe("The command for the local service", () => {
  const command = join(projectDirectory, "infra/synthesize.ts");

  it("says what it needs when it is called without it", async () => {
    await expect(run(process.execPath, [command], { env: {} })).rejects.toThrow(
      "Name the folder for the templates.",
    );
    await withTemporaryDirectory(async (outdir) => {
      await expect(run(process.execPath, [command, outdir], { env: {} })).rejects.toThrow(
        "has no CHAT_BASE_URL, the address of the chat models",
      );
    });
  });
});
