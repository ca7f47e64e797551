import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bucket, refusalOf, startTestS3, type TestS3 } from "./s3-fixture.ts";

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3();
});
afterAll(() => s3.close());

const head = (Key: string) => s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key }));

describe("An object", () => {
  it("comes back byte for byte, with the MD5 of its body as entity tag", async () => {
    const body = randomBytes(300_000);
    const etag = await s3.put("round-trip.bin", body);
    const got = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: "round-trip.bin" }));
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(body)).toBe(true);
    expect(etag).toBe(`"${createHash("md5").update(body).digest("hex")}"`);
    expect(got.ETag).toBe(etag);
  });

  it("keeps its content headers and metadata, and none of the transfer's encoding", async () => {
    await s3.put("described.wav", Readable.from([Buffer.from("RIFF")]), {
      ContentLength: 4,
      ContentType: "audio/wav",
      CacheControl: "max-age=60",
      ContentDisposition: 'attachment; filename="olugero.wav"',
      Metadata: { account: "42" },
    });
    const described = await head("described.wav");
    expect(described).toMatchObject({
      ContentLength: 4,
      ContentType: "audio/wav",
      CacheControl: "max-age=60",
      ContentDisposition: 'attachment; filename="olugero.wav"',
      Metadata: { account: "42" },
      AcceptRanges: "bytes",
    });
    expect(described.ContentEncoding).toBeUndefined();
    expect(described.LastModified).toBeInstanceOf(Date);
  });

  it("may be empty", async () => {
    await s3.put("empty", Buffer.alloc(0));
    expect(await s3.get("empty")).toBe("");
    expect((await head("empty")).ContentLength).toBe(0);
  });

  it("is missing before it is put and after it is deleted, and deleting it twice succeeds", async () => {
    expect(await refusalOf(s3.get("missing"))).toBe("404 NoSuchKey");
    expect(await refusalOf(head("missing"))).toBe("404 NotFound");
    await s3.put("short-lived", "x");
    for (const attempt of ["first", "second"]) {
      const { $metadata } = await s3.client.send(
        new DeleteObjectCommand({ Bucket: bucket, Key: "short-lived" }),
      );
      expect($metadata.httpStatusCode, attempt).toBe(204);
    }
    expect(await refusalOf(s3.get("short-lived"))).toBe("404 NoSuchKey");
  });
});

describe("A copy of an object", () => {
  const copy = (CopySource: string, CopySourceIfMatch?: string) =>
    s3.client.send(
      new CopyObjectCommand({
        Bucket: bucket,
        Key: "copy",
        CopySource: `${bucket}/${encodeURIComponent(CopySource)}`,
        CopySourceIfMatch,
      }),
    );

  it("has its bytes, headers and version, and stays when it is deleted", async () => {
    const version = await s3.put("a source", "bytes", { ContentType: "audio/wav" });
    expect((await copy("a source", version)).CopyObjectResult?.ETag).toBe(version);
    await s3.client.send(new DeleteObjectCommand({ Bucket: bucket, Key: "a source" }));
    expect(await s3.get("copy")).toBe("bytes");
    expect(await head("copy")).toMatchObject({ ContentType: "audio/wav", ETag: version });
  });

  it("is refused when the object is missing or has changed", async () => {
    const version = await s3.put("changed", "before");
    await s3.put("changed", "after");
    expect(await refusalOf(copy("changed", version))).toBe("412 PreconditionFailed");
    expect(await refusalOf(copy("missing"))).toBe("404 NoSuchKey");
  });
});

