import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectTaggingCommand,
} from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { bucket, refusalOf, startTestS3, type TestS3 } from "./s3-fixture.ts";

const day = 24 * 60 * 60 * 1000;

let s3: TestS3;
beforeEach(async () => {
  s3 = await startTestS3();
});
afterEach(() => s3.close());

const setRules = (...Rules: object[]) =>
  s3.server.ensureBucket(bucket, { LifecycleConfiguration: { Rules } });

/** When one day of an object is over: the second midnight UTC after it was stored. */
const endOfFirstDay = async (key: string): Promise<number> => {
  const { LastModified } = await s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
  return (Math.floor((LastModified?.getTime() ?? 0) / day) + 2) * day;
};

describe("A lifecycle rule", () => {
  const unused = {
    Status: "Enabled",
    Prefix: "uploads/",
    TagFilters: [{ Key: "state", Value: "unused" }],
    ExpirationInDays: 1,
  };

  it("deletes the objects with its prefix and tags when their days are over", async () => {
    await setRules(unused);
    await s3.put("uploads/unused", "x", { Tagging: "state=unused&owner=1" });
    await s3.put("uploads/used", "x", { Tagging: "state=used" });
    await s3.put("uploads/untagged", "x");
    await s3.put("speech/unused", "x", { Tagging: "state=unused" });
    const end = await endOfFirstDay("uploads/unused");
    expect(await s3.server.applyLifecycle(new Date(end - 1))).toBe(0);
    expect(await s3.server.applyLifecycle(new Date(end))).toBe(1);
    expect(await s3.server.applyLifecycle(new Date(end))).toBe(0);
    expect(await refusalOf(s3.get("uploads/unused"))).toBe("404 NoSuchKey");
    for (const kept of ["uploads/used", "uploads/untagged", "speech/unused"])
      expect(await s3.get(kept)).toBe("x");
  });

  it("spares an object that has been used in the meantime", async () => {
    await setRules(unused);
    await s3.put("uploads/a", "x", { Tagging: "state=unused" });
    await s3.put("uploads/b", "y", { Tagging: "state=unused" });
    const tagging = { Bucket: bucket, Key: "uploads/a", Tagging: { TagSet: [] } };
    await s3.client.send(new PutObjectTaggingCommand(tagging));
    const move = { Bucket: bucket, Key: "kept/b", CopySource: `${bucket}/uploads/b` };
    await s3.client.send(new CopyObjectCommand(move));
    expect(await s3.server.applyLifecycle(new Date(Date.now() + 10 * day))).toBe(1);
    expect([await s3.get("uploads/a"), await s3.get("kept/b")]).toEqual(["x", "y"]);
  });

  it("does nothing while it is disabled, and nothing today", async () => {
    await setRules({ ...unused, TagFilters: [], Status: "Disabled" });
    await s3.put("uploads/a", "x");
    expect(await s3.server.applyLifecycle(new Date(Date.now() + 100 * day))).toBe(0);
    await setRules({ ...unused, TagFilters: [] });
    expect(await s3.server.applyLifecycle()).toBe(0);
    expect(await s3.get("uploads/a")).toBe("x");
  });

  it("aborts multipart uploads that nobody finishes", async () => {
    await setRules({ Status: "Enabled", AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } });
    const upload = { Bucket: bucket, Key: "uploads/a" };
    const { UploadId } = await s3.client.send(new CreateMultipartUploadCommand(upload));
    const listed = () => s3.client.send(new ListPartsCommand({ ...upload, UploadId }));
    await s3.server.applyLifecycle();
    expect((await listed()).UploadId).toBe(UploadId);
    expect(await s3.server.applyLifecycle(new Date(Date.now() + 2 * day))).toBe(0);
    expect(await refusalOf(listed())).toBe("404 NoSuchUpload");
  });
});
