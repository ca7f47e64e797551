import { CreateMultipartUploadCommand, HeadObjectCommand, UploadPartCommand } from "@aws-sdk/client-s3";
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

/** When one day of an object has passed: the second midnight UTC after it was stored. */
const endOfFirstDay = async (key: string): Promise<number> => {
  const { LastModified } = await s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
  return (Math.floor((LastModified?.getTime() ?? 0) / day) + 2) * day;
};

describe("A lifecycle rule", () => {
  const unused = {
    Status: "Enabled",
    Prefix: "uploads/",
    ExpirationInDays: 1,
  };

  it("deletes the objects with its prefix when their days have passed", async () => {
    await setRules(unused);
    await s3.put("uploads/unused", "x");
    await s3.put("speech/uploads/a", "x");
    await s3.put("speech/unused", "x");
    const end = await endOfFirstDay("uploads/unused");
    expect(await s3.server.applyLifecycle(new Date(end - 1))).toBe(0);
    expect(await s3.server.applyLifecycle(new Date(end))).toBe(1);
    expect(await s3.server.applyLifecycle(new Date(end))).toBe(0);
    expect(await refusalOf(s3.get("uploads/unused"))).toBe("404 NoSuchKey");
    for (const stored of ["speech/uploads/a", "speech/unused"]) expect(await s3.get(stored)).toBe("x");
  });

  it("does nothing while it is disabled, and nothing today", async () => {
    await setRules({ ...unused, Status: "Disabled" });
    await s3.put("uploads/a", "x");
    expect(await s3.server.applyLifecycle(new Date(Date.now() + 100 * day))).toBe(0);
    await setRules(unused);
    expect(await s3.server.applyLifecycle()).toBe(0);
    expect(await s3.get("uploads/a")).toBe("x");
  });

  it("aborts unfinished multipart uploads", async () => {
    await setRules({ Status: "Enabled", AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } });
    const upload = { Bucket: bucket, Key: "uploads/a" };
    const { UploadId } = await s3.client.send(new CreateMultipartUploadCommand(upload));
    const sendPart = () =>
      s3.client.send(new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body: "x" }));
    await s3.server.applyLifecycle();
    expect((await sendPart()).ETag).toBeDefined();
    expect(await s3.server.applyLifecycle(new Date(Date.now() + 2 * day))).toBe(0);
    expect(await refusalOf(sendPart())).toBe("404 NoSuchUpload");
  });
});
