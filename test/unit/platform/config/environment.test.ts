import { describe, expect, it } from "vitest";
import { workingMilliseconds } from "../../../../shared/http/function-definition.ts";
import {
  bucketEnvironment,
  chatBackendEnvironment,
  readAwsConfig,
  readEnvironment,
  tableEnvironment,
} from "../../../../shared/platform/config/environment.ts";
import { countVariable } from "../../../../shared/platform/config/variables.ts";
import { vendorsEnvironment } from "../../../../shared/platform/config/vendors.ts";
import { objectStoreFrom } from "../../../../shared/wiring/from-environment.ts";

const declared = { ...tableEnvironment, JOB_PIECES_AT_ONCE: countVariable, ...vendorsEnvironment };
const variables = {
  TABLE_NAME: "table",
  JOB_PIECES_AT_ONCE: "50",
  LEGACY_VENDORS: '{"a":"modal","b":"runpod"}',
};

describe("the environment of a function", () => {
  it("is what the function declares, with numbers as numbers", () => {
    expect(readEnvironment(declared, { ...variables, OTHER: "x" })).toEqual({
      TABLE_NAME: "table",
      JOB_PIECES_AT_ONCE: 50,
      LEGACY_VENDORS: { a: "modal", b: "runpod" },
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "",
      AWS_SECRET_ACCESS_KEY: "",
    });
  });

  it("has what every function is given, too", () => {
    const given = {
      METRICS_NAMESPACE: "LanguageAi-test",
      AWS_REGION: "eu-west-1",
      AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1",
    };
    expect(readEnvironment(declared, { ...variables, ...given })).toMatchObject(given);
  });

  it.each([
    [{ TABLE_NAME: undefined }, /TABLE_NAME/],
    [{ TABLE_NAME: "" }, /TABLE_NAME/],
    [{ JOB_PIECES_AT_ONCE: "0" }, /JOB_PIECES_AT_ONCE/],
    [{ JOB_PIECES_AT_ONCE: "1.5" }, /JOB_PIECES_AT_ONCE/],
    ...[undefined, "", "modal", "null", "[]", '{"a":"hunter2"}', '{"a":"modal","b":null}'].map(
      (LEGACY_VENDORS): [object, RegExp] => [{ LEGACY_VENDORS }, /LEGACY_VENDORS: b: /],
    ),
    [{ METRICS_NAMESPACE: "" }, /METRICS_NAMESPACE/],
    [{ AWS_ENDPOINT_URL_S3: "hunter2" }, /AWS_ENDPOINT_URL_S3/],
  ])("is refused by the names of what is wrong, never its value: %j", (changes, name) => {
    const read = () => readEnvironment(declared, { ...variables, ...changes });
    expect(read).toThrow("The function's environment is not complete.");
    expect(read).toThrow(name);
    expect(read).not.toThrow(/hunter2/);
  });

  it("names all problems at once", () => {
    expect(() => readEnvironment(chatBackendEnvironment, { CHAT_TIMEOUT_MS: "0" })).toThrow(
      /CHAT_MODELS.*CHAT_TIMEOUT_MS.*INFERENCE_KEYS_SECRET_ID/,
    );
  });
});

describe("where AWS is", () => {
  it("is AWS itself, unless a variable says otherwise", () => {
    expect(readAwsConfig({})).toEqual({
      region: "us-east-1",
      credentials: { accessKeyId: "", secretAccessKey: "" },
      endpoints: { DynamoDB: undefined, SecretsManager: undefined, S3: undefined },
    });
  });

  it("may be said for all services, and for each of them", () => {
    expect(
      readAwsConfig({
        AWS_REGION: "af-south-1",
        AWS_ACCESS_KEY_ID: "AKID",
        AWS_SECRET_ACCESS_KEY: "secret",
        AWS_SESSION_TOKEN: "session",
        AWS_ENDPOINT_URL: "http://127.0.0.1:1",
        AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:2",
        AWS_ENDPOINT_URL_SECRETS_MANAGER: "http://127.0.0.1:3",
      }),
    ).toEqual({
      region: "af-south-1",
      credentials: { accessKeyId: "AKID", secretAccessKey: "secret", sessionToken: "session" },
      endpoints: {
        CodeDeploy: "http://127.0.0.1:1",
        DynamoDB: "http://127.0.0.1:2",
        Lambda: "http://127.0.0.1:1",
        SecretsManager: "http://127.0.0.1:3",
        S3: "http://127.0.0.1:1",
        SQS: "http://127.0.0.1:1",
      },
    });
    expect(readAwsConfig({ AWS_ENDPOINT_URL_S3: "http://127.0.0.1:4" }).endpoints.S3).toBe(
      "http://127.0.0.1:4",
    );
  });
});

describe("a function's working time", () => {
  it("ends ten seconds before its own", () => {
    expect(workingMilliseconds({ timeoutSeconds: 330 })).toBe(320_000);
  });
});

describe("the store of a function", () => {
  it("is the bucket that its variables name", () => {
    expect(objectStoreFrom(readEnvironment(bucketEnvironment, { BUCKET_NAME: "audio" }))).toMatchObject({
      open: expect.any(Function),
    });
  });
});
