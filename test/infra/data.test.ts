import { describe, expect, it } from "vitest";
import { mailFunction } from "../../functions/mail/contract.ts";
import { messagingFunction } from "../../functions/messaging/contract.ts";
import {
  exampleStage,
  type Resource,
  resourcesOfType,
  synthesizeService,
  type Template,
} from "./synthesized-service.ts";

const prod = (await synthesizeService(exampleStage("prod"))).data;
const dev = (await synthesizeService(exampleStage("dev"))).data;

const all = (template: Template, type: string): Resource[] => [...resourcesOfType(template, type).values()];
const stateful = ["AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket", "AWS::SecretsManager::Secret"];

describe("Data in production", () => {
  it.each(stateful)("survives the deletion of its stack: %s", (type) => {
    const resources = all(prod, type);
    expect(resources.length).toBeGreaterThan(0);
    for (const { DeletionPolicy, UpdateReplacePolicy } of resources) {
      expect({ DeletionPolicy, UpdateReplacePolicy }).toEqual({
        DeletionPolicy: "RetainExceptOnCreate",
        UpdateReplacePolicy: "Retain",
      });
    }
  });

  it("cannot be deleted with the table, and can be restored to any second", () => {
    expect(all(prod, "AWS::DynamoDB::GlobalTable")).toMatchObject([
      {
        Properties: {
          Replicas: [
            {
              DeletionProtectionEnabled: true,
              PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
            },
          ],
        },
      },
    ]);
  });
});

describe("Data of a stage that is thrown away", () => {
  it.each(stateful)("goes with its stack: %s", (type) => {
    for (const { DeletionPolicy } of all(dev, type)) expect(DeletionPolicy).toBe("Delete");
  });

  it("does not keep the stack from being deleted", () => {
    expect(all(dev, "AWS::DynamoDB::GlobalTable")).toMatchObject([
      { Properties: { Replicas: [{ DeletionProtectionEnabled: false }] } },
    ]);
    expect(all(dev, "Custom::S3AutoDeleteObjects")).toHaveLength(1);
  });
});

describe("The table", () => {
  it("has string keys, is paid by request and forgets items by expires_at", () => {
    expect(all(prod, "AWS::DynamoDB::GlobalTable")).toMatchObject([
      {
        Properties: {
          KeySchema: [
            { AttributeName: "PK", KeyType: "HASH" },
            { AttributeName: "SK", KeyType: "RANGE" },
          ],
          AttributeDefinitions: [
            { AttributeName: "PK", AttributeType: "S" },
            { AttributeName: "SK", AttributeType: "S" },
          ],
          BillingMode: "PAY_PER_REQUEST",
          TimeToLiveSpecification: { AttributeName: "expires_at", Enabled: true },
        },
      },
    ]);
  });
});

describe("The audio bucket", () => {
  const buckets = all(prod, "AWS::S3::Bucket");
  const audio = buckets.find(({ Properties }) => "LoggingConfiguration" in Properties);

  it("is closed to the public, as is that of its access logs", () => {
    expect(buckets).toHaveLength(2);
    for (const { Properties } of buckets) {
      expect(Properties["PublicAccessBlockConfiguration"]).toEqual({
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      });
    }
  });

  it("refuses connections without TLS 1.2", () => {
    for (const policy of all(prod, "AWS::S3::BucketPolicy")) {
      const text = JSON.stringify(policy);
      expect(text).toContain('"aws:SecureTransport":"false"');
      expect(text).toContain('"s3:TlsVersion":1.2');
    }
  });

  it("accepts uploads from browsers, deletes them and stored responses after a day, exports after seven, transcribed audio and jobs after thirty, the list of what was erased after 36", () => {
    expect(audio?.Properties).toMatchObject({
      CorsConfiguration: { CorsRules: [{ AllowedMethods: ["GET", "PUT"], AllowedOrigins: ["*"] }] },
      LifecycleConfiguration: {
        Rules: [
          { Prefix: "uploads/", ExpirationInDays: 1, Status: "Enabled" },
          { Prefix: "answers/", ExpirationInDays: 1, Status: "Enabled" },
          { Prefix: "jobs/", ExpirationInDays: 30, Status: "Enabled" },
          { Prefix: "transcriptions/", ExpirationInDays: 30, Status: "Enabled" },
          { Prefix: "exports/", ExpirationInDays: 7, Status: "Enabled" },
          { Prefix: "erased/", ExpirationInDays: 36, Status: "Enabled" },
          { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: "Enabled" },
        ],
      },
    });
  });
});

