import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readAwsConfig } from "../../../../shared/platform/config/environment.ts";
import { toAppError } from "../../../../shared/platform/errors/dependency-failure.ts";
import { openAwsJsonService } from "../../../../shared/platform/outbound/aws-json.ts";
import {
  type Behaviour,
  type FakeBackend,
  resetting,
  responding,
  startFakeBackend,
} from "../../../support/fake-backend.ts";
import { createSdkSigner } from "../../../support/sdk-signer.ts";

const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG",
  sessionToken: "a+b/c=",
};

let aws: FakeBackend;
let address: string;
beforeEach(async () => {
  aws = await startFakeBackend();
  address = new URL(aws.baseUrl).origin;
});
afterEach(() => aws.close());

/** A service whose tries are short and follow each other closely. */
const openAws = (service: "DynamoDB" | "SecretsManager" | "SQS") =>
  openAwsJsonService(
    service,
    readAwsConfig({
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_SESSION_TOKEN: credentials.sessionToken,
      AWS_ENDPOINT_URL: address,
    }),
    { attemptMilliseconds: 300, pauseMilliseconds: 1 },
  );

const refusal = (name: string, more: object = {}) =>
  responding(400, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "No.", ...more });

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail("The call did not fail."),
    (error: unknown) => error,
  );

