import { describe, expect, it } from "vitest";
import { accessKeyIdIn } from "../src/aws-protocol/aws-server.ts";
import { Authority } from "../src/iam/authority.ts";
import { compilePolicy, type Decision, decide } from "../src/iam/policy.ts";

const table = "arn:aws:dynamodb:us-east-1:000000000000:table/notes";

const policy = (...Statement: object[]): object => ({ Version: "2012-10-17", Statement });
const allow = (Action: unknown, Resource: unknown, Condition?: object): object => ({
  Effect: "Allow",
  Action,
  Resource,
  ...(Condition && { Condition }),
});

const decision = (
  document: object,
  action: string,
  resource: string,
  context: Readonly<Record<string, readonly string[]>> = {},
): Decision => decide(compilePolicy(document), { action, resource, context });

describe("A policy", () => {
  it("allows what a statement allows, and denies everything else", () => {
    const document = policy(allow("dynamodb:GetItem", table), allow(["sqs:SendMessage"], [table, "queue"]));
    expect(decision(document, "dynamodb:GetItem", table)).toBe("allowed");
    expect(decision(document, "sqs:SendMessage", "queue")).toBe("allowed");
    expect(decision(document, "dynamodb:PutItem", table)).toBe("implicitly denied");
    expect(decision(document, "dynamodb:GetItem", `${table}/index/by-date`)).toBe("implicitly denied");
    expect(decision(policy(), "dynamodb:GetItem", table)).toBe("implicitly denied");
  });

  it("denies what one statement denies, even if others allow it", () => {
    const document = policy(allow("s3:*", "*"), {
      Effect: "Deny",
      Action: "s3:DeleteObject",
      Resource: "arn:aws:s3:::audio/*",
    });
    expect(decision(document, "s3:DeleteObject", "arn:aws:s3:::audio/a.wav")).toBe("explicitly denied");
    expect(decision(document, "s3:DeleteObject", "arn:aws:s3:::other/a.wav")).toBe("allowed");
  });

  it.each([
    ["s3:Get*", "s3:GetObject", true],
    ["s3:Get*", "s3:PutObject", false],
    ["S3:getobject", "s3:GetObject", true],
    ["*", "s3:GetObject", true],
    ["s3:Get?bject", "s3:GetObject", true],
    ["s3:Get?", "s3:GetObject", false],
  ])("takes the action %s for %s: %s", (pattern, action, isAllowed) => {
    const expected = isAllowed ? "allowed" : "implicitly denied";
    expect(decision(policy(allow(pattern, "*")), action, "any")).toBe(expected);
  });

  it.each([
    ["arn:aws:s3:::audio/speech/*", "arn:aws:s3:::audio/speech/a/b.wav", true],
    ["arn:aws:s3:::audio/speech/*", "arn:aws:s3:::audio/speech", false],
    ["arn:aws:s3:::audio/speech/*", "arn:aws:s3:::audio/SPEECH/a.wav", false],
    ["arn:aws:s3:::au.io/*", "arn:aws:s3:::audio/a", false],
    ["arn:aws:s3:::audio/(x)+[1]", "arn:aws:s3:::audio/(x)+[1]", true],
    ["arn:aws:s3:::audio/*.wav", "arn:aws:s3:::audio/line\nbreak.wav", true],
  ])("takes the resource %s for %j: %s", (pattern, resource, isAllowed) => {
    const expected = isAllowed ? "allowed" : "implicitly denied";
    expect(decision(policy(allow("s3:GetObject", pattern)), "s3:GetObject", resource)).toBe(expected);
  });
});

