import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";

const resourceSchema = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Condition: z.string().optional(),
});

const outputSchema = z.object({
  Value: z.unknown(),
  Export: z.object({ Name: z.unknown() }).optional(),
});

const templateSchema = z.object({
  Resources: z.record(z.string(), resourceSchema).default({}),
  Outputs: z.record(z.string(), outputSchema).default({}),
});

const artifactSchema = z.object({
  type: z.string(),
  properties: z
    .object({
      templateFile: z.string().optional(),
      stackName: z.string().optional(),
      file: z.string().optional(),
    })
    .optional(),
});

const manifestSchema = z.object({ artifacts: z.record(z.string(), artifactSchema).default({}) });

const assetManifestSchema = z.object({
  files: z
    .record(
      z.string(),
      z.object({
        source: z.object({ path: z.string().optional(), packaging: z.string().optional() }),
        destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
      }),
    )
    .default({}),
});

export type Template = z.output<typeof templateSchema>;

export interface Stack {
  /** The CloudFormation name, by which outputs of other stacks are referenced. */
  readonly name: string;
  readonly template: Template;
}

export interface Assembly {
  readonly stacks: readonly Stack[];
  /** Directories that would be zipped and uploaded, by the key of the object in the assets bucket. */
  readonly assetDirectories: ReadonlyMap<string, string>;
}

const readJson = <Output>(schema: z.ZodType<Output>, directory: string, file: string): Output => {
  const path = join(directory, file);
  const parsed = schema.safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (parsed.success) return parsed.data;
  throw new Error(`${path} is not what a CDK synthesis writes: ${z.prettifyError(parsed.error)}`);
};

const readAssetDirectories = (directory: string, file: string): [string, string][] =>
  Object.values(readJson(assetManifestSchema, directory, file).files).flatMap(({ source, destinations }) => {
    const { path, packaging } = source;
    if (path === undefined || packaging !== "zip") return [];
    return Object.values(destinations).map(({ objectKey }): [string, string] => [
      objectKey,
      resolve(directory, path),
    ]);
  });

/**
 * Reads the files that `cdk synth` leaves in its output directory, and only those: the CDK library costs a second and
 * over 100 MB, and the synthesis may have run in another process.
 *
 * @throws Error when the directory holds no stack, or when a file is not of the expected form.
 */
export const readCloudAssembly = (directory: string): Assembly => {
  const stacks: Stack[] = [];
  const assetDirectories = new Map<string, string>();
  for (const [id, { type, properties }] of Object.entries(
    readJson(manifestSchema, directory, "manifest.json").artifacts,
  )) {
    if (type === "aws:cloudformation:stack" && properties?.templateFile !== undefined) {
      const template = readJson(templateSchema, directory, properties.templateFile);
      stacks.push({ name: properties.stackName ?? id, template });
    }
    if (type === "cdk:asset-manifest" && properties?.file !== undefined) {
      for (const [key, path] of readAssetDirectories(directory, properties.file))
        assetDirectories.set(key, path);
    }
  }
  if (stacks.length === 0) throw new Error(`The cloud assembly in ${directory} holds no stack.`);
  return { stacks, assetDirectories };
};
