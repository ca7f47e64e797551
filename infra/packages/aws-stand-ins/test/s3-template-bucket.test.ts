import { HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { App, Duration, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Bucket, HttpMethods } from "aws-cdk-lib/aws-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { startTestS3, type TestS3 } from "./s3-fixture.ts";

/** What CDK writes into the template for a bucket with rules. */
const synthesise = (): unknown => {
  const stack = new Stack(new App(), "Audio");
  new Bucket(stack, "Bucket", {
    cors: [{ allowedOrigins: ["https://app.example"], allowedMethods: [HttpMethods.PUT], maxAge: 60 }],
    enforceSSL: true,
    versioned: false,
    lifecycleRules: [
      { prefix: "uploads/", expiration: Duration.days(1) },
      { prefix: "speech/", expiration: Duration.days(1), enabled: false },
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
  });
  const [resource] = Object.values(Template.fromStack(stack).findResources("AWS::S3::Bucket"));
  return z.object({ Properties: z.unknown() }).parse(resource).Properties;
};

const inThreeDays = () => new Date(Date.now() + 3 * 24 * 60 * 60 * 1000);

let s3: TestS3;
let properties: unknown;
beforeAll(async () => {
  s3 = await startTestS3();
  // The first synthesis in a process loads most of CDK.
  properties = synthesise();
}, 60_000);
afterAll(() => s3.close());

const preflight = async () => {
  const response = await fetch(`${s3.server.endpoint}/from-template/any`, {
    method: "OPTIONS",
    headers: { origin: "https://app.example", "access-control-request-method": "PUT" },
  });
  return response.status;
};

const put = (Key: string) =>
  s3.client.send(new PutObjectCommand({ Bucket: "from-template", Key, Body: "x" }));

describe("A bucket of the template", () => {
  it("has the template's rules", async () => {
    await s3.server.ensureBucket("from-template", properties);
    expect(await preflight()).toBe(200);
    await put("uploads/unused");
    await put("speech/kept");
    expect(await s3.server.applyLifecycle(inThreeDays())).toBe(1);
  });

  it("loses rules the template no longer has, and keeps its objects", async () => {
    await s3.server.ensureBucket("from-template", properties);
    await put("uploads/unused");
    await s3.server.ensureBucket("from-template", {});
    expect(await preflight()).toBe(403);
    expect(await s3.server.applyLifecycle(inThreeDays())).toBe(0);
    const stored = new HeadObjectCommand({ Bucket: "from-template", Key: "uploads/unused" });
    expect((await s3.client.send(stored)).ContentLength).toBe(1);
  });

  it("is refused when it would delete by a condition that is not understood", async () => {
    for (const condition of [
      { ObjectSizeGreaterThan: 1000 },
      { TagFilters: [{ Key: "state", Value: "unused" }] },
    ]) {
      const Rules = [{ Status: "Enabled", ExpirationInDays: 1, ...condition }];
      const ensured = s3.server.ensureBucket("strict", { LifecycleConfiguration: { Rules } });
      await expect(ensured).rejects.toThrow(Object.keys(condition)[0]);
    }
  });
});
