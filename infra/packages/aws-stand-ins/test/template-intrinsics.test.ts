// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { LocalModel } from "../src/template/local-model.ts";
import { readAssembly } from "../src/template/read-assembly.ts";

type Template = Record<string, Record<string, unknown>>;

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

/** Writes templates the way a synthesis does, with an API in the first one, and reads them back. */
const read = (...templates: Template[]): LocalModel => {
  const directory = mkdtempSync(join(tmpdir(), "template-"));
  directories.push(directory);
  const api = {
    Api: { Type: "AWS::ApiGateway::RestApi", Properties: {} },
    Stage: { Type: "AWS::ApiGateway::Stage", Properties: { StageName: "v2" } },
  };
  const artifacts: Record<string, object> = {
    assets: { type: "cdk:asset-manifest", properties: { file: "assets.json" } },
  };
  for (const [index, template] of templates.entries()) {
    const templateFile = `stack-${index}.template.json`;
    artifacts[`Stack${index}`] = { type: "aws:cloudformation:stack", properties: { templateFile } };
    const Resources = { ...template["Resources"], ...(index === 0 && api) };
    writeFileSync(join(directory, templateFile), JSON.stringify({ ...template, Resources }));
  }
  const source = { path: "code", packaging: "zip" };
  const files = { code: { source, destinations: { here: { objectKey: "code.zip" } } } };
  writeFileSync(join(directory, "assets.json"), JSON.stringify({ files }));
  writeFileSync(join(directory, "manifest.json"), JSON.stringify({ artifacts }));
  return readAssembly(directory);
};

const functionWith = (variables: Record<string, unknown>) => ({
  Type: "AWS::Lambda::Function",
  Properties: {
    Code: { S3Key: "code.zip" },
    Handler: "index.handler",
    Environment: { Variables: variables },
  },
});

const url = {
  Type: "AWS::Lambda::Url",
  Properties: { AuthType: "NONE", TargetFunctionArn: { "Fn::GetAtt": ["Chat", "Arn"] } },
};

/** What one value of the template comes out as, in the environment of a function. */
const evaluate = (value: unknown, template: Template = {}): string | undefined => {
  const Resources = { ...template["Resources"], Chat: functionWith({ VALUE: value }), Url: url };
  return read({ ...template, Resources }).functions[0]?.environment["VALUE"];
};

