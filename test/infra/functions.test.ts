import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { mailFunction } from "../../functions/mail/contract.ts";
import { functionDefinitions } from "../../functions/manifest.ts";
import { translateFunction } from "../../functions/translate/contract.ts";
import { localStage } from "../../infra/stages.ts";
import {
  lambdasByName,
  resourcesOfType,
  type SynthesizedService,
  synthesizeService,
} from "./synthesized-service.ts";

const statement = z.object({
  Effect: z.string(),
  Action: z.union([z.string(), z.array(z.string())]).transform((actions) => [actions].flat()),
  Resource: z.unknown(),
});
const policy = z.object({
  Roles: z.array(z.object({ Ref: z.string() })),
  PolicyDocument: z.object({ Statement: z.array(statement) }),
});
const lambdaProperties = z.object({
  Role: z.object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) }),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});

let service: SynthesizedService;
const propertiesOf = (name: string, from = service) => lambdasByName(from).get(name)?.resource.Properties;
const variablesOf = (name: string, from = service) =>
  lambdaProperties.parse(propertiesOf(name, from)).Environment.Variables;
const statementsOf = (name: string) => {
  const [role] = lambdaProperties.parse(propertiesOf(name)).Role["Fn::GetAtt"];
  return [...resourcesOfType(service.api, "AWS::IAM::Policy").values()]
    .map(({ Properties }) => policy.parse(Properties))
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
};
const actionsOf = (name: string, prefix: string) =>
  statementsOf(name)
    .flatMap(({ Action }) => Action)
    .filter((action) => action.startsWith(prefix));

beforeAll(async () => {
  service = await synthesizeService();
}, 30_000);

describe("The deployed functions", { timeout: 30_000 }, () => {
  it("are those of the manifest", () => {
    expect([...lambdasByName(service).keys()].sort()).toEqual(
      functionDefinitions.map(({ name }) => name).sort(),
    );
  });

  it.each(functionDefinitions)("run $name as it is declared", (definition) => {
    expect(propertiesOf(definition.name)).toMatchObject({
      Description: definition.description,
      MemorySize: definition.memoryMegabytes,
      Timeout: definition.timeoutSeconds,
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      LoggingConfig: { LogFormat: "JSON" },
    });
  });

  it.each(functionDefinitions)(
    "give $name the variables it declares and no other",
    ({ name, environment }) => {
      expect(Object.keys(variablesOf(name)).sort()).toEqual(
        [...Object.keys(environment.shape), "NODE_OPTIONS"].sort(),
      );
    },
  );

  it("pass on the settings of the stage in the form that the functions expect", async () => {
    const stage = localStage({
      PORT: "3210",
      CHAT_BASE_URL: "http://127.0.0.1:8000/v1",
      CHAT_MODEL_9B: "nine",
      TRANSLATION_TIMEOUT_MS: "1500",
    });
    const local = await synthesizeService(stage);
    expect(
      mailFunction.environment.parse({ ...variablesOf("mail", local), TABLE_NAME: "table" }),
    ).toMatchObject({
      PUBLIC_BASE_URL: "http://127.0.0.1:3210",
    });
    const variables = { ...variablesOf("translate", local), INFERENCE_KEYS_SECRET_ID: "keys" };
    expect(translateFunction.environment.parse(variables)).toMatchObject({
      TRANSLATION_BASE_URL: "http://127.0.0.1:8000/v1",
      TRANSLATION_MODEL: "nine",
      TRANSLATION_TIMEOUT_MS: 1500,
    });
  });
});

describe("A function's permissions", () => {
  it.each(functionDefinitions)("name actions and resources one by one for $name", ({ name }) => {
    const wide = statementsOf(name).filter(
      ({ Action, Resource }) => Resource === "*" || Action.some((action) => action.includes("*")),
    );
    // Traces are the exception: X-Ray knows no resources to limit them to.
    expect(wide.flatMap(({ Action }) => Action)).toEqual([
      "xray:PutTelemetryRecords",
      "xray:PutTraceSegments",
    ]);
  });

  it.each(functionDefinitions)("let $name write to its own log only", ({ name }) => {
    const logGroups = statementsOf(name)
      .filter(({ Action }) => Action.includes("logs:PutLogEvents"))
      .map(({ Resource }) => JSON.stringify(Resource));
    expect(logGroups).toHaveLength(1);
    expect(logGroups[0]?.toLowerCase()).toContain(`functions${name}logs`);
  });

  it("let the authorizer read accounts and tokens, and change nothing", () => {
    expect(actionsOf("authorizer", "dynamodb:")).toEqual([
      "dynamodb:BatchGetItem",
      "dynamodb:GetItem",
      "dynamodb:Query",
    ]);
    expect(actionsOf("authorizer", "sqs:")).toEqual([]);
  });

  it("keep accounts, tokens and their signing key out of the translation's reach", () => {
    expect(actionsOf("translate", "dynamodb:")).toEqual([]);
    const secrets = statementsOf("translate").filter(({ Action }) =>
      Action.includes("secretsmanager:GetSecretValue"),
    );
    expect(secrets).toHaveLength(1);
    expect(JSON.stringify(secrets[0]?.Resource)).toContain("InferenceKeys");
  });

  it("allow no function to scan the table", () => {
    for (const { name } of functionDefinitions)
      expect(actionsOf(name, "dynamodb:")).not.toContain("dynamodb:Scan");
  });

  it("let the accounts' function ask for mails but not read those of others", () => {
    expect(actionsOf("auth", "sqs:")).toEqual(["sqs:SendMessage"]);
  });

  it("let mails be sent in the sender's name only, and by the mail function only", () => {
    const senders = functionDefinitions.filter(({ name }) => actionsOf(name, "ses:").length > 0);
    expect(senders.map(({ name }) => name)).toEqual(["mail"]);
    const [sending] = [...resourcesOfType(service.api, "AWS::IAM::Policy").values()]
      .map(({ Properties }) => JSON.stringify(Properties))
      .filter((text) => text.includes("ses:SendEmail"));
    expect(sending).toContain('"Condition":{"StringEquals":{"ses:FromAddress":"no-reply@example.com"}}');
    expect(sending).toContain(":identity/example.com");
    expect(sending).not.toContain(":identity/*");
  });
});

describe("The mail queue", () => {
  it("feeds the mail function, which reports the mails that failed one by one", () => {
    const mappings = [...resourcesOfType(service.api, "AWS::Lambda::EventSourceMapping").values()];
    expect(mappings).toHaveLength(1);
    expect(mappings[0]?.Properties).toMatchObject({
      FunctionName: { Ref: lambdasByName(service).get("mail")?.logicalId },
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    });
  });
});
