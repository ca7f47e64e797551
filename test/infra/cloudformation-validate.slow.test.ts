import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Stage, Variables } from "../../infra/stages.ts";
import { synthesize } from "../../infra/synthesize.ts";
import {
  everyOption,
  exampleStage,
  synthesizeService,
  withTemporaryDirectory,
  writeStandInBundles,
} from "./synthesized-service.ts";
import {
  createTemplateValidator,
  explained,
  type TemplateValidator,
  unexplained,
} from "./template-validator.ts";

let validator: TemplateValidator;
beforeAll(() => {
  validator = createTemplateValidator();
});
afterAll(() => validator.free());

const validate = (stage: Stage): Promise<Map<string, string[]>> =>
  withTemporaryDirectory(async (directory) => {
    const bundles = await writeStandInBundles(join(directory, "bundles"));
    const assembly = await synthesize({ stage, bundles, outdir: join(directory, "assembly") });
    const files = (await readdir(assembly.directory)).filter((file) => file.endsWith(".template.json"));
    const findings = files.map(
      async (file) =>
        [file, validator.findingsIn(await readFile(join(assembly.directory, file), "utf8"))] as const,
    );
    return new Map(await Promise.all(findings));
  });

const found = new Map<string, ReturnType<typeof validate>>();

const findingsOf = (name: string, variables: Variables): ReturnType<typeof validate> => {
  const key = JSON.stringify([name, variables]);
  const findings = found.get(key) ?? validate(exampleStage(name, variables));
  found.set(key, findings);
  return findings;
};

describe("AWS's own check of templates", () => {
  it.each([
    ["dev", {}, 4],
    ["prod", {}, 4],
    ["dev", everyOption, 6],
    ["prod", everyOption, 6],
  ])("finds nothing in the stage %s with %o that is not explained", async (name, variables, stacks) => {
    const findings = await findingsOf(name, variables);
    expect(findings.size).toBe(stacks);
    expect(unexplained([...findings.values()].flat())).toEqual([]);
  });

  it("still reports everything that is explained, so that no explanation outlives its finding", async () => {
    const findings = [...(await findingsOf("prod", everyOption)).values()].flat();
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
    expect(validator.findingsIn(JSON.stringify(template))).toEqual([expect.stringContaining("Fifo")]);
  });
});
