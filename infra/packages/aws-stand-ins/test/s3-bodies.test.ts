import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { request as sendRequest } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { ChecksumAlgorithm, GetObjectCommand, HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { decodeAwsChunked } from "../src/s3/aws-chunked.ts";
import { bucket, clientOf, outcomeOf, refusalOf, startTestS3, type TestS3 } from "./s3-fixture.ts";

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3();
});
afterAll(() => s3.close());

const storedBodies = () => readdirSync(join(s3.dataDirectory, "bodies")).length;

const streamOf = (body: Buffer, step: number) =>
  Readable.from(
    (function* () {
      for (let start = 0; start < body.length; start += step) yield body.subarray(start, start + step);
    })(),
  );

describe("A streamed body", () => {
  it.each(["CRC32", "CRC64NVME"] as const)(
    "with a trailing %s arrives without its framing, and the checksum is returned",
    async (algorithm) => {
      const body = randomBytes(200_000);
      const key = `streamed-${algorithm}`;
      const put = await s3.client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: key,
          Body: streamOf(body, 7001),
          ContentLength: body.length,
          ChecksumAlgorithm: ChecksumAlgorithm[algorithm],
        }),
      );
      const described = await s3.client.send(
        new HeadObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: "ENABLED" }),
      );
      expect(described.ETag).toBe(`"${createHash("md5").update(body).digest("hex")}"`);
      expect(described.ContentLength).toBe(body.length);
      // The SDK computed it with its own code and S3 has verified it.
      expect(put[`Checksum${algorithm}`]).toMatch(/^[\w+/]+=*$/);
      expect(described[`Checksum${algorithm}`]).toBe(put[`Checksum${algorithm}`]);
    },
  );

  /** Sends other bytes than those the SDK framed; an unsigned streamed payload is not covered by the signature. */
  const putOtherBytes = (bytes: string): Promise<unknown> => {
    const client = clientOf(s3.server.endpoint);
    client.middlewareStack.add(
      (next) => (args) => {
        if (typeof args.request === "object" && args.request !== null) {
          Object.assign(args.request, { body: Readable.from([Buffer.from(bytes)]) });
        }
        return next(args);
      },
      { step: "finalizeRequest", priority: "low", name: "replace-bytes" },
    );
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: "other-bytes",
      Body: Readable.from([Buffer.from("hello")]),
      ContentLength: 5,
    });
    return client.send(command).finally(() => client.destroy());
  };

  const trailer = "x-amz-checksum-crc32:NhCmhg==";

  it("is accepted in any number of chunks", async () => {
    await putOtherBytes(`2\r\nhe\r\n3\r\nllo\r\n0\r\n${trailer}\r\n\r\n`);
    expect(await s3.get("other-bytes")).toBe("hello");
  });

  it.each([
    ["whose checksum is another body's", `5\r\nhallo\r\n0\r\n${trailer}\r\n\r\n`, "400 BadDigest"],
    ["without the announced checksum", "5\r\nhello\r\n0\r\n\r\n", "400 MalformedTrailerError"],
    ["with a broken trailer", "5\r\nhello\r\n0\r\nnonsense\r\n\r\n", "400 MalformedTrailerError"],
    ["with more after its end", `5\r\nhello\r\n0\r\n${trailer}\r\n\r\nmore`, "400 MalformedTrailerError"],
    ["that is longer than announced", `6\r\nhello!\r\n0\r\n${trailer}\r\n\r\n`, "400 IncompleteBody"],
    ["that is shorter than announced", `4\r\nhell\r\n0\r\n${trailer}\r\n\r\n`, "400 IncompleteBody"],
    ["that ends within a chunk", "5\r\nhel", "400 IncompleteBody"],
    ["that ends before the last chunk", "5\r\nhello\r\n", "400 IncompleteBody"],
    [
      "whose chunk is longer than its header says",
      `4\r\nhello\r\n0\r\n${trailer}\r\n\r\n`,
      "400 IncompleteBody",
    ],
    ["that is not framed", "hello", "400 IncompleteBody"],
    ["whose chunk header never ends", "0".repeat(100_000), "400 IncompleteBody"],
  ])("%s is refused and leaves nothing", async (_description, bytes, refusal) => {
    await s3.put("other-bytes", "before");
    const bodies = storedBodies();
    expect(await refusalOf(putOtherBytes(bytes))).toBe(refusal);
    expect(await s3.get("other-bytes")).toBe("before");
    expect(storedBodies()).toBe(bodies);
  });

  it("is the same however it is cut into chunks and packets", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 120 }),
        sizes,
        sizes,
        async (content, chunkSizes, packetSizes) => {
          const body = Buffer.from(content);
          const chunks = cut(body, chunkSizes).map((chunk) =>
            Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]),
          );
          const framed = Buffer.concat([...chunks, Buffer.from("0\r\nx-a:\r\nx-b: 1\r\n\r\n")]);
          const trailers = new Map<string, string>();
          const packets = Readable.from(cut(framed, packetSizes));
          expect((await buffer(decodeAwsChunked(packets, trailers))).equals(body)).toBe(true);
          expect([...trailers]).toEqual([
            ["x-a", ""],
            ["x-b", "1"],
          ]);
        },
      ),
    );
  });
});

