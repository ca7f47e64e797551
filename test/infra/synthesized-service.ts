import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as z from "zod";
import { builtFunctions } from "../../functions/manifest.ts";

import { deployedStage, type Stage, type Variables } from "../../infra/stages.ts";
import { synthesize } from "../../infra/synthesize.ts";

const template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.record(z.string(), z.unknown()).default({}),
      DependsOn: z.array(z.string()).default([]),
      DeletionPolicy: z.string().optional(),
      UpdateReplacePolicy: z.string().optional(),
      UpdatePolicy: z
        .object({ CodeDeployLambdaAliasUpdate: z.object({ BeforeAllowTrafficHook: z.unknown() }) })
        .optional(),
    }),
  ),
  Outputs: z
    .record(z.string(), z.object({ Value: z.unknown(), Description: z.unknown().optional() }))
    .default({}),
});

/** A stack's template, as far as tests look at it. */
export type Template = z.infer<typeof template>;
export type Resource = Template["Resources"][string];

const assets = z.object({
  files: z.record(z.string(), z.object({ source: z.object({ path: z.string() }) })),
});

/** The service's templates, and the name of the function's bundle by the key under which its code is deployed. */
export interface SynthesizedService {
  readonly data: Template;
  readonly api: Template;
  readonly workers: Template;
  readonly monitoring: Template;
  /** Only in a stage with a budget. */
  readonly budget: Template | undefined;
  /** The two stacks with functions as one: a function's checks hold in both. */
  readonly withFunctions: Template;
  readonly bundleNames: ReadonlyMap<string, string>;
}

/** Makes a folder with a bundle for each function that is only there to be deployed. @returns the folder. */
export const writeStandInBundles = async (directory: string): Promise<string> => {
  for (const { name } of builtFunctions) {
    await mkdir(join(directory, name), { recursive: true });
    await writeFile(join(directory, name, "index.mjs"), `// ${name}`);
  }
  return directory;
};

/** Runs something with a folder of its own, which is gone afterwards. */
export const withTemporaryDirectory = async <Result>(
  use: (directory: string) => Promise<Result>,
): Promise<Result> => {
  const directory = await mkdtemp(join(tmpdir(), "language-ai-"));
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
};

/** The tests' own files of stages, so that an operator's settings in `infra/stages` change no test. */
export const testStages = join(import.meta.dirname, "../fixtures/stages");

/** A deployed stage with what it cannot do without, and the variables that a test is about. */
export const exampleStage = (name: string, variables: Variables = {}): Stage =>
  deployedStage(
    name,
    {
      CHAT_BASE_URL: "https://models.example.com/v1",
      MAIL_FROM: "Language AI Service <no-reply@example.com>",
      ...variables,
    },
    testStages,
  );

/** Everything that a stage can have and need not have. */
export const everyOption: Variables = {
  ALARM_EMAIL: "operator@example.com",
  MONTHLY_BUDGET_USD: "250",
  API_DOMAIN_NAME: "api.example.org",
  API_CERTIFICATE_ARN: "arn:aws:acm:us-east-1:111122223333:certificate/1",
  API_BASE_PATH: "/languages",
  API_DEFAULT_ADDRESS: "off",
  STREAM_DOMAIN_NAME: "stream.example.org",
  STREAM_CERTIFICATE_ARN: "arn:aws:acm:us-east-1:111122223333:certificate/2",
  STREAM_FIREWALL_ARN: "arn:aws:wafv2:us-east-1:111122223333:global/webacl/streams/1",
  FIREWALL: "on",
  MAIL_IDENTITY: "create",
  RELEASE_SHIFT: "gradual",
  RESERVED_CONCURRENCY: "chat=300,speech=100",
};

const synthesizeStage = (stage: Stage): Promise<SynthesizedService> =>
  withTemporaryDirectory(async (directory) => {
    const bundles = await writeStandInBundles(join(directory, "bundles"));
    const assembly = await synthesize({ stage, bundles, outdir: join(directory, "assembly") });
    const read = async (file: string): Promise<unknown> =>
      JSON.parse(await readFile(join(assembly.directory, file), "utf8"));
    const stack = async (name: string): Promise<Template> =>
      template.parse(await read(`${stage.prefix}-${name}.template.json`));
    const [api, workers] = [await stack("Api"), await stack("Workers")];
    const manifests = await Promise.all(
      ["Api", "Workers"].map((name) => read(`${stage.prefix}-${name}.assets.json`)),
    );
    return {
      data: await stack("Data"),
      api,
      workers,
      monitoring: await stack("Monitoring"),
      budget: stage.settings.MONTHLY_BUDGET_USD > 0 ? await stack("Budget") : undefined,
      withFunctions: {
        Resources: { ...api.Resources, ...workers.Resources },
        Outputs: { ...api.Outputs, ...workers.Outputs },
      },
      bundleNames: new Map(
        manifests
          .flatMap((manifest) => Object.entries(assets.parse(manifest).files))
          .map(([key, { source }]) => [`${key}.zip`, basename(source.path)]),
      ),
    };
  });

const synthesized = new Map<string, Promise<SynthesizedService>>();

/** The service as it would be deployed, with stand-ins for the bundles; synthesised once for each stage. */
export const synthesizeService = (stage: Stage = exampleStage("prod")): Promise<SynthesizedService> => {
  const key = JSON.stringify(stage);
  const service = synthesized.get(key) ?? synthesizeStage(stage);
  synthesized.set(key, service);
  return service;
};

/** The resources of a type, by logical id. */
export const resourcesOfType = ({ Resources }: Template, type: string): ReadonlyMap<string, Resource> =>
  new Map(Object.entries(Resources).filter(([, resource]) => resource.Type === type));

const lambdaCode = z.object({ Code: z.object({ S3Key: z.string() }) });

const aliasTarget = z.object({ Name: z.string(), FunctionName: z.object({ Ref: z.string() }) });

/** The Lambda functions by the name of their bundle, which is the feature's, with the alias that calls go to. */
export const lambdasByName = ({
  withFunctions,
  bundleNames,
}: SynthesizedService): ReadonlyMap<
  string,
  { readonly logicalId: string; readonly resource: Resource; readonly aliasId: string | undefined }
> => {
  const aliasIds = new Map(
    [...resourcesOfType(withFunctions, "AWS::Lambda::Alias")].map(([aliasId, { Properties }]) => [
      aliasTarget.parse(Properties).FunctionName.Ref,
      aliasId,
    ]),
  );
  return new Map(
    [...resourcesOfType(withFunctions, "AWS::Lambda::Function")].map(([logicalId, resource]) => {
      const { S3Key } = lambdaCode.parse(resource.Properties).Code;
      return [bundleNames.get(S3Key) ?? S3Key, { logicalId, resource, aliasId: aliasIds.get(logicalId) }];
    }),
  );
};
