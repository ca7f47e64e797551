import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import * as z from "zod";
import { withoutUncreated } from "./adapt-template.ts";
import { callJson, callQuery, putObject } from "./moto-calls.ts";
import type { StackTemplate, StageTemplates } from "./templates.ts";

const secretProperties = z.object({
  SecretString: z.string().optional(),
  GenerateSecretString: z.object({ PasswordLength: z.int().default(32) }).optional(),
});

const makeSecret = async (endpoint: string, Name: string, properties: unknown): Promise<string> => {
  const { SecretString, GenerateSecretString } = secretProperties.parse(properties);
  const length = GenerateSecretString?.PasswordLength ?? 0;
  const response = await callJson(endpoint, "secretsmanager", "secretsmanager.CreateSecret", {
    Name,
    SecretString: SecretString ?? randomBytes(length).toString("hex").slice(0, length),
  });
  return z.object({ ARN: z.string() }).parse(response).ARN;
};

/** A stack in moto. */
export interface DeployedStack {
  readonly name: string;
  /** How many resources it has there. */
  readonly created: number;
  readonly outputs: ReadonlyMap<string, string>;
}

const between = (text: string, tag: string): string[] =>
  [...text.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, "gs"))].map(([, inside = ""]) => inside);

const deployStack = async (endpoint: string, stack: StackTemplate): Promise<DeployedStack> => {
  const { name, template } = stack;
  const secretArns = new Map<string, string>();
  for (const [id, resource] of Object.entries(template.Resources)) {
    if (resource.Type === "AWS::SecretsManager::Secret") {
      secretArns.set(id, await makeSecret(endpoint, `${name}-${id}`, resource["Properties"]));
    }
  }
  const adapted = withoutUncreated(name, template, secretArns);
  for (const { bucketName, objectKey } of stack.assets) {
    await putObject(endpoint, bucketName, objectKey, gzipSync("code"));
  }
  // More than 51,200 bytes go through a bucket.
  await putObject(endpoint, "templates", name, JSON.stringify(adapted));
  const call = (action: string) =>
    callQuery(endpoint, "cloudformation", action, {
      StackName: name,
      Version: "2010-05-15",
      ...(action === "CreateStack"
        ? {
            TemplateURL: `https://s3.amazonaws.com/templates/${name}`,
            "Capabilities.member.1": "CAPABILITY_IAM",
          }
        : {}),
    });
  await call("CreateStack");
  const description = await call("DescribeStacks");
  const [status] = between(description, "StackStatus");
  if (status !== "CREATE_COMPLETE") throw new Error(`${name} became ${status}.`);
  const created = new Set(between(await call("DescribeStackResources"), "LogicalResourceId"));
  const missing = Object.keys(adapted.Resources).filter((id) => !created.has(id));
  if (missing.length > 0) throw new Error(`${name} lacks ${missing.join(", ")}.`);
  const keys = between(description, "OutputKey");
  const values = between(description, "OutputValue");
  return {
    name,
    created: created.size,
    outputs: new Map(keys.map((key, index) => [key, values[index] ?? ""])),
  };
};

/** Moto makes nothing of what watches the others: alarms, counts of logs and a dashboard, named by `Fn::GetStackOutput`. */
const isCreated = ({ name }: StackTemplate): boolean => !name.endsWith("-Monitoring");

/**
 * Deploys a stage as `cdk deploy` would into a bootstrapped account.
 *
 * @throws Error when a stack does not come to its end, or lacks a resource that moto makes.
 */
export const deployStage = async (endpoint: string, { stacks }: StageTemplates): Promise<DeployedStack[]> => {
  await callJson(endpoint, "ssm", "AmazonSSM.PutParameter", {
    Name: "/cdk-bootstrap/hnb659fds/version",
    Value: "28",
    Type: "String",
    Overwrite: true,
  });
  const buckets = new Set([
    "templates",
    ...stacks.flatMap(({ assets }) => assets.map(({ bucketName }) => bucketName)),
  ]);
  for (const bucket of buckets) await putObject(endpoint, bucket);
  const deployed: DeployedStack[] = [];
  // A stack imports from those before.
  for (const stack of stacks.filter(isCreated)) deployed.push(await deployStack(endpoint, stack));
  return deployed;
};

/** What the templates have and moto does not make, and what it makes although it is listed as not made. */
export const motoGaps = (stages: readonly StageTemplates[], makes: readonly string[]): string[] => {
  const known = new Set(makes);
  const used = new Set(
    stages.flatMap(({ stacks }) =>
      stacks
        .filter(isCreated)
        .flatMap(({ template }) => Object.values(template.Resources).map(({ Type }) => Type)),
    ),
  );
  return [...used].filter((type) => !known.has(type)).sort();
};
