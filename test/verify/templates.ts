import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { synthesize } from "../../infra/synthesize.ts";
import {
  everyOption,
  exampleStage,
  withTemporaryDirectory,
  writeStandInBundles,
} from "../infra/synthesized-service.ts";

const resource = z.looseObject({ Type: z.string() });
const template = z.looseObject({ Resources: z.record(z.string(), resource) });
const assets = z.object({
  files: z.record(
    z.string(),
    z.object({
      destinations: z.record(z.string(), z.object({ bucketName: z.string(), objectKey: z.string() })),
    }),
  ),
});

/** A template as it is deployed, with everything that CloudFormation reads. */
export type WholeTemplate = z.infer<typeof template>;

/** A stack as it would be deployed. */
export interface StackTemplate {
  readonly name: string;
  readonly file: string;
  readonly template: WholeTemplate;
  /** Where its code is expected: bucket and key. */
  readonly assets: readonly { readonly bucketName: string; readonly objectKey: string }[];
}

/** A stage's stacks, in the order in which they are deployed. */
export interface StageTemplates {
  readonly stage: string;
  readonly stacks: readonly StackTemplate[];
}

/** What the templates are synthesised from. */
export const templateSources: readonly string[] = [
  "infra/constructs",
  "infra/stacks",
  "infra/service.ts",
  "infra/stage-settings.ts",
  "functions/manifest.ts",
  "cdk.json",
];

const suffix = ".template.json";

const readStack = async (folder: string, file: string): Promise<StackTemplate> => {
  const name = file.slice(0, -suffix.length);
  const read = async (path: string): Promise<unknown> =>
    JSON.parse(await readFile(join(folder, path), "utf8"));
  const { files } = assets.parse(await read(`${name}.assets.json`));
  return {
    name,
    file: join(folder, file),
    template: template.parse(await read(file)),
    assets: Object.values(files).flatMap(({ destinations }) => Object.values(destinations)),
  };
};

/** Each takes from those before it. */
const order = ["Data", "Api", "Workers", "Monitoring", "Edge", "Budget"];
const rank = (file: string): number => order.findIndex((name) => file.includes(`-${name}.`));

/** Writes the templates of dev, of prod, and of prod with everything that a stage can have, for as long as they are used. */
export const withTemplates = <Result>(use: (stages: readonly StageTemplates[]) => Promise<Result>) =>
  withTemporaryDirectory(async (directory) => {
    const bundles = await writeStandInBundles(join(directory, "bundles"));
    const stages: StageTemplates[] = [];
    for (const [stage, name, variables] of [
      ["dev", "dev", {}],
      ["prod", "prod", {}],
      ["prod with every option", "prod", everyOption],
    ] as const) {
      const outdir = join(directory, stage.replaceAll(" ", "-"));
      await synthesize({ stage: exampleStage(name, variables), bundles, outdir });
      const files = (await readdir(outdir)).filter((file) => file.endsWith(suffix));
      files.sort((one, other) => rank(one) - rank(other));
      stages.push({ stage, stacks: await Promise.all(files.map((file) => readStack(outdir, file))) });
    }
    return use(stages);
  });