describe("A queue", () => {
  const queues = [...resourcesOfType(prod, "AWS::SQS::Queue")].map(([id, { Properties }]) => ({
    id,
    ...Properties,
  }));

  it.each([
    ["Mail", mailFunction],
    ["Messages", messagingFunction],
  ])("preserves order, allows the worker time, and dead-letters after five attempts: %s", (name, worker) => {
    const own = queues.filter(({ id }) => id.startsWith(name));
    expect(own).toHaveLength(2);
    for (const queue of own) {
      expect(queue).toMatchObject({ FifoQueue: true, VisibilityTimeout: 6 * worker.timeoutSeconds });
    }
    expect(own.filter((queue) => "RedrivePolicy" in queue)).toMatchObject([
      { RedrivePolicy: { maxReceiveCount: 5 } },
    ]);
  });

  it("takes thousands of messages a second, not the 300 of a queue that deduplicates as a whole", () => {
    const sources = queues.filter((queue) => "RedrivePolicy" in queue);
    expect(sources).toHaveLength(5);
    for (const queue of sources) {
      expect(queue).toMatchObject({
        DeduplicationScope: "messageGroup",
        FifoThroughputLimit: "perMessageGroupId",
      });
    }
  });
});

describe("The exports", () => {
  it("still hold what the API stack of a release without the monitoring's own stack imports", () => {
    expect(Object.keys(prod.Outputs)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^ExportsOutputFnGetAttMailQueue[0-9A-F]{8}QueueName[0-9A-F]{8}$/),
        expect.stringMatching(/^ExportsOutputFnGetAttMailDeadLetters[0-9A-F]{8}QueueName[0-9A-F]{8}$/),
        expect.stringMatching(/^ExportsOutputFnGetAttMessagesQueue[0-9A-F]{8}QueueName[0-9A-F]{8}$/),
        expect.stringMatching(/^ExportsOutputFnGetAttMessagesDeadLetters[0-9A-F]{8}QueueName[0-9A-F]{8}$/),
      ]),
    );
  });
});

describe("The secrets", () => {
  it("are generated keys for tokens and second factors, and empty objects for what others issue", () => {
    expect(all(prod, "AWS::SecretsManager::Secret").map(({ Properties }) => Properties)).toMatchObject([
      { GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true } },
      { GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true } },
      { SecretString: "{}" },
      { SecretString: "{}" },
      { SecretString: "{}" },
      { SecretString: "{}" },
    ]);
  });
});

