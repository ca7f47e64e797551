import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CloudAssembly, CloudFormationStackArtifact } from "aws-cdk-lib/cx-api";
import * as z from "zod";
import { compareText } from "../../shared/platform/compare-text.ts";
import { projectDirectory } from "../bundling/bundle-options.ts";
import { assetParameters, assetsFolder } from "./synthesize-package.ts";
import { zipFiles } from "./zip-files.ts";

type Files = Map<string, Uint8Array>;

/** The folder of everything that has to be in the bucket. */
const uploadFolder = "upload";

const template = z.looseObject({
  Outputs: z.record(z.string(), z.unknown()).default({}),
  Parameters: z.record(z.string(), z.unknown()).default({}),
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
});

const assetManifest = z.object({
  files: z.record(
    z.string(),
    z.object({ source: z.object({ path: z.string(), packaging: z.enum(["zip", "file"]) }) }),
  ),
});

const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

const readJson = async <Content>(path: string, schema: z.ZodType<Content>): Promise<Content> =>
  schema.parse(JSON.parse(await readFile(path, "utf8")));

/** The archive of a function's bundle. */
const zipBundle = async (folder: string): Promise<Uint8Array> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const contents = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), await readFile(path)] as const;
    });
  return zipFiles(new Map(await Promise.all(contents)));
};

/** The functions' archives of a stack, by their names in the package. */
const readAssets = async (directory: string, stack: CloudFormationStackArtifact): Promise<Files> => {
  const { files } = await readJson(join(directory, `${stack.id}.assets.json`), assetManifest);
  const archives = Object.entries(files)
    .filter(([, { source }]) => source.packaging === "zip")
    .map(async ([hash, { source }]) => {
      const archive = await zipBundle(resolve(directory, source.path));
      return [`${uploadFolder}/${assetsFolder}/${hash}.zip`, archive] as const;
    });
  return new Map(await Promise.all(archives));
};

/** What CloudFormation requires to be confirmed. */
const capabilitiesOf = ({ Resources }: z.output<typeof template>): string[] => {
  const roles = Object.values(Resources).filter(({ Type }) => Type.startsWith("AWS::IAM::"));
  if (roles.length === 0) return [];
  const isNamed = roles.some(({ Properties }) =>
    Object.keys(Properties).some((name) => /^(?:Role|Policy|ManagedPolicy|User|Group)Name$/.test(name)),
  );
  return [isNamed ? "CAPABILITY_NAMED_IAM" : "CAPABILITY_IAM"];
};

/** A stack, as the manifest lists it. */
export interface PackagedStack {
  /** Templates refer to each other's stacks by their names, so it cannot be another one. */
  readonly name: string;
  /** The template's path below `upload`. Its name contains a hash of its content. */
  readonly template: string;
  /** `undefined` for the region of the stage. */
  readonly region: string | undefined;
  /** The stacks that must be complete first. */
  readonly after: readonly string[];
  readonly parameters: readonly string[];
  readonly capabilities: readonly string[];
  readonly terminationProtection: boolean;
}

const readStack = async (
  directory: string,
  stack: CloudFormationStackArtifact,
): Promise<{ readonly entry: PackagedStack; readonly files: Files }> => {
  const content = await readJson(join(directory, stack.templateFile), template);
  // CDK writes what other stacks import in no fixed order, and the hash must not change with it.
  const outputs = Object.entries(content.Outputs).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const sorted = outputs.length === 0 ? undefined : Object.fromEntries(outputs);
  const bytes = Buffer.from(JSON.stringify({ ...content, Outputs: sorted }));
  const path = `templates/${stack.stackName}.${hashOf(bytes).slice(0, 12)}.json`;
  const { region } = stack.environment;
  const dependencies = stack.dependencies.filter((each) => each.id !== stack.id);
  return {
    entry: {
      name: stack.stackName,
      template: path,
      region: region === "unknown-region" ? undefined : region,
      after: dependencies.map(({ id }) => id).filter((id) => !id.endsWith(".assets")),
      parameters: Object.keys(content.Parameters),
      capabilities: capabilitiesOf(content),
      terminationProtection: stack.terminationProtection ?? false,
    },
    files: new Map([[`${uploadFolder}/${path}`, bytes], ...(await readAssets(directory, stack))]),
  };
};

/** The stacks in an order in which each comes after those that it needs; those of another region last, because none needs them. */
const inOrder = (stacks: readonly PackagedStack[]): PackagedStack[] => {
  const done = new Set<string>();
  const ordered: PackagedStack[] = [];
  while (ordered.length < stacks.length) {
    const ready = stacks.filter(
      ({ name, after }) => !done.has(name) && after.every((other) => done.has(other)),
    );
    const next = ready.find(({ region }) => region === undefined) ?? ready[0];
    if (!next) throw new Error("The stacks need each other.");
    done.add(next.name);
    ordered.push(next);
  }
  return ordered;
};

/** Which release a package is. */
export interface PackageName {
  readonly version: string;
  readonly stage: string;
}

export const packageNameOf = ({ version, stage }: PackageName): string =>
  `language-ai-service-${version}-${stage}`;

/** The lines that `sha256sum --check` reads. */
const checksums = (files: Files): Uint8Array =>
  Buffer.from(
    [...files]
      .toSorted(([one], [other]) => compareText(one, other))
      .map(([name, content]) => `${hashOf(content)}  ${name}\n`)
      .join(""),
  );

/**
 * Returns the release of a stage for people without the CDK, as a ZIP file: templates, the functions' archives, a manifest, checksums,
 * and the page that explains them. The same assembly has the same bytes.
 *
 * @param assembly from `synthesizePackage`
 */
export const writePackage = async (assembly: CloudAssembly, name: PackageName): Promise<Uint8Array> => {
  const stacks = await Promise.all(assembly.stacks.map((stack) => readStack(assembly.directory, stack)));
  const files: Files = new Map(stacks.flatMap((stack) => [...stack.files]));
  const manifest = {
    ...name,
    parameters: assetParameters,
    stacks: inOrder(stacks.map(({ entry }) => entry)),
    files: [...files]
      .map(([path, content]) => ({
        path,
        key: `\${AssetsPrefix}${path.slice(uploadFolder.length + 1)}`,
        bytes: content.length,
        sha256: hashOf(content),
      }))
      .toSorted((one, other) => compareText(one.path, other.path)),
  };
  files.set("manifest.json", Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`));
  files.set("README.md", await readFile(join(projectDirectory, "infra/handbook/terraform.md")));
  files.set("LICENSE", await readFile(join(projectDirectory, "LICENSE")));
  files.set("SHA256SUMS", checksums(files));
  const folder = packageNameOf(name);
  return zipFiles(new Map([...files].map(([path, content]) => [`${folder}/${path}`, content])), 0);
};