describe("A condition", () => {
  const onKeys = policy(
    allow("dynamodb:GetItem", table, {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["USER#*", "LINK#*"] },
      Null: { "dynamodb:LeadingKeys": "false" },
    }),
  );
  const withKeys = (...keys: string[]) =>
    decision(onKeys, "dynamodb:GetItem", table, keys.length > 0 ? { "dynamodb:LeadingKeys": keys } : {});

  it("of all values allows several keys if each fits, and none if the key has to be there", () => {
    expect(withKeys("USER#7")).toBe("allowed");
    expect(withKeys("USER#7", "LINK#a")).toBe("allowed");
    expect(withKeys("USER#7", "ACCESS#7")).toBe("implicitly denied");
    expect(withKeys()).toBe("implicitly denied");
  });

  it("of all values alone holds for a request without the key, as on AWS", () => {
    const document = policy(
      allow("dynamodb:Scan", table, { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": "USER#*" } }),
    );
    expect(decision(document, "dynamodb:Scan", table)).toBe("allowed");
  });

  it("of any value needs one that fits", () => {
    const document = policy(
      allow("dynamodb:GetItem", table, { "ForAnyValue:StringEquals": { "dynamodb:LeadingKeys": "USER#7" } }),
    );
    const keys = (...values: string[]) =>
      decision(
        document,
        "dynamodb:GetItem",
        table,
        values.length > 0 ? { "dynamodb:LeadingKeys": values } : {},
      );
    expect(keys("USER#7", "ACCESS#7")).toBe("allowed");
    expect(keys("ACCESS#7")).toBe("implicitly denied");
    expect(keys()).toBe("implicitly denied");
  });

  it.each([
    ["StringEquals", "speech/", [], "implicitly denied"],
    ["StringEquals", "speech/", ["speech/"], "allowed"],
    ["StringEquals", "speech/*", ["speech/a"], "implicitly denied"],
    ["StringLike", "speech/*", ["speech/a"], "allowed"],
    ["StringLike", "speech/*", ["jobs/a"], "implicitly denied"],
    ["StringLikeIfExists", "speech/*", [], "allowed"],
    ["StringLikeIfExists", "speech/*", ["jobs/a"], "implicitly denied"],
    ["StringNotEquals", "speech/", [], "allowed"],
    ["StringNotLike", "speech/*", ["speech/a"], "implicitly denied"],
    ["StringNotLike", "speech/*", ["jobs/a"], "allowed"],
    ["Null", "true", [], "allowed"],
    ["Null", "true", ["speech/"], "implicitly denied"],
  ])("%s %s with the values %j: %s", (operator, wanted, values, expected) => {
    const document = policy(allow("s3:ListBucket", "*", { [operator]: { "s3:prefix": wanted } }));
    const context = values.length > 0 ? { "s3:prefix": values } : {};
    expect(decision(document, "s3:ListBucket", "bucket", context)).toBe(expected);
  });

  it("must hold together with the others of its statement", () => {
    const document = policy(
      allow("ses:SendEmail", "*", {
        StringEquals: { "ses:FromAddress": "a@example.com", "s3:prefix": "x" },
        StringLike: { "s3:prefix": ["x", "y"] },
      }),
    );
    const send = (prefix: string) =>
      decision(document, "ses:SendEmail", "any", {
        "ses:FromAddress": ["a@example.com"],
        "s3:prefix": [prefix],
      });
    expect(send("x")).toBe("allowed");
    expect(send("y")).toBe("implicitly denied");
  });
});

describe("What is not evaluated here", () => {
  const onPrefix = (operator: string, wanted: unknown = "x") =>
    policy(allow("s3:ListBucket", "*", { [operator]: { "s3:prefix": wanted } }));

  it.each([
    [onPrefix("NumericLessThan", "5"), "the condition operator NumericLessThan is not evaluated here"],
    [onPrefix("ForSomeValues:StringLike"), "the condition operator ForSomeValues:StringLike"],
    [onPrefix("Null", ["true", "false"]), 'the operator Null takes "true" or "false" for s3:prefix'],
    [onPrefix("StringLike", ["home/$", "{aws:username}"].join("")), "the policy variable in"],
    [
      policy(allow("*", "*", { StringEquals: { "aws:PrincipalTag/team": "a" } })),
      "the condition key aws:PrincipalTag/team is not evaluated here",
    ],
    [
      policy(allow("*", "*", { StringLike: { "dynamodb:LeadingKeys": "a" } })),
      "the condition key dynamodb:LeadingKeys needs ForAllValues or ForAnyValue",
    ],
    [policy({ Effect: "Allow", NotAction: "s3:*", Resource: "*" }), "NotAction"],
    [policy({ Effect: "Allow", Action: "s3:*", NotResource: "*" }), "NotResource"],
    [{ Version: "2008-10-17", Statement: [] }, "Version"],
  ])("is an error: %j", (document, message) => {
    expect(() => compilePolicy(document)).toThrow(message);
  });
});

describe("An authority", () => {
  const root = { accessKeyId: "root", secretAccessKey: "secret" };
  const reading = { action: "dynamodb:GetItem", resource: table };
  const writing = { action: "dynamodb:PutItem", resource: table };
  const reader = { name: "reader", statements: compilePolicy(policy(allow("dynamodb:GetItem", table))) };

  it("lets the root key do everything, a role what its policies allow, and an unknown key nothing", () => {
    const authority = new Authority(root);
    const { accessKeyId } = authority.admit(reader);
    expect(authority.denialOf("root", [reading, writing])).toBeUndefined();
    expect(authority.denialOf(accessKeyId, [reading])).toBeUndefined();
    expect(authority.denialOf(accessKeyId, [reading, writing])).toEqual({
      ...writing,
      caller: "arn:aws:sts::000000000000:assumed-role/reader/local",
      reason: "because no identity-based policy allows the dynamodb:PutItem action",
    });
    expect(authority.denialOf("unknown", [reading])).toMatchObject(reading);
    expect(authority.secretOf("unknown")).toBeUndefined();
  });

  it("creates a secret for each role, the same after each start", () => {
    const keys = ["reader", "writer"].map((name) => new Authority(root).admit({ name, statements: [] }));
    expect(new Set(keys.map(({ secretAccessKey }) => secretAccessKey)).size).toBe(2);
    expect(new Authority(root).admit(reader)).toEqual(keys[0]);
    expect(new Authority({ ...root, secretAccessKey: "other" }).admit(reader)).not.toEqual(keys[0]);
  });

  it("reads the key of a signature, which may have slashes", () => {
    const header = (key: string) =>
      `AWS4-HMAC-SHA256 Credential=${key}/20261120/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0`;
    expect(accessKeyIdIn(header("local-key"))).toBe("local-key");
    expect(accessKeyIdIn(header("a/b"))).toBe("a/b");
    expect(accessKeyIdIn(undefined)).toBe("");
    expect(accessKeyIdIn("AWS4-HMAC-SHA256 nonsense")).toBe("");
  });
});