describe("A stage's own wishes", () => {
  it("delete stored speech after the days it says, and never unless it says any", async () => {
    const { data } = await synthesizeService(exampleStage("prod", { SPEECH_LIFETIME_DAYS: "30" }));
    const rules = (template: typeof data) =>
      JSON.stringify(
        all(template, "AWS::S3::Bucket").map(({ Properties }) => Properties["LifecycleConfiguration"]),
      );
    expect(rules(data)).toContain('{"ExpirationInDays":30,"Prefix":"speech/","Status":"Enabled"}');
    expect(rules(prod)).not.toContain("speech/");
  });

  it("set a budget for what carries its tag, and notify someone about it", async () => {
    const budgeted = { MONTHLY_BUDGET_USD: "250", ALARM_EMAIL: "operator@example.com" };
    const { data, budget } = await synthesizeService(exampleStage("prod", budgeted));
    // Not every region of the data has budgets.
    expect(all(data, "AWS::Budgets::Budget")).toEqual([]);
    if (!budget) throw new Error("The stage has no stack with a budget.");
    expect(all(budget, "AWS::Budgets::Budget")).toMatchObject([
      {
        Properties: {
          Budget: {
            BudgetLimit: { Amount: 250, Unit: "USD" },
            TimeUnit: "MONTHLY",
            CostFilters: { TagKeyValue: ["user:stage$prod"] },
          },
        },
      },
    ]);
    expect((await synthesizeService(exampleStage("prod"))).budget).toBeUndefined();
    expect(() => exampleStage("prod", { MONTHLY_BUDGET_USD: "250" })).toThrow(
      "MONTHLY_BUDGET_USD: needs ALARM_EMAIL",
    );
  });

  it("throw a stage away whole: no bucket of logs fills again while it is deleted", () => {
    expect(all(dev, "AWS::S3::Bucket")).toHaveLength(1);
    expect(JSON.stringify(all(dev, "AWS::S3::Bucket"))).not.toContain("LoggingConfiguration");
  });

  it("are distinguished by the tags of all their resources", () => {
    const tagged = [
      ...all(prod, "AWS::S3::Bucket"),
      ...all(prod, "AWS::SQS::Queue"),
      ...all(prod, "AWS::SecretsManager::Secret"),
    ];
    for (const { Properties } of tagged) {
      expect(Properties["Tags"]).toEqual(
        expect.arrayContaining([
          { Key: "service", Value: "language-ai" },
          { Key: "stage", Value: "prod" },
        ]),
      );
    }
  });
});

describe("Mails", () => {
  const identities = (template: Template) => all(template, "AWS::SES::EmailIdentity");

  it("are sent encrypted only, are measured, and bounces are reported", () => {
    expect(all(prod, "AWS::SES::ConfigurationSet").map(({ Properties }) => Properties)).toMatchObject([
      {
        DeliveryOptions: { TlsPolicy: "REQUIRE" },
        ReputationOptions: { ReputationMetricsEnabled: true },
        SuppressionOptions: { SuppressedReasons: ["BOUNCE", "COMPLAINT"] },
      },
    ]);
    const [configurationSet] = resourcesOfType(prod, "AWS::SES::ConfigurationSet").keys();
    const [destination, ...others] = all(prod, "AWS::SES::ConfigurationSetEventDestination");
    expect(others).toEqual([]);
    expect(destination?.Properties).toMatchObject({
      ConfigurationSetName: { Ref: configurationSet },
      EventDestination: { Enabled: true, MatchingEventTypes: ["bounce", "complaint"] },
    });
    expect(JSON.stringify(destination)).toContain(":event-bus/default");
  });

  it("come from an identity that the operator has verified, unless the stage makes one", () => {
    expect(identities(prod)).toEqual([]);
  });

  it("come from the sender's domain where the stage makes it an identity, whose DNS records it prints", async () => {
    const { data } = await synthesizeService(exampleStage("prod", { MAIL_IDENTITY: "create" }));
    const [configurationSet] = resourcesOfType(data, "AWS::SES::ConfigurationSet").keys();
    expect(identities(data)).toMatchObject([
      {
        DeletionPolicy: "RetainExceptOnCreate",
        Properties: {
          EmailIdentity: "example.com",
          ConfigurationSetAttributes: { ConfigurationSetName: { Ref: configurationSet } },
          DkimSigningAttributes: { NextSigningKeyLength: "RSA_2048_BIT" },
          MailFromAttributes: { MailFromDomain: "bounces.example.com" },
        },
      },
    ]);
    const records = Object.entries(data.Outputs)
      .filter(([name]) => name.startsWith("MailRecord"))
      .map(([, { Value }]) => JSON.stringify(Value));
    expect(records).toHaveLength(6);
    for (const token of [1, 2, 3]) {
      expect(records[token - 1]).toContain(`DkimDNSTokenName${token}`);
      expect(records[token - 1]).toContain(`DkimDNSTokenValue${token}`);
    }
    expect(records[3]).toContain("bounces.example.com MX 10 feedback-smtp.");
    expect(records[4]).toContain("v=spf1 include:amazonses.com ~all");
    expect(records[5]).toContain("_dmarc.example.com TXT");
  });
});
