import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { Stage } from "../../infra/stages.ts";
import { synthesize } from "../../infra/synthesize.ts";
import {
  everyOption,
  exampleStage,
  synthesizeService,
  withTemporaryDirectory,
  writeStandInBundles,
} from "./synthesized-service.ts";

const report = z.object({
  diagnostics: z.array(
    z.object({
      severity: z.string(),
      ruleId: z.string(),
      message: z.string(),
      entity: z.object({ logicalId: z.string().optional() }).optional(),
    }),
  ),
});

/** As much of AWS's package as is used here; CDK brings it along and exports nothing of it. */
interface Engine {
  validateTemplate(template: object): unknown;
  free(): void;
}
const isFunction = (value: unknown) => typeof value === "function";
const validatePackage = z.object({
  CompositeEngine: z.custom<new () => Engine>(isFunction),
  TemplateFile: z.custom<new (path: string) => object>(isFunction),
  TemplateContent: z.custom<new (text: string) => object>(isFunction),
});
const requireOfCdk = createRequire(createRequire(import.meta.url).resolve("aws-cdk-lib"));
const { CompositeEngine, TemplateFile, TemplateContent } = validatePackage.parse(
  requireOfCdk("@aws/cloudformation-validate"),
);

/** What is reported and stays, with the reason. */
const explained: Readonly<Record<string, string>> = {
  W3005:
    "CDK names the role of a function in DependsOn although a reference does the same; it changes nothing.",
  W9002: "A certificate is made outside of the stacks, so its ARN is a setting.",
  W9013: "The same ARN: certificates may belong to another account than the stage.",
};

let engine: Engine;
beforeAll(() => {
  engine = new CompositeEngine();
});
afterAll(() => engine.free());

/** What could keep a deployment from succeeding or is likely a mistake; advice on style is left out. */
const findingsIn = (template: object): string[] =>
  report
    .parse(engine.validateTemplate(template))
    .diagnostics.filter(({ severity }) => ["FATAL", "ERROR", "WARN"].includes(severity))
    .map(({ ruleId, message, entity }) => `${ruleId} ${entity?.logicalId ?? "template"}: ${message}`);

const findingsOf = (stage: Stage): Promise<Map<string, string[]>> =>
  withTemporaryDirectory(async (directory) => {
    const bundles = await writeStandInBundles(join(directory, "bundles"));
    const assembly = await synthesize({ stage, bundles, outdir: join(directory, "assembly") });
    const files = (await readdir(assembly.directory)).filter((file) => file.endsWith(".template.json"));
    return new Map(
      files.map((file) => [file, findingsIn(new TemplateFile(join(assembly.directory, file)))] as const),
    );
  });

describe("AWS's own check of templates", { timeout: 60_000 }, () => {
  it.each([
    ["dev", {}, 4],
    ["prod", {}, 4],
    ["dev", everyOption, 6],
    ["prod", everyOption, 6],
  ])("finds nothing in the stage %s with %o that is not explained", async (name, variables, stacks) => {
    const findings = await findingsOf(exampleStage(name, variables));
    expect(findings.size).toBe(stacks);
    const unexplained = [...findings.values()]
      .flat()
      .filter((finding) => !(finding.slice(0, finding.indexOf(" ")) in explained));
    expect(unexplained).toEqual([]);
  });

  it("still reports everything that is explained, so that no explanation outlives its finding", async () => {
    const findings = [...(await findingsOf(exampleStage("prod", everyOption))).values()].flat();
    expect(new Set(findings.map((finding) => finding.slice(0, finding.indexOf(" "))))).toEqual(
      new Set(Object.keys(explained)),
    );
  });

  it.each(["dev", "prod"])(
    "would let through a description of an output that is no plain text, which CloudFormation refuses: %s has none",
    async (name) => {
      const { withFunctions, data } = await synthesizeService(exampleStage(name, everyOption));
      const outputs = [...Object.values(withFunctions.Outputs), ...Object.values(data.Outputs)];
      expect(outputs.length).toBeGreaterThan(8);
      expect(outputs.filter(({ Description }) => !/^(?:undefined|string)$/.test(typeof Description))).toEqual(
        [],
      );
    },
  );

  it("objects to a property that no resource has, so it is really run", () => {
    const template = { Resources: { Queue: { Type: "AWS::SQS::Queue", Properties: { Fifo: true } } } };
    expect(findingsIn(new TemplateContent(JSON.stringify(template)))).toEqual([
      expect.stringContaining("Fifo"),
    ]);
  });
});
