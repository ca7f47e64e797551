import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { bucket, clientOf, killProcess, startS3Process, temporaryDirectory } from "./s3-fixture.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => directory.remove());

describe("A body of 100 MB", () => {
  const object = { Bucket: bucket, Key: "big" };

  const send = async (client: S3Client, megabytes: number): Promise<string> => {
    const megabyte = randomBytes(1_000_000);
    const digest = createHash("md5");
    const Body = Readable.from(
      (function* () {
        for (let count = 0; count < megabytes; count += 1) {
          megabyte.writeUInt32LE(count);
          digest.update(megabyte);
          yield Buffer.from(megabyte);
        }
      })(),
    );
    await client.send(new PutObjectCommand({ ...object, Body, ContentLength: megabytes * 1_000_000 }));
    return digest.digest("hex");
  };

  const receive = async (client: S3Client): Promise<string> => {
    const { Body } = await client.send(new GetObjectCommand(object));
    const digest = createHash("md5");
    for await (const chunk of Body instanceof Readable ? Body : []) digest.update(chunk);
    return digest.digest("hex");
  };

  it("streams in and out, and takes no more memory than a smaller one", async () => {
    const { child, endpoint } = await startS3Process(directory.path);
    const client = clientOf(endpoint);
    const peakMemory = async () => {
      const responded = once(child, "message");
      child.send("memory");
      return z.object({ peakMemory: z.number() }).parse((await responded)[0]).peakMemory;
    };
    expect(await send(client, 40)).toBe(await receive(client));
    const before = await peakMemory();
    expect(await send(client, 100)).toBe(await receive(client));
    const growth = (await peakMemory()) - before;
    expect(growth).toBeLessThan(50_000_000);
    client.destroy();
    await killProcess(child);
  });
});