/** Cuts into runs of the given sizes, over and over. */
const cut = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const runs: Buffer[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    runs.push(bytes.subarray(start, start + size));
    start += size;
  }
  return runs;
};

describe("A body sent in one piece", () => {
  it.each([
    ["CRC32", { ChecksumCRC32: "AAAAAA==" }, "400 BadDigest"],
    ["CRC64NVME", { ChecksumCRC64NVME: "AAAAAAAAAAA=" }, "400 BadDigest"],
    ["Content-MD5", { ContentMD5: Buffer.alloc(16).toString("base64") }, "400 BadDigest"],
    ["form of Content-MD5", { ContentMD5: "bm90IGEgZGlnZXN0" }, "400 InvalidDigest"],
  ])("is refused for a wrong %s and leaves nothing", async (_checksum, input, refusal) => {
    const bodies = storedBodies();
    expect(await refusalOf(s3.put("wrong", "hello", input))).toBe(refusal);
    expect(await refusalOf(s3.get("wrong"))).toBe("404 NoSuchKey");
    expect(storedBodies()).toBe(bodies);
  });

  it.each([
    ["in one piece", Buffer.from("hello")],
    ["streamed", Readable.from([Buffer.from("hello")])],
  ])("%s is refused with an unsupported checksum, and leaves nothing", async (_how, body) => {
    const bodies = storedBodies();
    const sent = s3.put("unverified", body, {
      ContentLength: 5,
      ChecksumAlgorithm: ChecksumAlgorithm.SHA256,
    });
    expect(await refusalOf(sent)).toBe("501 NotImplemented");
    expect(await refusalOf(s3.get("unverified"))).toBe("404 NoSuchKey");
    expect(storedBodies()).toBe(bodies);
  });

  it("is accepted with the right Content-MD5", async () => {
    await s3.put("right", "hello", { ContentMD5: createHash("md5").update("hello").digest("base64") });
    expect(await s3.get("right")).toBe("hello");
  });

  it("needs a length", async () => {
    const url = await getSignedUrl(s3.client, new PutObjectCommand({ Bucket: bucket, Key: "endless" }));
    const response = await fetch(url, {
      method: "PUT",
      body: Readable.toWeb(streamOf(Buffer.from("x"), 1)),
      duplex: "half",
    });
    expect(outcomeOf(response.status, await response.text())).toBe("411 MissingContentLength");
  });

  it("of more than 5 GiB is refused", async () => {
    const announced = { ContentLength: 5 * 1024 ** 3 + 1 };
    expect(await refusalOf(s3.put("huge", Readable.from(["x"]), announced))).toBe("400 EntityTooLarge");
  });

  it("is read to its end when it is refused, so that its sender gets to read why", async () => {
    const stranger = clientOf(s3.server.endpoint, {
      credentials: { accessKeyId: "a", secretAccessKey: "b" },
    });
    const command = () =>
      new PutObjectCommand({ Bucket: bucket, Key: "refused", Body: Buffer.alloc(20_000_000) });
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await refusalOf(stranger.send(command()))).toBe("403 InvalidAccessKeyId");
    }
    stranger.destroy();
  });

  it("that is broken off leaves the object as it was, and no file", async () => {
    await s3.put("broken-off", "before");
    const bodies = storedBodies();
    const url = await getSignedUrl(s3.client, new PutObjectCommand({ Bucket: bucket, Key: "broken-off" }));
    const outgoing = sendRequest(url, { method: "PUT", headers: { "content-length": "1000000" } });
    outgoing.on("error", () => {}).write(Buffer.alloc(50_000));
    await vi.waitFor(() => expect(storedBodies()).toBe(bodies + 1), { timeout: 5000 });
    outgoing.destroy();
    await vi.waitFor(() => expect(storedBodies()).toBe(bodies), { timeout: 5000 });
    expect(await s3.get("broken-off")).toBe("before");
  });
});

describe("Two bodies for one key", () => {
  it("do not mix: the object is one of them, whole, and the other leaves no file", async () => {
    const bodies = storedBodies();
    const contents = ["a", "b", "c", "d"].map((letter) => letter.repeat(3_000_000));
    await Promise.all(contents.map((content) => s3.put("contended", content)));
    expect(contents).toContain(await s3.get("contended"));
    expect(storedBodies()).toBe(bodies + 1);
  });

  it("do not mix for a reader who started before the second one arrived", async () => {
    const original = randomBytes(20_000_000);
    await s3.put("replaced-while-read", original);
    const url = await getSignedUrl(
      s3.client,
      new GetObjectCommand({ Bucket: bucket, Key: "replaced-while-read" }),
    );
    const response = await fetch(url);
    await s3.put("replaced-while-read", "replacement");
    expect(Buffer.from(await response.arrayBuffer()).equals(original)).toBe(true);
    expect(await s3.get("replaced-while-read")).toBe("replacement");
  });
});
