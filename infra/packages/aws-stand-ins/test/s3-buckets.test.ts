import {
  CreateBucketCommand,
  ListBucketsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bucket, clientOf, fetchOutcome, refusalOf, startTestS3, type TestS3 } from "./s3-fixture.ts";

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3();
});
afterAll(() => s3.close());

const create = (Bucket: string) => s3.client.send(new CreateBucketCommand({ Bucket }));

describe("A bucket", () => {
  it("is created once, and listed", async () => {
    await create("made-later");
    const { Buckets } = await s3.client.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual([bucket, "made-later"]);
    expect(await refusalOf(create("made-later"))).toBe("409 BucketAlreadyOwnedByYou");
  });

  it.each(["UPPER", "ab", "a..b", "192.168.0.1", "-a-", "a_b"])("is not named %s", async (name) => {
    expect(await refusalOf(create(name))).toBe("400 InvalidBucketName");
    await expect(s3.server.ensureBucket(name, {})).rejects.toThrow(name);
  });

  it("is created in the region of the server only", async () => {
    const elsewhere = clientOf(s3.server.endpoint);
    const CreateBucketConfiguration = { LocationConstraint: "us-west-2" as const };
    const command = new CreateBucketCommand({ Bucket: "elsewhere", CreateBucketConfiguration });
    expect(await refusalOf(elsewhere.send(command))).toBe("400 InvalidArgument");
    elsewhere.destroy();
  });

  it("that does not exist holds nothing", async () => {
    const command = new PutObjectCommand({ Bucket: "no-such-bucket", Key: "a", Body: "x" });
    expect(await refusalOf(s3.client.send(command))).toBe("404 NoSuchBucket");
  });

  it("keeps no versions, and says so", async () => {
    const VersioningConfiguration = { Status: "Enabled" as const };
    const command = new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration });
    expect(await refusalOf(s3.client.send(command))).toBe("501 NotImplemented");
  });
});

describe("A browser on another origin", () => {
  const target = () => `${s3.server.endpoint}/${bucket}/uploads/a.wav`;
  const preflight = (origin: string, method = "PUT", headers = "Content-Type, X-Amz-Meta-Account") =>
    fetch(target(), {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": method, "access-control-request-headers": headers },
    });

  beforeAll(async () => {
    const CorsRules = [
      {
        AllowedOrigins: ["https://app.example", "https://*.partner.example"],
        AllowedMethods: ["PUT", "GET"],
        AllowedHeaders: ["content-type", "x-amz-*"],
        ExposedHeaders: ["ETag"],
        MaxAge: 300,
      },
      { AllowedOrigins: ["*"], AllowedMethods: ["HEAD"] },
    ];
    await s3.server.ensureBucket(bucket, { CorsConfiguration: { CorsRules } });
  });

  it.each(["https://app.example", "https://kampala.partner.example"])(
    "is admitted from %s",
    async (origin) => {
      const response = await preflight(origin);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "PUT, GET",
        "access-control-allow-headers": "content-type, x-amz-meta-account",
        "access-control-max-age": "300",
        vary: expect.stringContaining("Origin"),
      });
    },
  );

  it("is refused where no rule has its origin, method and headers", async () => {
    for (const refused of [
      await preflight("https://evil.example"),
      await preflight("https://app.example.evil.example"),
      await preflight("https://app.example", "DELETE"),
      await preflight("https://app.example", "PUT", "authorization"),
      await fetch(target().replace(bucket, "no-such-bucket"), {
        method: "OPTIONS",
        headers: { origin: "https://app.example", "access-control-request-method": "PUT" },
      }),
    ]) {
      expect(refused.status).toBe(403);
      expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it("may read the responses, refusals included", async () => {
    const url = await getSignedUrl(s3.client, new PutObjectCommand({ Bucket: bucket, Key: "uploads/a.wav" }));
    const request = { method: "PUT", body: "x", headers: { origin: "https://app.example" } };
    const accepted = await fetch(url, request);
    expect(accepted.status).toBe(200);
    expect(accepted.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(accepted.headers.get("access-control-expose-headers")).toBe("ETag");
    const refused = await fetch(target(), request);
    expect(refused.status).toBe(403);
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://app.example");
  });

  it("gets a wildcard where any origin may come, and nothing where it may not", async () => {
    const anyone = await fetch(target(), { method: "HEAD", headers: { origin: "https://any.example" } });
    expect(anyone.headers.get("access-control-allow-origin")).toBe("*");
    const stranger = await fetch(target(), { headers: { origin: "https://any.example" } });
    expect(stranger.headers.get("access-control-allow-origin")).toBeNull();
    expect(await fetchOutcome(target(), { method: "OPTIONS" })).toBe("400 InvalidRequest");
  });
});
