import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bucket, clientOf, fetchOutcome, refusalOf, startTestS3, type TestS3 } from "./s3-fixture.ts";

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3();
});
afterAll(() => s3.close());

const fiveMebibytes = 5 * 1024 ** 2;
const storedBodies = () => readdirSync(join(s3.dataDirectory, "bodies")).length;

const begin = async (Key: string) => {
  const upload = { Bucket: bucket, Key };
  const created = await s3.client.send(
    new CreateMultipartUploadCommand({
      ...upload,
      ContentType: "audio/wav",
      Metadata: { account: "42" },
    }),
  );
  const named = { ...upload, UploadId: created.UploadId };
  return {
    named,
    sendPart: async (PartNumber: number, Body: Buffer | string): Promise<CompletedPart> => {
      const part = await s3.client.send(new UploadPartCommand({ ...named, PartNumber, Body }));
      return { PartNumber, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 };
    },
    complete: (Parts: CompletedPart[]) =>
      s3.client.send(new CompleteMultipartUploadCommand({ ...named, MultipartUpload: { Parts } })),
    abort: () => s3.client.send(new AbortMultipartUploadCommand(named)),
  };
};

describe("A multipart upload", () => {
  it("becomes one object when it is completed, and nothing can be seen of it before", async () => {
    const contents = [randomBytes(fiveMebibytes), randomBytes(fiveMebibytes + 1), randomBytes(17)] as const;
    const upload = await begin("long.wav");
    const parts = await Promise.all(contents.map((content, index) => upload.sendPart(index + 1, content)));
    expect(await refusalOf(s3.get("long.wav"))).toBe("404 NoSuchKey");

    const digests = Buffer.concat(contents.map((content) => createHash("md5").update(content).digest()));
    const etag = `"${createHash("md5").update(digests).digest("hex")}-3"`;
    expect((await upload.complete(parts)).ETag).toBe(etag);

    const described = await s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key: "long.wav" }));
    const size = 2 * fiveMebibytes + 18;
    expect(described).toMatchObject({
      ETag: etag,
      ContentLength: size,
      ContentType: "audio/wav",
      Metadata: { account: "42" },
    });
    const seam = Buffer.concat([contents[0].subarray(-4), contents[1].subarray(0, 4)]);
    const Range = `bytes=${fiveMebibytes - 4}-${fiveMebibytes + 3}`;
    const got = await s3.client.send(new GetObjectCommand({ Bucket: bucket, Key: "long.wav", Range }));
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(seam)).toBe(true);
    expect(storedBodies()).toBe(1);
  });

  it("accepts parts from anyone with a link", async () => {
    const upload = await begin("linked.wav");
    const presigning = clientOf(s3.server.endpoint, { requestChecksumCalculation: "WHEN_REQUIRED" });
    const url = await getSignedUrl(presigning, new UploadPartCommand({ ...upload.named, PartNumber: 1 }));
    const sent = await fetch(url, { method: "PUT", body: "a part" });
    await upload.complete([{ PartNumber: 1, ETag: sent.headers.get("etag") ?? "" }]);
    expect(await s3.get("linked.wav")).toBe("a part");
    expect(await fetchOutcome(url, { method: "PUT", body: "too late" })).toBe("404 NoSuchUpload");
    presigning.destroy();
  });

  it("lists the parts that have arrived, by number, until it is completed", async () => {
    const upload = await begin("listed.wav");
    const list = () => s3.client.send(new ListPartsCommand(upload.named));
    expect((await list()).Parts ?? []).toEqual([]);
    const second = await upload.sendPart(2, "second");
    const first = await upload.sendPart(1, randomBytes(fiveMebibytes));
    expect(await list()).toMatchObject({
      UploadId: upload.named.UploadId,
      IsTruncated: false,
      Parts: [
        { PartNumber: 1, Size: fiveMebibytes, ETag: first.ETag },
        { PartNumber: 2, Size: 6, ETag: second.ETag },
      ],
    });
    await upload.complete([first, second]);
    expect(await refusalOf(list())).toBe("404 NoSuchUpload");
  });

  it("keeps the last of several parts with one number", async () => {
    const upload = await begin("repeated.wav");
    const first = await upload.sendPart(1, "first try");
    const second = await upload.sendPart(1, "second try");
    expect(await refusalOf(upload.complete([first]))).toBe("400 InvalidPart");
    await upload.complete([second]);
    expect(await s3.get("repeated.wav")).toBe("second try");
  });

  it("leaves nothing when it is aborted", async () => {
    const bodies = storedBodies();
    const upload = await begin("aborted.wav");
    const part = await upload.sendPart(1, "x");
    expect(storedBodies()).toBe(bodies + 1);
    await upload.abort();
    expect(storedBodies()).toBe(bodies);
    const attempts = [() => upload.complete([part]), () => upload.sendPart(2, "x"), upload.abort];
    for (const attempt of attempts) expect(await refusalOf(attempt())).toBe("404 NoSuchUpload");
    expect(await refusalOf(s3.get("aborted.wav"))).toBe("404 NoSuchKey");
  });

  it("is not completed with parts that are missing, out of order, too small or of another content", async () => {
    const upload = await begin("incomplete.wav");
    const small = await upload.sendPart(1, "small");
    const last = await upload.sendPart(2, "last");
    expect(await refusalOf(upload.complete([small, last]))).toBe("400 EntityTooSmall");
    expect(await refusalOf(upload.complete([last, small]))).toBe("400 InvalidPartOrder");
    expect(await refusalOf(upload.complete([{ ...last, PartNumber: 3 }]))).toBe("400 InvalidPart");
    expect(await refusalOf(upload.complete([{ ...last, ETag: small.ETag }]))).toBe("400 InvalidPart");
    expect(await refusalOf(upload.complete([{ ...last, ChecksumCRC32: "AAAAAA==" }]))).toBe(
      "400 InvalidPart",
    );
    expect(await refusalOf(upload.complete([]))).toBe("400 MalformedXML");
    for (const number of [0, 10_001]) {
      expect(await refusalOf(upload.sendPart(number, "x"))).toBe("400 InvalidArgument");
    }
    await upload.complete([last]);
    expect(await s3.get("incomplete.wav")).toBe("last");
  });

  it("belongs to its key", async () => {
    const upload = await begin("mine.wav");
    const elsewhere = { ...upload.named, Key: "yours.wav", PartNumber: 1, Body: "x" };
    expect(await refusalOf(s3.client.send(new UploadPartCommand(elsewhere)))).toBe("404 NoSuchUpload");
    await upload.abort();
  });

  it("cannot consist of copies", async () => {
    const upload = await begin("copies.wav");
    const command = new UploadPartCopyCommand({
      ...upload.named,
      PartNumber: 1,
      CopySource: `${bucket}/long.wav`,
    });
    expect(await refusalOf(s3.client.send(command))).toBe("501 NotImplemented");
    await upload.abort();
  });
});
