import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { synthesizePackage } from "../../infra/packaging/synthesize-package.ts";
import { writePackage } from "../../infra/packaging/write-package.ts";
import type { Stage } from "../../infra/stages.ts";
import {
  everyOption,
  exampleStage,
  synthesizeService,
  withTemporaryDirectory,
  writeStandInBundles,
} from "./synthesized-service.ts";
import { createTemplateValidator, type TemplateValidator, unexplained } from "./template-validator.ts";

const manifestSchema = z.strictObject({
  version: z.string(),
  stage: z.string(),
  parameters: z.record(z.string(), z.object({ description: z.string(), default: z.string().optional() })),
  stacks: z.array(
    z.strictObject({
      name: z.string(),
      template: z.string(),
      region: z.string().optional(),
      after: z.array(z.string()),
      parameters: z.array(z.string()),
      capabilities: z.array(z.string()),
      terminationProtection: z.boolean(),
    }),
  ),
  files: z.array(z.strictObject({ path: z.string(), key: z.string(), bytes: z.int(), sha256: z.string() })),
});

const templateSchema = z.looseObject({
  Parameters: z.record(z.string(), z.object({ Type: z.string(), Default: z.string().optional() })).optional(),
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).optional() }),
  ),
});

/** The archive of a stage whose functions are stand-ins. */
const packageOf = (stage: Stage): Promise<Uint8Array> =>
  withTemporaryDirectory(async (directory) => {
    const bundles = await writeStandInBundles(join(directory, "bundles"));
    const assembly = await synthesizePackage({ stage, bundles, outdir: join(directory, "assembly") });
    return writePackage(assembly, { version: "1.2.3", stage: stage.name });
  });

/** The files of a package by their paths in its folder. */
const unpack = (archive: Uint8Array, stage = "prod"): ReadonlyMap<string, Uint8Array> => {
  const folder = `language-ai-service-1.2.3-${stage}`;
  return new Map(
    Object.entries(unzipSync(archive)).map(([path, content]) => {
      expect(path.startsWith(`${folder}/`)).toBe(true);
      return [path.slice(folder.length + 1), content];
    }),
  );
};

const textOf = (files: ReadonlyMap<string, Uint8Array>, path: string): string => {
  const content = files.get(path);
  if (!content) throw new Error(`The package has no ${path}.`);
  return strFromU8(content);
};

const manifestOf = (files: ReadonlyMap<string, Uint8Array>) =>
  manifestSchema.parse(JSON.parse(textOf(files, "manifest.json")));