describe("The local meaning of a template's values", () => {
  it.each([
    ["plain text", "text", "text"],
    ["a number, written out", 30, "30"],
    ["Ref to a pseudo parameter", { Ref: "AWS::Region" }, "us-east-1"],
    ["the name of the stack", { Ref: "AWS::StackName" }, "Stack0"],
    ["Fn::Join", { "Fn::Join": ["-", ["a", { Ref: "AWS::AccountId" }, "c"]] }, "a-000000000000-c"],
    ["Fn::Split and Fn::Select", { "Fn::Select": [1, { "Fn::Split": ["-", "a-b-c"] }] }, "b"],
    ["Fn::Select with the index as text", { "Fn::Select": ["1", ["x", "y"]] }, "y"],
    ["Fn::Sub with a pseudo parameter", { "Fn::Sub": "in ${AWS::Region}" }, "in us-east-1"],
    [
      "Fn::Sub with its own variables",
      { "Fn::Sub": ["${a} and ${b}", { a: 1, b: { Ref: "AWS::Partition" } }] },
      "1 and aws",
    ],
    ["Fn::Sub with a literal", { "Fn::Sub": "${!NotAVariable}" }, "${NotAVariable}"],
  ])("evaluates %s", (_what, value, expected) => {
    expect(evaluate(value)).toBe(expected);
  });

  it("evaluates references to resources, and explicit names", () => {
    const template = {
      Resources: {
        Table: {
          Type: "AWS::DynamoDB::Table",
          Properties: { TableName: { "Fn::Sub": "accounts-${AWS::Region}" } },
        },
        Queue: { Type: "AWS::SQS::Queue", Properties: { FifoQueue: true } },
        Alias: {
          Type: "AWS::Lambda::Alias",
          Properties: { FunctionName: { Ref: "Chat" }, Name: "live", FunctionVersion: "1" },
        },
      },
    };
    expect(evaluate({ Ref: "Table" }, template)).toBe("accounts-us-east-1");
    expect(evaluate({ "Fn::Sub": "${Table.Arn}/index" }, template)).toBe(
      "arn:aws:dynamodb:us-east-1:000000000000:table/accounts-us-east-1/index",
    );
    expect(evaluate({ "Fn::GetAtt": "Queue.QueueName" }, template)).toBe("queue.fifo");
    expect(evaluate({ Ref: "Queue" }, template)).toBe(
      "https://sqs.us-east-1.amazonaws.com/000000000000/queue.fifo",
    );
    expect(evaluate({ Ref: "Alias" }, template)).toBe(
      "arn:aws:lambda:us-east-1:000000000000:function:chat:live",
    );
  });

  it("evaluates parameters by their defaults, and maps", () => {
    const template = {
      Parameters: { Level: { Type: "String", Default: "info" } },
      Mappings: { Sizes: { "us-east-1": { memory: 512 } } },
    };
    expect(evaluate({ Ref: "Level" }, template)).toBe("info");
    expect(evaluate({ "Fn::FindInMap": ["Sizes", { Ref: "AWS::Region" }, "memory"] }, template)).toBe("512");
  });

  it("evaluates only the branch of a condition that is taken", () => {
    const Conditions = {
      IsHere: { "Fn::Equals": [{ Ref: "AWS::Region" }, "us-east-1"] },
      IsElsewhere: { "Fn::Not": [{ Condition: "IsHere" }] },
      Both: { "Fn::And": [{ Condition: "IsHere" }, { Condition: "IsElsewhere" }] },
      Either: { "Fn::Or": [{ Condition: "IsHere" }, { Condition: "IsElsewhere" }] },
    };
    const unknown = { "Fn::GetAZs": "" };
    expect(evaluate({ "Fn::If": ["IsHere", "yes", unknown] }, { Conditions })).toBe("yes");
    expect(evaluate({ "Fn::If": ["Both", unknown, "no"] }, { Conditions })).toBe("no");
    expect(evaluate({ "Fn::If": ["Either", "yes", "no"] }, { Conditions })).toBe("yes");
    expect(
      evaluate({ "Fn::If": ["IsElsewhere", "x", { Ref: "AWS::NoValue" }] }, { Conditions }),
    ).toBeUndefined();
  });

  it("leaves out resources whose condition does not hold", () => {
    const model = read({
      Conditions: { Never: { "Fn::Equals": ["a", "b"] } },
      Resources: { Table: { Type: "AWS::DynamoDB::Table", Condition: "Never", Properties: {} } },
    });
    expect(model.tables).toEqual([]);
  });

  it("reads what another stack exports", () => {
    const model = read(
      {
        Resources: {
          Chat: functionWith({ TABLE: { "Fn::ImportValue": { "Fn::Sub": "table-${AWS::Region}" } } }),
        },
      },
      {
        Resources: { Table: { Type: "AWS::DynamoDB::Table", Properties: {} } },
        Outputs: {
          Name: { Value: { Ref: "Table" }, Export: { Name: { "Fn::Sub": "table-${AWS::Region}" } } },
        },
      },
    );
    expect(model.functions[0]?.environment).toEqual({ TABLE: "table" });
  });

  it("distinguishes resources with the same logical id in two stacks", () => {
    const table = { Type: "AWS::DynamoDB::Table", Properties: {} };
    const model = read({ Resources: { Table: table } }, { Resources: { Table: table } });
    expect(model.tables.map(({ name }) => name)).toEqual(["stack0-table", "stack1-table"]);
  });

  it("keeps derived names within the 63 characters of a bucket's, and different", () => {
    const long = "Bucket".repeat(12);
    const bucket = { Type: "AWS::S3::Bucket", Properties: {} };
    const model = read({ Resources: { [`${long}AAAA1111`]: bucket, [`${long}BBBB2222`]: bucket } });
    const names = model.buckets.map(({ name }) => name);
    expect(names.map(({ length }) => length)).toEqual([63, 63]);
    expect(new Set(names).size).toBe(2);
  });
});

