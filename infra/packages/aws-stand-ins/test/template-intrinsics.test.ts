// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub.
import { describe, expect, it } from "vitest";
import { apiWith, functionWith, readTemplates as read, type Template } from "./assembly-fixture.ts";

const withVariables = (Variables: object) => functionWith({ Environment: { Variables } });

const url = {
  Type: "AWS::Lambda::Url",
  Properties: {
    AuthType: "NONE",
    InvokeMode: "RESPONSE_STREAM",
    TargetFunctionArn: { "Fn::GetAtt": ["Chat", "Arn"] },
  },
};

/** What one value of the template comes out as, in the environment of a function. */
const evaluate = (value: unknown, template: Template = {}): string | undefined => {
  const Resources = { ...template["Resources"], Chat: withVariables({ VALUE: value }), Url: url };
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

  it("reads what another stack exports", () => {
    const model = read(
      {
        Resources: {
          Chat: withVariables({ TABLE: { "Fn::ImportValue": { "Fn::Sub": "table-${AWS::Region}" } } }),
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
    [
      { "Fn::If": ["IsHere", "a", "b"] },
      "Chat (stack Stack0) depends on Fn::If, which is not evaluated locally.",
    ],
    [
      "{{resolve:secretsmanager:token}}",
      "Chat (stack Stack0) depends on a dynamic reference ({{resolve:…}}), which is not evaluated locally.",
    ],
    [{ "Fn::Join": "x" }, "Chat (stack Stack0) needs a list where the template has something else."],
  ])("stops with the resource and the reason: %j", (value, message) => {
    const template = { Resources: { Key: { Type: "AWS::KMS::Key", Properties: {} } } };
    expect(() => evaluate(value, template)).toThrow(message);
  });

  it("does no harm to what nothing served depends on", () => {
    const model = read({
      Resources: { Helper: withVariables({ ZONES: { "Fn::GetAZs": "" } }), Key: { Type: "AWS::KMS::Key" } },
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

describe("An API", () => {
  const uri = (name: string) =>
    `arn:aws:x:lambda:path/functions/arn:aws:lambda:r:1:function:${name}/invocations`;
  const integration = { type: "aws_proxy", uri: uri("chat") };
  const operation = (changes: object = {}) => ({
    "x-amazon-apigateway-integration": integration,
    ...changes,
  });
  const integrated = (changes: object) =>
    operation({ "x-amazon-apigateway-integration": { ...integration, ...changes } });
  const withOperation = (changed: object) => ({ paths: { "/items": { get: changed } } });
  const mock = (template: string) =>
    withOperation(
      integrated({
        type: "mock",
        passthroughBehavior: "never",
        contentHandling: "CONVERT_TO_TEXT",
        requestTemplates: { "application/json": template },
      }),
    );
  const guard = (type: string) => ({
    components: {
      securitySchemes: { key: { "x-amazon-apigateway-authorizer": { type, authorizerUri: uri("chat") } } },
    },
  });

  const readDefined = (definition: object) =>
    read({ Resources: { Chat: functionWith({ FunctionName: "chat" }), ...apiWith(definition) } });

  it("has its own settings where its definition leaves them out", () => {
    const { routes } = readDefined(withOperation(operation())).restApi;
    expect(routes).toEqual([
      {
        logicalId: "GET /items",
        method: "GET",
        path: "/items",
        authorizer: undefined,
        integration: {
          type: "lambda",
          functionName: "chat",
          timeoutMilliseconds: 29_000,
          transferMode: "buffered",
        },
      },
    ]);
  });

  it.each([
    ["an authorizer for the whole API", { security: [{ token: [] }] }, "authorizers of the whole API"],
    ["request validators", { "x-amazon-apigateway-request-validator": "all" }, "request validators"],
    ["token authorizers", guard("token"), "only REQUEST authorizers are served"],
    [
      "an unknown authorizer",
      withOperation(operation({ security: [{ key: [] }] })),
      "Api (stack Stack0) at GET /items is protected by an authorizer that is not in the definition.",
    ],
    ["two authorizers", withOperation(operation({ security: [{}, {}] })), "one authorizer for each method"],
    ["IAM", withOperation(operation({ "x-amazon-apigateway-auth": {} })), "IAM authorization"],
    [
      "a variable that the stage lacks",
      withOperation(integrated({ uri: uri("${stageVariables.nobody}") })),
      "at GET /items names nobody, a variable that the stage does not have",
    ],
    ["a method without an integration", withOperation({}), "x-amazon-apigateway-integration"],
    [
      "HTTP integrations",
      withOperation(integrated({ type: "http_proxy" })),
      "of the form that is served locally",
    ],
    ["an unknown method", { paths: { "/items": { subscribe: operation() } } }, "subscribe"],
    [
      "functions outside the assembly",
      withOperation(integrated({ uri: uri("far") })),
      "at GET /items calls the function far, which is not in the assembly.",
    ],
    [
      "bodies that pass through a mock",
      withOperation(integrated({ type: "mock", passthroughBehavior: "when_no_match" })),
      "bodies without a template are not passed through",
    ],
    [
      "mapping templates that decide something",
      mock("#if($input.params('x')) {} #end"),
      "at GET /items has a mapping template with #if, which is not evaluated locally.",
    ],
    [
      "mapping templates that decide twice",
      mock('#if($context.stage == "a") 1 #else 2 #end #if($context.stage == "b") 3 #else 4 #end'),
      "at GET /items has a mapping template with #if, which is not evaluated locally.",
    ],
  ])(
    "is refused with %s instead of letting requests through that AWS would treat otherwise",
    (_what, definition, message) => {
      expect(() => readDefined(definition)).toThrow(message);
    },
  );

  it.each([
    [
      "a condition",
      { Table: { Type: "AWS::DynamoDB::Table", Condition: "Never" } },
      "depends on the condition Never",
    ],
    [
      "a function URL that does not stream",
      { Url: { Type: "AWS::Lambda::Url", Properties: { AuthType: "NONE", InvokeMode: "BUFFERED" } } },
      "only function URLs that stream are served",
    ],
    ["a second API", { Other: { Type: "AWS::ApiGateway::RestApi" } }, "Other (stack Stack0) is a second"],
  ])("is not served with %s", (_what, Resources, message) => {
    expect(() => read({ Resources })).toThrow(message);
  });
});