describe("a call of an AWS service that speaks JSON", () => {
  it("sends the operation and the input, and returns the response", async () => {
    aws.behave(responding(200, { Item: { PK: { S: "a" } } }));
    const response = await openAws("DynamoDB").call("GetItem", { TableName: "é" });
    expect(response).toEqual({ Item: { PK: { S: "a" } } });
    expect(aws.received).toMatchObject([
      {
        path: "/",
        body: '{"TableName":"é"}',
        headers: {
          "x-amz-target": "DynamoDB_20120810.GetItem",
          "content-type": "application/x-amz-json-1.0",
          "x-amz-security-token": credentials.sessionToken,
        },
      },
    ]);
  });

  it.each(["DynamoDB", "SecretsManager", "SQS"] as const)(
    "to %s is signed as the SDK would sign it",
    async (service) => {
      aws.behave(responding(200, {}));
      await openAws(service).call("GetSecretValue", { SecretId: "a b/é" });
      const [{ headers = {}, body = "" } = {}] = aws.received;
      const authorization = headers.authorization ?? "";
      const signedNames = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(";") ?? [];
      expect(signedNames).toEqual(expect.arrayContaining(["host", "x-amz-date", "x-amz-target"]));

      const date = String(headers["x-amz-date"]);
      const signer = createSdkSigner(service.toLowerCase(), { region: "eu-west-1", credentials });
      const signed = await signer.sign(
        {
          method: "POST",
          protocol: "http:",
          hostname: new URL(address).hostname,
          path: "/",
          headers: Object.fromEntries(signedNames.map((name) => [name, String(headers[name])])),
          body,
        },
        {
          signingDate: new Date(
            date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"),
          ),
          signableHeaders: new Set(signedNames),
        },
      );
      expect(signed.headers["authorization"]).toBe(authorization);
    },
  );

  it("is repeated when AWS throttles it, fails or breaks the connection", async () => {
    aws.behave(refusal("ThrottlingException"), resetting, responding(200, { done: true }));
    expect(await openAws("DynamoDB").call("UpdateItem", {})).toEqual({ done: true });
    expect(aws.received).toHaveLength(3);
  });

  it("sends something else once it is unknown whether it was executed, and the same once it certainly was not", async () => {
    const sent = async (...behaviours: Behaviour[]) => {
      aws.behave(...behaviours, responding(200, {}));
      await openAws("DynamoDB").call("UpdateItem", { try: 1 }, undefined, () => ({ try: 2 }));
      return aws.received.map(({ body }) => body);
    };
    expect(await sent(resetting)).toEqual(['{"try":1}', '{"try":2}']);
    expect(await sent(responding(500, { __type: "InternalServerError" }))).toEqual([
      '{"try":1}',
      '{"try":2}',
    ]);
    expect(await sent(refusal("ThrottlingException"))).toEqual(['{"try":1}', '{"try":1}']);
    expect(await sent(refusal("ThrottlingException"), resetting)).toEqual([
      '{"try":1}',
      '{"try":1}',
      '{"try":2}',
    ]);
  });

  it.each([
    ["the connection breaks", resetting],
    ["AWS fails", responding(500, { __type: "InternalServerError" })],
  ])("that may run only once is not repeated when %s", async (_case, behaviour) => {
    aws.behave(behaviour);
    const failure = await failureOf(openAws("DynamoDB").call("UpdateItem", {}, undefined, () => undefined));
    expect(toAppError(failure)).toMatchObject({ code: "service_unavailable" });
    expect(aws.received).toHaveLength(1);
  });

  it("is abandoned after three attempts, as a temporary failure", async () => {
    aws.behave(responding(503, "<html>no</html>"));
    const error = await failureOf(openAws("DynamoDB").call("UpdateItem", {}));
    expect(error).toMatchObject({ name: "UnknownError", $metadata: { httpStatusCode: 503 } });
    expect(toAppError(error).code).toBe("service_unavailable");
    expect(aws.received).toHaveLength(3);
  });

  it("without a response is a temporary failure", async () => {
    await aws.close();
    const error = await failureOf(openAws("DynamoDB").call("UpdateItem", {}));
    expect(error).toMatchObject({ name: "NetworkError" });
    expect(toAppError(error).code).toBe("service_unavailable");
    aws = await startFakeBackend();
  });

  it("does not wait for a response that comes drop by drop, and tries again", async () => {
    const dripping: Behaviour = (response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      const timer = setInterval(() => response.write(" "), 50);
      response.once("close", () => clearInterval(timer));
    };
    aws.behave(dripping, responding(200, { done: true }));
    expect(await openAws("DynamoDB").call("UpdateItem", {})).toEqual({ done: true });
    expect(aws.received).toHaveLength(2);
  });

  it("that is refused is not repeated, and says what AWS says", async () => {
    aws.behave(refusal("ConditionalCheckFailedException", { Item: { n: { N: "3" } } }));
    const error = await failureOf(openAws("DynamoDB").call("UpdateItem", {}));
    expect(error).toMatchObject({
      name: "ConditionalCheckFailedException",
      message: "No.",
      $metadata: { httpStatusCode: 400 },
      details: { Item: { n: { N: "3" } } },
    });
    expect(toAppError(error).code).toBe("internal");
    expect(aws.received).toHaveLength(1);
  });

  it("ends with its signal, and is not repeated then", async () => {
    aws.behave(() => undefined);
    const leaving = new AbortController();
    const call = openAws("DynamoDB").call("UpdateItem", {}, leaving.signal);
    await vi.waitFor(() => expect(aws.received).toHaveLength(1));
    leaving.abort(new Error("The caller has left."));
    expect(await failureOf(call)).toMatchObject({ message: "The caller has left." });
    expect(aws.received).toHaveLength(1);
  });
});

describe("where AWS is", () => {
  it("is the variable of a service before that of all, and AWS itself without either", () => {
    expect(
      readAwsConfig({
        AWS_REGION: "eu-west-1",
        AWS_ENDPOINT_URL: "http://127.0.0.1:1",
        AWS_ENDPOINT_URL_SECRETS_MANAGER: "http://127.0.0.1:2",
        AWS_ENDPOINT_URL_SQS: "http://127.0.0.1:3",
      }),
    ).toMatchObject({
      region: "eu-west-1",
      endpoints: {
        DynamoDB: "http://127.0.0.1:1",
        SecretsManager: "http://127.0.0.1:2",
        S3: "http://127.0.0.1:1",
        SQS: "http://127.0.0.1:3",
      },
    });
    expect(readAwsConfig({})).toMatchObject({
      region: "us-east-1",
      endpoints: { DynamoDB: undefined, SecretsManager: undefined, S3: undefined, SQS: undefined },
    });
  });

  it("is not taken from a variable that is no address", () => {
    expect(() => readAwsConfig({ AWS_ENDPOINT_URL_S3: "somewhere" })).toThrow("AWS_ENDPOINT_URL_S3");
  });
});
