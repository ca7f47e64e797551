import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import * as z from "zod";
import { withoutUncreated } from "./adapt-template.ts";
import { callAddress, callJson, callQuery, putObject } from "./moto-calls.ts";
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

// moto requires an integration's method and address, also where nothing is called.
const method = z
  .looseObject({ "x-amazon-apigateway-integration": z.looseObject({ type: z.string() }) })
  .transform(({ "x-amazon-apigateway-integration": integration, ...others }) => ({
    ...others,
    "x-amazon-apigateway-integration": { httpMethod: "POST", uri: "", ...integration },
  }));
const definition = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), method)) });
const restApi = z.object({ Properties: z.object({ Body: definition }) });
const importedResources = z.object({
  item: z.array(
    z.object({ path: z.string(), resourceMethods: z.record(z.string(), z.unknown()).default({}) }),
  ),
});

/**
 * Imports the API's definition, which moto refuses unless it is valid OpenAPI, and deploys it.
 *
 * @throws Error when a path or a method of the definition is missing afterwards.
 */
const importDefinition = async (endpoint: string, id: string, resource: unknown): Promise<void> => {
  const { Body } = restApi.parse(resource).Properties;
  const address = `/restapis/${id}`;
  const call = callAddress.bind(undefined, endpoint, "apigateway");
  await call("PUT", `${address}?mode=overwrite&failonwarnings=true`, Body);
  const { item } = importedResources.parse(await call("GET", `${address}/resources?embed=methods&limit=500`));
  const methodsOf = (methods: object) => Object.keys(methods).map((method) => method.toUpperCase());
  const imported = new Map(item.map(({ path, resourceMethods }) => [path, methodsOf(resourceMethods)]));
  const missing = Object.entries(Body.paths).flatMap(([path, methods]) =>
    methodsOf(methods)
      .filter((method) => !imported.get(path)?.includes(method))
      .map((method) => `${method} ${path}`),
  );
  if (missing.length > 0) throw new Error(`The imported API lacks ${missing.join(", ")}.`);
  await call("POST", `${address}/deployments`, { stageName: "verify" });
};

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
  const members = between(await call("DescribeStackResources"), "member");
  const idOf = (member: string, kind: string): string => between(member, `${kind}ResourceId`)[0] ?? "";
  const created = new Map(members.map((member) => [idOf(member, "Logical"), idOf(member, "Physical")]));
  const missing = Object.keys(adapted.Resources).filter((id) => !created.has(id));
  if (missing.length > 0) throw new Error(`${name} lacks ${missing.join(", ")}.`);
  for (const [id, resource] of Object.entries(template.Resources)) {
    if (resource.Type !== "AWS::ApiGateway::RestApi") continue;
    await importDefinition(endpoint, created.get(id) ?? "", resource);
  }
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