describe("A range of an object", () => {
  it.each([
    ["bytes=0-3", "0123", "bytes 0-3/16"],
    ["bytes=10-", "abcdef", "bytes 10-15/16"],
    ["bytes=-5", "bcdef", "bytes 11-15/16"],
    ["bytes=-99", "0123456789abcdef", "bytes 0-15/16"],
    ["bytes=14-99", "ef", "bytes 14-15/16"],
    ["bytes=15-15", "f", "bytes 15-15/16"],
  ])("%s is %s", async (Range, content, contentRange) => {
    await s3.put("alphabet", "0123456789abcdef");
    const got = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: "alphabet", Range }));
    expect(await got.Body?.transformToString()).toBe(content);
    expect(got.ContentRange).toBe(contentRange);
    expect(got.$metadata.httpStatusCode).toBe(206);
    expect(got.ContentLength).toBe(content.length);
  });

  it.each(["bytes=16-", "bytes=99-100", "bytes=-0"])("%s is beyond it and refused", async (Range) => {
    await s3.put("alphabet", "0123456789abcdef");
    expect(await refusalOf(s3.get("alphabet", { Range }))).toBe("416 InvalidRange");
  });

  it.each(["bytes=5-2", "bytes=0-1,4-5", "lines=1-2"])(
    "%s is no single range, so all of it is served",
    async (Range) => {
      await s3.put("alphabet", "0123456789abcdef");
      expect(await s3.get("alphabet", { Range })).toBe("0123456789abcdef");
    },
  );
});

describe("A condition", () => {
  it("saves reading what the client has already", async () => {
    const IfNoneMatch = await s3.put("cached", "v1");
    expect(await refusalOf(s3.get("cached", { IfNoneMatch }))).toMatch(/^304 /);
    const later = new Date(Date.now() + 60_000);
    expect(await refusalOf(s3.get("cached", { IfModifiedSince: later }))).toMatch(/^304 /);
    expect(await s3.get("cached", { IfNoneMatch: '"other"' })).toBe("v1");
    expect(await s3.get("cached", { IfModifiedSince: new Date(0) })).toBe("v1");
  });

  it("refuses to read another version than the one named", async () => {
    const IfMatch = await s3.put("versioned", "v1");
    expect(await s3.get("versioned", { IfMatch })).toBe("v1");
    await s3.put("versioned", "v2");
    expect(await refusalOf(s3.get("versioned", { IfMatch }))).toBe("412 PreconditionFailed");
    expect(await refusalOf(s3.get("versioned", { IfUnmodifiedSince: new Date(0) }))).toBe(
      "412 PreconditionFailed",
    );
  });

  it("lets only the first of two writers create an object", async () => {
    const results = await Promise.allSettled([
      s3.put("created-once", "a".repeat(100_000), { IfNoneMatch: "*" }),
      s3.put("created-once", "b".repeat(100_000), { IfNoneMatch: "*" }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await refusalOf(s3.put("created-once", "c", { IfNoneMatch: "*" }))).toBe("412 PreconditionFailed");
  });

  it("replaces only the version a writer has seen", async () => {
    const seen = await s3.put("edited", "v1");
    await s3.put("edited", "v2", { IfMatch: seen });
    expect(await refusalOf(s3.put("edited", "v3", { IfMatch: seen }))).toBe("412 PreconditionFailed");
    expect(await refusalOf(s3.put("never-made", "v1", { IfMatch: seen }))).toBe("404 NoSuchKey");
    expect(await s3.get("edited")).toBe("v2");
  });
});

describe("What is not implemented", () => {
  it("is refused explicitly, not ignored", async () => {
    await s3.put("plain", "x");
    const attributes = { Bucket: bucket, Key: "plain", ObjectAttributes: ["ETag" as const] };
    expect(await refusalOf(s3.client.send(new GetObjectAttributesCommand(attributes)))).toBe(
      "501 NotImplemented",
    );
    expect(await refusalOf(s3.put("locked", "x", { ACL: "public-read" }))).toBe("501 NotImplemented");
    expect(await refusalOf(s3.get("plain", { VersionId: "1" }))).toBe("501 NotImplemented");
    expect(await refusalOf(s3.put("tagged", "x", { Tagging: "a=b" }))).toBe("501 NotImplemented");
    const copy = new CopyObjectCommand({ Bucket: bucket, Key: "copied", CopySource: "another/plain" });
    expect(await refusalOf(s3.client.send(copy))).toBe("501 NotImplemented");
    for (const key of ["locked", "tagged", "copied"]) {
      expect(await refusalOf(s3.get(key))).toBe("404 NoSuchKey");
    }
  });
});
