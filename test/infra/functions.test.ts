import { compilePolicy, decide } from "@language-ai/aws-stand-ins";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { authorizerFunction } from "../../functions/authorizer/contract.ts";
import { mailFunction } from "../../functions/mail/contract.ts";
import { builtFunctions, functionDefinitions } from "../../functions/manifest.ts";
import { translateFunction } from "../../functions/translate/definition.ts";
import { pascalCase } from "../../infra/stacks/function-group.ts";
import { localStage } from "../../infra/stages.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import { readVariables } from "../../shared/platform/config/variables.ts";
import {
  exampleStage,
  lambdasByName,
  resourcesOfType,
  type SynthesizedService,
  synthesizeService,
} from "./synthesized-service.ts";

const statement = z.object({
  Effect: z.string(),
  Action: z.union([z.string(), z.array(z.string())]).transform((actions) => [actions].flat()),
  Resource: z.unknown(),
  Condition: z.unknown().optional(),
});
const role = z.object({
  Policies: z.array(z.object({ PolicyDocument: z.object({ Statement: z.array(statement) }) })),
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
  const [roleId] = lambdaProperties.parse(propertiesOf(name)).Role["Fn::GetAtt"];
  const { Policies } = role.parse(service.withFunctions.Resources[roleId]?.Properties);
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
};
/** A role must contain all its statements: `statementsOf` does not read attached policies. */
const policiesBesideRoles = () => resourcesOfType(service.withFunctions, "AWS::IAM::Policy").size;
const actionsOf = (name: string, prefix: string) =>
  statementsOf(name)
    .filter(({ Effect }) => Effect === "Allow")
    .flatMap(({ Action }) => Action)
    .filter((action) => action.startsWith(prefix));

const keysCondition = z.object({
  "ForAllValues:StringLike": z.object({ "dynamodb:LeadingKeys": z.array(z.string()) }),
  Null: z.object({ "dynamodb:LeadingKeys": z.literal("false") }),
});
const prefixCondition = z.object({ StringLike: z.object({ "s3:prefix": z.array(z.string()) }) });

/** The values of a condition, or the folders of the bucket, that limit a statement. */
const limitsOf = (action: string, { Condition, Resource }: z.output<typeof statement>): string[] => {
  if (action.startsWith("dynamodb:")) {
    return keysCondition.parse(Condition)["ForAllValues:StringLike"]["dynamodb:LeadingKeys"];
  }
  if (action === "s3:ListBucket") return prefixCondition.parse(Condition).StringLike["s3:prefix"];
  return JSON.stringify(Resource).match(/(?<="\/)[\w/]+\/\*(?=")/g) ?? [];
};

/** Whether a function may not do something with the keys of a prefix alone, although it may together with others. */
const isDenied = (name: string, action: string, limit: string): boolean =>
  statementsOf(name).some(
    (each) =>
      each.Effect === "Deny" && each.Action.includes(action) && limitsOf(action, each).includes(limit),
  );

/** What a function may do with the table and the bucket: "DeleteItem ACCESS#* USER#*", and so on. */
const storesOf = (name: string): string[] => {
  const parts = statementsOf(name)
    .filter(({ Effect }) => Effect === "Allow")
    .flatMap((each) =>
      each.Action.map((action) => ({
        action,
        limits: limitsOf(action, each).filter((limit) => !isDenied(name, action, limit)),
      })),
    )
    .filter(({ action }) => /^(?:dynamodb|s3):/.test(action));
  return [...Map.groupBy(parts, ({ action }) => action.replace(/^\w+:/, ""))]
    .map(([action, each]) => [action, ...each.flatMap(({ limits }) => limits).toSorted()].join(" "))
    .toSorted();
};

beforeAll(async () => {
  service = await synthesizeService();
});

describe("The deployed functions", () => {
  it("are those of the manifest", () => {
    expect([...lambdasByName(service).keys()].sort()).toEqual(builtFunctions.map(({ name }) => name).sort());
  });

  it("are in the API's stack where routes lead to them or they guard it, else in the workers' stack", () => {
    const workers = new Set(resourcesOfType(service.workers, "AWS::Lambda::Function").keys());
    const withoutPeers = [...lambdasByName(service)].filter(
      ([name, { logicalId }]) => workers.has(logicalId) && name !== "release-check",
    );
    expect(withoutPeers.map(([name]) => name).sort()).toEqual(
      functionDefinitions
        .filter(({ name, operations, pages }: FunctionDefinition) => {
          return operations.length === 0 && pages === undefined && name !== authorizerFunction.name;
        })
        .map(({ name }) => name)
        .sort(),
    );
  });

  it("file their metrics under one name, in both stacks", () => {
    const names = functionDefinitions.map(({ name }) => variablesOf(name)["METRICS_NAMESPACE"]);
    expect(new Set(names)).toEqual(new Set(["LanguageAi-prod"]));
  });

  it.each(builtFunctions)("run $name as it is declared", (definition) => {
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

  /** The variables without a value by default. */
  const withoutDefault =
    /^(?:CALLBACKS_ALLOW_LOOPBACK|CONTACT_EMAIL|MESSAGING_RESULT_TEMPLATE|DIARIZATION_\w+|OWN_PORTS|STATUS_PAGE_URL|TRANSCRIPTION_ALTERNATIVE_MODEL|\w+_(?:SERVERS|PROFILE))$/;

  it.each(builtFunctions)("give $name the variables it declares and no other", ({ name, environment }) => {
    const declared = Object.keys(environment).filter((key) => !withoutDefault.test(key));
    expect(Object.keys(variablesOf(name)).sort()).toEqual([...declared, "METRICS_NAMESPACE"].sort());
  });

  it("have the alternative model of transcription, and the status page elsewhere, where the stage names one", async () => {
    const variables = {
      CHAT_BASE_URL: "http://127.0.0.1:8000/v1",
      TRANSCRIPTION_ALTERNATIVE_MODEL: "other",
      STATUS_PAGE_URL: "https://status.example.org/",
    };
    const local = await synthesizeService(localStage(variables));
    expect(variablesOf("legacy", local)).toMatchObject({ TRANSCRIPTION_ALTERNATIVE_MODEL: "other" });
    expect(variablesOf("site", local)).toMatchObject({ STATUS_PAGE_URL: "https://status.example.org/" });
  });

  it("have the lists of servers where the stage has some, and then no address", async () => {
    const servers = [
      { name: "gpu", base_url: "http://127.0.0.1:8000/v1", model_9b: "nine" },
      { name: "hosted", base_url: "http://127.0.0.1:8001/v1", order: 2, timeout_ms: 5_000 },
    ];
    const local = await synthesizeService(localStage({ CHAT_SERVERS: JSON.stringify(servers) }));
    const variables = {
      ...variablesOf("translate", local),
      TABLE_NAME: "table",
      BUCKET_NAME: "audio",
      INFERENCE_KEYS_SECRET_ID: "keys",
      TOKEN_SECRET_ID: "tokens",
    };
    expect(variables).not.toHaveProperty("TRANSLATION_BASE_URL");
    expect(readVariables(translateFunction.environment, variables).TRANSLATION_SERVERS).toEqual([
      { name: "gpu", base_url: "http://127.0.0.1:8000/v1", order: 1, weight: 1, model: "nine" },
      { name: "hosted", base_url: "http://127.0.0.1:8001/v1", order: 2, weight: 1, timeout_ms: 5_000 },
    ]);
  });

  it("pass on the settings of the stage in the form that the functions expect", async () => {
    const stage = localStage({
      PUBLIC_BASE_URL: "http://127.0.0.1:3210",
      CHAT_BASE_URL: "http://127.0.0.1:8000/v1",
      CHAT_MODEL_9B: "nine",
      TRANSLATION_TIMEOUT_MS: "1500",
    });
    const local = await synthesizeService(stage);
    expect(
      readVariables(mailFunction.environment, {
        ...variablesOf("mail", local),
        TABLE_NAME: "table",
        MAIL_CONFIGURATION_SET: "set",
      }),
    ).toMatchObject({
      PUBLIC_BASE_URL: "http://127.0.0.1:3210",
    });
    const variables = {
      ...variablesOf("translate", local),
      TABLE_NAME: "table",
      BUCKET_NAME: "audio",
      INFERENCE_KEYS_SECRET_ID: "keys",
      TOKEN_SECRET_ID: "tokens",
    };
    expect(readVariables(translateFunction.environment, variables)).toMatchObject({
      TRANSLATION_BASE_URL: "http://127.0.0.1:8000/v1",
      TRANSLATION_MODEL: "nine",
      TRANSLATION_TIMEOUT_MS: 1500,
    });
  });

  it("get the identity providers of the stage, named after their hosts unless it names them", async () => {
    expect(variablesOf("console")["IDENTITY_PROVIDERS"]).toBe("[]");
    const variables = {
      IDP_A_ISSUER: "https://accounts.example.org",
      IDP_A_CLIENT_ID: "languages",
      IDP_B_NAME: "University",
      IDP_B_ISSUER: "https://id.example.ac.ug/realms/staff",
      IDP_B_CLIENT_ID: "lai",
    };
    const stage = await synthesizeService(exampleStage("prod", variables));
    expect(JSON.parse(String(variablesOf("console", stage)["IDENTITY_PROVIDERS"]))).toEqual([
      { letter: "a", name: "accounts.example.org", issuer: variables.IDP_A_ISSUER, clientId: "languages" },
      { letter: "b", name: "University", issuer: variables.IDP_B_ISSUER, clientId: "lai" },
    ]);
  });

  it("get the endpoints and claims of a plain OAuth 2.0 provider", async () => {
    const variables = {
      IDP_A_KIND: "oauth2",
      IDP_A_ISSUER: "https://github.com/login/oauth",
      IDP_A_CLIENT_ID: "languages",
      IDP_A_AUTHORIZATION_ENDPOINT: "https://github.com/login/oauth/authorize",
      IDP_A_TOKEN_ENDPOINT: "https://github.com/login/oauth/access_token",
      IDP_A_USER_INFO_ENDPOINT: "https://api.github.com/user",
      IDP_A_EMAILS_ENDPOINT: "https://api.github.com/user/emails",
      IDP_A_SCOPE: "read:user user:email",
      IDP_A_CLAIMS: "subject=id, username=login",
    };
    const stage = await synthesizeService(exampleStage("prod", variables));
    expect(JSON.parse(String(variablesOf("console", stage)["IDENTITY_PROVIDERS"]))).toEqual([
      {
        letter: "a",
        name: "github.com",
        issuer: variables.IDP_A_ISSUER,
        clientId: "languages",
        scope: variables.IDP_A_SCOPE,
        plain: {
          authorization: variables.IDP_A_AUTHORIZATION_ENDPOINT,
          token: variables.IDP_A_TOKEN_ENDPOINT,
          userInfo: variables.IDP_A_USER_INFO_ENDPOINT,
          emails: variables.IDP_A_EMAILS_ENDPOINT,
          claims: {
            subject: "id",
            username: "login",
            name: "name",
            email: "email",
            email_verified: "email_verified",
          },
        },
      },
    ]);
  });
});

describe("A function's permissions", () => {
  it.each(builtFunctions)("name actions and resources one by one for $name", ({ name, isTraced = true }) => {
    const wide = statementsOf(name).filter(
      ({ Action, Resource }) => Resource === "*" || Action.some((action) => action.includes("*")),
    );
    // Traces are the exception: X-Ray knows no resources to limit them to.
    expect(wide.flatMap(({ Action }) => Action)).toEqual(
      isTraced ? ["xray:PutTelemetryRecords", "xray:PutTraceSegments"] : [],
    );
  });

  it.each(functionDefinitions)("let $name write to its own log only", ({ name }) => {
    const logGroups = statementsOf(name)
      .filter(({ Action }) => Action.includes("logs:PutLogEvents"))
      .map(({ Resource }) => JSON.stringify(Resource));
    expect(logGroups).toHaveLength(1);
    expect(logGroups[0]?.toLowerCase()).toContain(`functions${name.replace("-", "")}logs`);
  });

  it.each(functionDefinitions)("have each operation on the table in one statement for $name", ({ name }) => {
    const operations = actionsOf(name, "dynamodb:");
    expect(new Set(operations).size).toBe(operations.length);
  });

  it("reach these parts of the table and the bucket, and no others", async () => {
    const stores = Object.fromEntries(functionDefinitions.map(({ name }) => [name, storesOf(name)]));
    const text = `${JSON.stringify(stores, undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot("./fixtures/permissions.json");
  });

  it("are few behind pages: none but the outcomes of the canary behind those for everyone", () => {
    const reading = ["GetItem", "Query"];
    const writing = ["BatchWriteItem", "DeleteItem", "PutItem", "UpdateItem"];
    const patternsOf = (name: string, operations: readonly string[]) => {
      const lines = storesOf(name).map((line) => line.split(" "));
      return new Set(
        lines.flatMap(([operation = "", ...keys]) => (operations.includes(operation) ? keys : [])),
      );
    };
    const doors = ["site", "console", "operators"].map((name) => [
      name,
      {
        reads: patternsOf(name, reading).size,
        writes: patternsOf(name, writing).size,
        variables: Object.keys(variablesOf(name)).length,
        readsDeadLetters: actionsOf(name, "sqs:ReceiveMessage").length > 0,
      },
    ]);
    expect(Object.fromEntries(doors)).toEqual({
      site: { reads: 1, writes: 0, variables: 8, readsDeadLetters: false },
      console: { reads: 17, writes: 22, variables: 20, readsDeadLetters: false },
      operators: { reads: 19, writes: 20, variables: 19, readsDeadLetters: true },
    });
    expect([...patternsOf("site", reading)]).toEqual(["STATUS#*"]);
  });

  it("let no one change or delete what operators did, the operators' own role included", () => {
    const roles = [...resourcesOfType(service.withFunctions, "AWS::IAM::Role").values()];
    const recording: number[] = roles.map(({ Properties }) => {
      const { Policies = [] } = z
        .object({ Policies: z.array(z.object({ PolicyDocument: z.unknown() })).optional() })
        .parse(Properties);
      // The table is a reference that only CloudFormation resolves.
      const documents = Policies.map(({ PolicyDocument }): unknown =>
        JSON.parse(JSON.stringify(PolicyDocument), (key, value) => (key === "Resource" ? "*" : value)),
      );
      const decisionOf = (action: string) =>
        decide(documents.flatMap(compilePolicy), {
          action: `dynamodb:${action}`,
          resource: "table",
          context: { "dynamodb:LeadingKeys": [accountKeys.audit("2026-11", "").PK] },
        });
      for (const action of ["UpdateItem", "DeleteItem", "BatchWriteItem"]) {
        expect(decisionOf(action)).not.toBe("allowed");
      }
      return decisionOf("PutItem") === "allowed" ? 1 : 0;
    });
    // The operators' function and the operators' role.
    expect(recording.reduce((sum, count) => sum + count)).toBe(2);
  });

  it("let the function that a secret is named to read that secret, and no other", () => {
    const secretsOf = (name: string) =>
      statementsOf(name)
        .filter(({ Action }) => Action.includes("secretsmanager:GetSecretValue"))
        .flatMap(({ Resource }) =>
          JSON.stringify(Resource).match(
            /TokenSigningKey|SecondFactorKey|InferenceKeys|MessagingSecrets|IdentityProviders|CanaryKey/g,
          ),
        )
        .sort();
    const token = ["TokenSigningKey"];
    const inference = ["InferenceKeys"];
    const found = functionDefinitions.map(({ name }) => [name, secretsOf(name)] as const);
    expect(Object.fromEntries(found.filter(([, secrets]) => secrets.length > 0))).toEqual({
      auth: ["SecondFactorKey", ...token],
      authorizer: token,
      canary: ["CanaryKey"],
      chat: [...inference, ...token],
      console: ["IdentityProviders", "SecondFactorKey", ...token],
      "job-worker": inference,
      jobs: [...inference, ...token],
      legacy: [...inference, ...token],
      mcp: [...inference, ...token],
      messaging: [...inference, "MessagingSecrets"],
      operators: [...inference, "SecondFactorKey"],
      speech: [...inference, ...token],
      transcription: [...inference, ...token],
      translate: [...inference, ...token],
      upload: token,
      webhook: ["MessagingSecrets"],
    });
  });

  it("name the queues that may be sent to, and the one whose messages may be put back", () => {
    const queuesOf = (name: string, action: string) =>
      statementsOf(name)
        .filter(({ Action }) => Action.includes(action))
        .flatMap(({ Resource }) =>
          JSON.stringify(Resource).match(/(?:Mail|Messages|Callbacks|Jobs)(?:Queue|DeadLetters)/g),
        );
    expect(queuesOf("auth", "sqs:SendMessage").toSorted()).toEqual(["CallbacksQueue", "MailQueue"]);
    expect(queuesOf("webhook", "sqs:SendMessage")).toEqual(["MessagesQueue"]);
    for (const name of ["auth", "webhook"]) {
      expect(new Set(actionsOf(name, "sqs:"))).toEqual(new Set(["sqs:SendMessage"]));
    }
    expect(actionsOf("authorizer", "sqs:")).toEqual([]);
    expect(queuesOf("jobs", "sqs:SendMessage")).toEqual(["JobsQueue"]);
    expect(queuesOf("job-worker", "sqs:SendMessage").toSorted()).toEqual([
      "CallbacksQueue",
      "JobsQueue",
      "MessagesQueue",
    ]);
    expect(queuesOf("messaging", "sqs:SendMessage")).toEqual(["JobsQueue"]);
    expect(queuesOf("messaging", "sqs:ChangeMessageVisibility")).toEqual(["MessagesQueue"]);
    // What Lambda needs to deliver a queue's messages.
    for (const action of ["DeleteMessage", "GetQueueAttributes", "ReceiveMessage"]) {
      expect(new Set(queuesOf("messaging", `sqs:${action}`))).toEqual(
        new Set(["MessagesQueue", "MessagesDeadLetters"]),
      );
    }
  });

  it("let mails be sent in the sender's name only, and by the mail function only", () => {
    const senders = functionDefinitions.filter(({ name }) => actionsOf(name, "ses:").length > 0);
    expect(senders.map(({ name }) => name)).toEqual(["mail"]);
    expect(policiesBesideRoles()).toBe(0);
    const sending = JSON.stringify(
      statementsOf("mail").filter(({ Action }) => Action.includes("ses:SendEmail")),
    );
    expect(sending).toContain('"Condition":{"StringEquals":{"ses:FromAddress":"no-reply@example.com"}}');
    // SES also checks the recipient's identity where the account has verified it, and the configuration set.
    expect(sending).toContain(":identity/*");
    expect(sending).toContain(":configuration-set/*");
  });
});

describe("The canary", () => {
  const schedulesOf = (from: SynthesizedService) =>
    [...resourcesOfType(from.workers, "AWS::Events::Rule").values()].filter(({ Properties }) =>
      String(Properties["Description"]).includes("canary"),
    );

  it("calls every five minutes where a stage wants it, and never otherwise", async () => {
    expect(schedulesOf(service)).toMatchObject([
      { Properties: { State: "ENABLED", ScheduleExpression: "rate(5 minutes)" } },
    ]);
    const unwatched = await synthesizeService(exampleStage("prod", { CANARY: "off" }));
    expect(schedulesOf(unwatched)).toMatchObject([{ Properties: { State: "DISABLED" } }]);
  });
});

describe("The erasure of disowned accounts", () => {
  it("runs every day, in every stage", () => {
    const rules = [...resourcesOfType(service.workers, "AWS::Events::Rule").values()];
    expect(
      rules.filter(({ Properties }) => String(Properties["Description"]).includes("erased")),
    ).toMatchObject([
      {
        Properties: {
          State: "ENABLED",
          ScheduleExpression: "rate(1 day)",
          Targets: [{ Arn: { Ref: lambdasByName(service).get("erasure")?.aliasId } }],
        },
      },
    ]);
  });
});

describe("What SES says about a mail", () => {
  it("reaches its function when it is about a mail of this stage that came back or was complained about", () => {
    const [rule, ...others] = [...resourcesOfType(service.workers, "AWS::Events::Rule").values()].filter(
      ({ Properties }) => "EventPattern" in Properties,
    );
    expect(others).toEqual([]);
    const [configurationSet] = resourcesOfType(service.data, "AWS::SES::ConfigurationSet").keys();
    expect(rule?.Properties).toMatchObject({
      State: "ENABLED",
      EventPattern: {
        source: ["aws.ses"],
        "detail-type": ["Email Bounced", "Email Complaint Received"],
        detail: {
          mail: {
            tags: {
              "ses:configuration-set": [
                { "Fn::ImportValue": expect.stringContaining(`Ref${configurationSet}`) },
              ],
            },
          },
        },
      },
      Targets: [{ Arn: { Ref: lambdasByName(service).get("mail-feedback")?.aliasId } }],
    });
    expect(variablesOf("mail")["MAIL_CONFIGURATION_SET"]).toEqual({
      "Fn::ImportValue": expect.stringContaining(`Ref${configurationSet}`),
    });
  });
});

describe("Calls", () => {
  it("reach every function by its alias, which a release moves from one version to the next", () => {
    const callers = ["AWS::Lambda::Permission", "AWS::Lambda::EventSourceMapping"].flatMap((type) => [
      ...resourcesOfType(service.withFunctions, type).values(),
    ]);
    const aliases = [...lambdasByName(service).values()].map(({ aliasId }) => `{"Ref":"${aliasId}"}`);
    expect(callers.length).toBeGreaterThan(functionDefinitions.length);
    for (const { Properties } of callers) {
      const called = JSON.stringify(Properties["FunctionName"]);
      const isAlias = aliases.some((alias) => called.includes(alias));
      expect(isAlias, called).toBe(true);
    }
    const [url] = resourcesOfType(service.api, "AWS::Lambda::Url").values();
    expect(url?.Properties["Qualifier"]).toBe("live");
  });

  it("move to a new version little by little in production, and back when an alarm rings", () => {
    const groups = [...resourcesOfType(service.withFunctions, "AWS::CodeDeploy::DeploymentGroup").values()];
    expect(groups).toHaveLength(functionDefinitions.length);
    for (const { Properties } of groups) {
      expect(Properties).toMatchObject({
        DeploymentConfigName: "CodeDeployDefault.LambdaCanary10Percent5Minutes",
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: expect.arrayContaining(["DEPLOYMENT_STOP_ON_ALARM"]),
        },
        AlarmConfiguration: { Enabled: true },
      });
    }
    const alarmed = groups.map(({ Properties }) => [
      Properties["DeploymentGroupName"],
      JSON.stringify(Properties["AlarmConfiguration"]).match(/(?<=Release)Alarms\w+?(?=[0-9A-F]{8}")/g),
    ]);
    expect(Object.fromEntries(alarmed)).toEqual(
      Object.fromEntries(
        functionDefinitions.map(({ name }) => [
          name,
          // The authorizer throws to refuse.
          (name === "authorizer" ? ["Faults"] : ["Faults", "Errors"]).map(
            (kind) => `Alarms${pascalCase(name)}${kind}`,
          ),
        ]),
      ),
    );
  });

  it("are judged by alarms of the new version alone, which no version before it can have raised", () => {
    const alarms = [...resourcesOfType(service.withFunctions, "AWS::CloudWatch::Alarm").values()];
    expect(alarms).toHaveLength(2 * functionDefinitions.length - 1);
    for (const { Properties } of alarms) {
      const versions = (part: unknown) =>
        JSON.stringify(part).match(/"Fn::GetAtt":\["\w+CurrentVersion\w+","Version"\]/g);
      expect(versions(Properties["AlarmName"])).toHaveLength(1);
      expect(versions(Properties["Dimensions"])).toEqual(versions(Properties["AlarmName"]));
      expect(Properties).toMatchObject({ Period: 60, Threshold: 1, DatapointsToAlarm: 1 });
      expect(Properties).not.toHaveProperty("AlarmActions");
    }
  });

  it("reach no new version before a function of the stack has invoked it with sample events", () => {
    for (const template of [service.api, service.workers]) {
      const aliases = [...resourcesOfType(template, "AWS::Lambda::Alias").values()].filter(
        ({ UpdatePolicy }) => UpdatePolicy !== undefined,
      );
      const checks = [...resourcesOfType(template, "AWS::Lambda::Function")].filter(([id]) =>
        id.includes("ReleaseCheck"),
      );
      const hooks = aliases.map(
        ({ UpdatePolicy }) => UpdatePolicy?.CodeDeployLambdaAliasUpdate.BeforeAllowTrafficHook,
      );
      for (const hook of hooks) expect(checks.map(([Ref]) => ({ Ref }))).toContainEqual(hook);
      const versions = [...resourcesOfType(template, "AWS::Lambda::Version").keys()].filter(
        (id) => !id.includes("ReleaseCheck"),
      );
      expect(aliases).toHaveLength(versions.length);
      const checked = JSON.stringify(checks.map(([, { Properties }]) => Properties["Environment"]));
      for (const id of versions) expect(checked).toContain(`{"Ref":"${id}"}`);
      // CodeDeploy's role may invoke functions with such names, and no others.
      for (const [, { Properties }] of checks)
        expect(JSON.stringify(Properties["FunctionName"])).toContain('"CodeDeployHook_"');
    }
  });

  // The check of a version depends on the function, and its alias on the check.
  it("need no resource that needs them: CloudFormation would refuse the stack", () => {
    for (const { Resources } of [service.api, service.workers]) {
      const ids = new Set(Object.keys(Resources));
      const needed = new Map(
        Object.entries(Resources).map(([id, resource]) => {
          const named = JSON.stringify(resource).match(/(?<="Ref":"|"Fn::GetAtt":\["|\$\{)\w+/g) ?? [];
          return [
            id,
            new Set([...named, ...resource.DependsOn].filter((other) => ids.has(other) && other !== id)),
          ];
        }),
      );
      // Takes away what needs nothing else, until nothing is left.
      for (let size = Number.POSITIVE_INFINITY; needed.size < size; ) {
        size = needed.size;
        for (const [id, others] of needed) {
          if ([...others].every((other) => !needed.has(other))) needed.delete(id);
        }
      }
      expect([...needed.keys()]).toEqual([]);
    }
  });

  it("are checked by a function that may invoke new versions, and report on their deployments", () => {
    const [roleId] = lambdaProperties.parse(propertiesOf("release-check")).Role["Fn::GetAtt"];
    expect(roleId).toMatch(/^ReleaseCheckRole/);
    const own = statementsOf("release-check").filter(({ Action }) =>
      /^(?:lambda|codedeploy):/.test(Action.join()),
    );
    expect(own.flatMap(({ Action }) => Action)).toEqual([
      "lambda:InvokeFunction",
      "codedeploy:GetDeployment",
      "codedeploy:PutLifecycleEventHookExecutionStatus",
    ]);
  });

  it("move at once in development", async () => {
    const { withFunctions } = await synthesizeService(exampleStage("dev"));
    expect(resourcesOfType(withFunctions, "AWS::CodeDeploy::DeploymentGroup").size).toBe(0);
    expect(resourcesOfType(withFunctions, "AWS::Lambda::Alias").size).toBe(functionDefinitions.length);
  });

  it("have reserved concurrency where a stage sets it", async () => {
    const reserved = { RESERVED_CONCURRENCY: "authorizer=50, chat=300", WORKER_CONCURRENCY: "messaging=7" };
    const stage = await synthesizeService(exampleStage("prod", reserved));
    const locationsOf = (name: string) =>
      lambdasByName(stage).get(name)?.resource.Properties["ReservedConcurrentExecutions"];
    expect([locationsOf("authorizer"), locationsOf("chat"), locationsOf("auth")]).toEqual([
      50,
      300,
      undefined,
    ]);
    const maxima = [...resourcesOfType(stage.workers, "AWS::Lambda::EventSourceMapping").values()].map(
      ({ Properties }) => Properties["ScalingConfig"],
    );
    expect(maxima).toEqual([
      undefined,
      undefined,
      { MaximumConcurrency: 7 },
      { MaximumConcurrency: 7 },
      undefined,
      { MaximumConcurrency: 6 },
    ]);
  });
});

describe("A queue", () => {
  const mappingsOf = (name: string) =>
    [...resourcesOfType(service.workers, "AWS::Lambda::EventSourceMapping").values()]
      .map(({ Properties }) => Properties)
      .filter(({ FunctionName }) =>
        JSON.stringify(FunctionName).includes(`{"Ref":"${lambdasByName(service).get(name)?.aliasId}"}`),
      );

  it("of mails feeds the mail function, which reports the mails that failed one by one", () => {
    expect(mappingsOf("mail")).toMatchObject([
      {
        BatchSize: 10,
        FunctionResponseTypes: ["ReportBatchItemFailures"],
        ScalingConfig: { MaximumConcurrency: 5 },
      },
    ]);
  });

  it("of messages, and the one of those that were dead-lettered, feed the messaging function one by one", () => {
    const mappings = mappingsOf("messaging");
    expect(mappings).toMatchObject([
      { BatchSize: 1, FunctionResponseTypes: ["ReportBatchItemFailures"] },
      { BatchSize: 1, FunctionResponseTypes: ["ReportBatchItemFailures"] },
    ]);
    const queues = mappings.map(({ EventSourceArn }) => JSON.stringify(EventSourceArn));
    expect(queues.filter((queue) => queue.includes("MessagesDeadLetters"))).toHaveLength(1);
    expect(new Set(queues).size).toBe(2);
  });
});