const templatesOf = (files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, string> =>
  new Map(manifestOf(files).stacks.map(({ name, template }) => [name, textOf(files, `upload/${template}`)]));

const packages = [
  ["prod", "prod", {}],
  ["dev with every option", "dev", everyOption],
] as const;
const archives = new Map<string, Uint8Array>();
const files = new Map<string, ReadonlyMap<string, Uint8Array>>();
const filesOf = (name: string): ReadonlyMap<string, Uint8Array> => files.get(name) ?? new Map();

let validator: TemplateValidator;
beforeAll(async () => {
  validator = createTemplateValidator();
  for (const [name, stage, variables] of packages) {
    const archive = await packageOf(exampleStage(stage, variables));
    archives.set(name, archive);
    files.set(name, unpack(archive, stage));
  }
});
afterAll(() => validator.free());

describe.each(packages)("The package of %s", (name, stageName) => {
  it("has templates that AWS's own check accepts", () => {
    const findings = [...templatesOf(filesOf(name)).values()].flatMap((text) => validator.findingsIn(text));
    expect(unexplained(findings)).toEqual([]);
  });

  it("has the archive of each function at the key that its template names", () => {
    const manifest = manifestOf(filesOf(name));
    const keys = new Set(manifest.files.map(({ key }) => key));
    let functions = 0;
    for (const text of templatesOf(filesOf(name)).values()) {
      for (const { Type, Properties } of Object.values(templateSchema.parse(JSON.parse(text)).Resources)) {
        if (Type !== "AWS::Lambda::Function") continue;
        functions++;
        const code = z
          .strictObject({
            S3Bucket: z.strictObject({ "Fn::Sub": z.literal(`\${AssetsBucket}`) }),
            S3Key: z.strictObject({ "Fn::Sub": z.string() }),
          })
          .parse(Properties?.["Code"]);
        const key = code.S3Key["Fn::Sub"];
        expect(keys).toContain(key);
        const archive = filesOf(name).get(key.replace(`\${AssetsPrefix}`, "upload/")) ?? new Uint8Array();
        const [module] = z.string().parse(Properties?.["Handler"]).split(".");
        expect(Object.keys(unzipSync(archive)).join("\n")).toMatch(new RegExp(`^${module}\\.m?js$`, "m"));
      }
    }
    expect(functions).toBeGreaterThan(15);
    for (const { path, key } of manifest.files) {
      expect(key).toBe(path.replace(/^upload\//, `\${AssetsPrefix}`));
    }
  });

  it("expects nothing of the CDK: no bootstrap version, bucket or role", () => {
    for (const text of templatesOf(filesOf(name)).values()) {
      // The tag lets the CDK's own function empty the bucket of a stage that is deleted with its data.
      expect(text.replaceAll("aws-cdk:auto-delete-objects", "")).not.toMatch(
        /cdk|BootstrapVersion|AWS::CDK/i,
      );
      expect(text.length).toBeLessThan(1_000_000);
    }
  });

  it("lists each stack after those whose outputs it reads", () => {
    const { stacks } = manifestOf(filesOf(name));
    const texts = templatesOf(filesOf(name));
    const position = (stack: string) => stacks.findIndex((each) => each.name === stack);
    let references = 0;
    for (const [index, { name: stack, after }] of stacks.entries()) {
      const text = texts.get(stack) ?? "";
      const read = [
        ...[...text.matchAll(/"Fn::ImportValue":"(?<stack>[\w-]+):/g)],
        ...[...text.matchAll(/"Fn::GetStackOutput":\{"StackName":"(?<stack>[\w-]+)"/g)],
      ].flatMap(({ groups }) => groups?.["stack"] ?? []);
      references += read.length;
      for (const other of new Set([...read, ...after])) {
        expect(position(other)).toBeGreaterThanOrEqual(0);
        expect(position(other)).toBeLessThan(index);
        expect(after).toContain(other);
      }
    }
    expect(references).toBeGreaterThan(100);
    expect(stacks[0]?.name).toBe(`LanguageAi-${stageName}-Data`);
  });

  it("names the parameters, capabilities and region of each stack", () => {
    const { stacks, parameters } = manifestOf(filesOf(name));
    for (const { name: stack, parameters: names, capabilities, region } of stacks) {
      const text = templatesOf(filesOf(name)).get(stack) ?? "";
      expect(Object.keys(templateSchema.parse(JSON.parse(text)).Parameters ?? {})).toEqual(names);
      expect(names.every((each) => each in parameters)).toBe(true);
      expect(capabilities.length > 0).toBe(text.includes('"AWS::IAM::'));
      expect(region).toBe(/-(?:Edge|Budget)$/.test(stack) ? "us-east-1" : undefined);
    }
  });

  it("has the checksum of every other file", () => {
    const lines = textOf(filesOf(name), "SHA256SUMS").trimEnd().split("\n");
    const listed = lines.map((line) => line.split("  "));
    expect(listed.map(([, path]) => path).toSorted()).toEqual(
      [...filesOf(name).keys()].filter((path) => path !== "SHA256SUMS").toSorted(),
    );
    for (const [sum, path = ""] of listed) {
      expect(createHash("sha256").update(textOrBytes(name, path)).digest("hex")).toBe(sum);
    }
    expect(textOf(filesOf(name), "README.md")).toContain("aws cloudformation deploy");
  });
});

const textOrBytes = (name: string, path: string): Uint8Array => filesOf(name).get(path) ?? new Uint8Array();

/** The ids of versions of functions contain a hash of their properties, and so of the location of their code. */
const withoutHash = (id: string): string => id.replace(/[0-9a-f]{32}$/, "");

describe("A package", () => {
  it("has the resources and outputs of the deployed templates, and differs only in where the code is", async () => {
    const stage = exampleStage("dev", everyOption);
    const { data, api, workers, monitoring } = await synthesizeService(stage);
    const deployed = { Data: data, Api: api, Workers: workers, Monitoring: monitoring };
    const texts = templatesOf(filesOf("dev with every option"));
    for (const [name, template] of Object.entries(deployed)) {
      const packaged = templateSchema.parse(JSON.parse(texts.get(`LanguageAi-dev-${name}`) ?? ""));
      const resourcesIn = ({ Resources }: z.output<typeof templateSchema>) =>
        Object.entries(Resources).map(([id, { Type }]) => `${Type} ${withoutHash(id)}`);
      expect(resourcesIn(packaged)).toEqual(resourcesIn(template));
      const outputs = z.record(z.string(), z.unknown()).parse(packaged["Outputs"] ?? {});
      expect(Object.keys(outputs)).toEqual(Object.keys(template.Outputs).toSorted());
    }
  });

  it("has the same bytes when it is written again, from another folder", async () => {
    const again = await packageOf(exampleStage("prod"));
    expect(Buffer.from(again).equals(archives.get("prod") ?? Buffer.alloc(0))).toBe(true);
  });

  it("changes the name of a template with its content, so that Terraform notices", async () => {
    const changed = unpack(await packageOf(exampleStage("prod", { TOKEN_LIFETIME_DAYS: "3" })));
    const namesOf = (each: ReadonlyMap<string, Uint8Array>) =>
      manifestOf(each).stacks.map(({ template }) => template);
    const [before, after] = [namesOf(filesOf("prod")), namesOf(changed)];
    expect(after.filter((name) => !before.includes(name))).toEqual([
      expect.stringContaining("LanguageAi-prod-Api."),
    ]);
  });

  it("stays in the bucket with the two before it, as the page's Terraform says, and its files are deleted after the stacks are updated", async () => {
    const page = await readFile("infra/handbook/terraform.md", "utf8");
    const blockOf = (head: string) => page.slice(page.indexOf(`${head} {`)).split("\n}\n")[0] ?? "";
    expect(blockOf('variable "releases"')).toMatch(/default += \["[\d.]+", "[\d.]+", "[\d.]+"\]/);
    const files = blockOf('resource "aws_s3_object" "files"');
    expect(files).toMatch(/lifecycle \{\n +create_before_destroy = true\n/);
    expect(files).toMatch(/for_each += local\.files\n/);
    // The files of every release of the list, not only of the one that is deployed.
    expect(blockOf("locals")).toMatch(/files = merge\(\[\n +for folder in local\.folders : \{/);
  });

  it("is described by one page, whose commands name what it has", async () => {
    const page = await readFile("infra/handbook/terraform.md", "utf8");
    const { stacks, parameters } = manifestOf(filesOf("prod"));
    for (const { name } of stacks) expect(page).toContain(name);
    for (const name of Object.keys(parameters)) expect(page).toContain(name);
  });
});