describe("A value without a local meaning", () => {
  it.each([
    [{ "Fn::GetAZs": "" }, "Chat (stack Stack0) depends on Fn::GetAZs, which is not evaluated locally."],
    [
      { Ref: "Key" },
      "Chat (stack Stack0) depends on Ref to Key (AWS::KMS::Key), which has no local meaning.",
    ],
    [
      { "Fn::GetAtt": ["Key", "Arn"] },
      "Chat (stack Stack0) depends on Fn::GetAtt to Key.Arn (AWS::KMS::Key), which has no local meaning.",
    ],
    [
      { "Fn::ImportValue": "x" },
      "Chat (stack Stack0) imports (Fn::ImportValue) x, which no stack of the assembly exports.",
    ],
    [{ Ref: "Version" }, "Chat (stack Stack0) depends on the parameter Version, which has no value locally."],
    [
      "{{resolve:secretsmanager:token}}",
      "Chat (stack Stack0) depends on a dynamic reference ({{resolve:…}}), which is not evaluated locally.",
    ],
    [{ "Fn::Join": "x" }, "Chat (stack Stack0) needs a list where the template has something else."],
  ])("stops with the resource and the reason: %j", (value, message) => {
    const template = {
      Resources: { Key: { Type: "AWS::KMS::Key", Properties: {} } },
      Parameters: { Version: { Type: "AWS::SSM::Parameter::Value<String>", Default: "/version" } },
    };
    expect(() => evaluate(value, template)).toThrow(message);
  });

  it("does no harm to what nothing served depends on", () => {
    const model = read({
      Resources: { Helper: functionWith({ ZONES: { "Fn::GetAZs": "" } }), Key: { Type: "AWS::KMS::Key" } },
    });
    expect(model.functions).toEqual([]);
  });
});

describe("A queue in front of a function", () => {
  const mapping = (properties: object) => ({
    Resources: {
      Chat: functionWith({}),
      Mapping: {
        Type: "AWS::Lambda::EventSourceMapping",
        Properties: {
          EventSourceArn: "arn:aws:sqs:us-east-1:000000000000:mail",
          FunctionName: "chat",
          ...properties,
        },
      },
    },
  });

  it("has Lambda's own settings unless the template says otherwise", () => {
    expect(read(mapping({})).eventSources).toEqual([
      {
        logicalId: "Mapping",
        queueName: "mail",
        functionName: "chat",
        batchSize: 10,
        reportBatchItemFailures: false,
      },
    ]);
  });

  it("returns nothing while its mapping is disabled", () => {
    expect(read(mapping({ Enabled: false })).eventSources).toEqual([]);
  });

  it.each([
    ["filters", { FilterCriteria: { Filters: [] } }, "filters are not served"],
    ["another source", { EventSourceArn: "arn:aws:kinesis:x" }, "only queues are served as event sources"],
  ])("is refused with %s", (_what, properties, message) => {
    expect(() => read(mapping(properties))).toThrow(message);
  });
});

describe("A construct that is served in part only", () => {
  const method = (properties: object, extra: Record<string, unknown> = {}) => ({
    Resources: {
      ...extra,
      Method: {
        Type: "AWS::ApiGateway::Method",
        Properties: {
          HttpMethod: "GET",
          ResourceId: { "Fn::GetAtt": ["Api", "RootResourceId"] },
          ...properties,
        },
      },
    },
  });
  const mock = (integration: object) => method({ Integration: { Type: "MOCK", ...integration } });

  it.each([
    [
      "HTTP integrations",
      method({ Integration: { Type: "HTTP_PROXY" } }),
      "is not of the form that is served locally",
    ],
    [
      "IAM authorization",
      method({ AuthorizationType: "AWS_IAM", Integration: { Type: "MOCK" } }),
      "AuthorizationType",
    ],
    ["API keys", method({ ApiKeyRequired: true, Integration: { Type: "MOCK" } }), "API keys are not served"],
    [
      "mapping templates that decide something",
      mock({ RequestTemplates: { "application/json": "#if($input.params('x')) {} #end" } }),
      "Method (stack Stack0) has a mapping template with #if, which is not evaluated locally.",
    ],
    [
      "mapping templates that decide twice",
      mock({
        RequestTemplates: {
          "application/json":
            '#if($context.stage == "a") 1 #else 2 #end #if($context.stage == "b") 3 #else 4 #end',
        },
      }),
      "Method (stack Stack0) has a mapping template with #if, which is not evaluated locally.",
    ],
    [
      "functions outside the assembly",
      method({
        Integration: {
          Type: "AWS_PROXY",
          Uri: "arn:aws:x:lambda:path/functions/arn:aws:lambda:r:1:function:far/invocations",
        },
      }),
      "Method (stack Stack0) calls the function far, which is not in the assembly.",
    ],
    [
      "token authorizers",
      method(
        {},
        { Guard: { Type: "AWS::ApiGateway::Authorizer", Properties: { Type: "TOKEN", AuthorizerUri: "x" } } },
      ),
      "only REQUEST authorizers are served",
    ],
  ])(
    "refuses %s instead of letting requests through that AWS would treat otherwise",
    (_what, template, message) => {
      expect(() => read(template)).toThrow(message);
    },
  );
});
