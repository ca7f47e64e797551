import { readdirSync, writeFileSync } from "node:fs";
import { request as sendRequest } from "node:http";
import { join } from "node:path";
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { startS3 } from "../src/s3/s3-server.ts";
import {
  bucket,
  clientOf,
  credentials,
  killProcess,
  region,
  startS3Process,
  temporaryDirectory,
} from "./s3-fixture.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => directory.remove());

const start = () => startS3({ dataDirectory: directory.path, credentials, region });
const storedBodies = () => readdirSync(join(directory.path, "bodies"));

const put = (client: S3Client, Key: string, Body: string) =>
  client.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ContentType: "text/plain" }));

const get = async (client: S3Client, Key: string) => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
  return Body?.transformToString();
};

/** Sends the beginning of a body, and nothing after it. */
const beginUpload = async (client: S3Client, Key: string) => {
  const url = await getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key }));
  const unfinished = sendRequest(url, { method: "PUT", headers: { "content-length": "1000000" } });
  unfinished.on("error", () => {}).write("x".repeat(1000));
};

describe("The data directory", () => {
  it("keeps buckets and objects across a restart", async () => {
    const first = await start();
    await first.ensureBucket(bucket, {});
    const client = clientOf(first.endpoint);
    await put(client, "kept", "content");
    client.destroy();
    await first.close();

    const second = await start();
    const again = clientOf(second.endpoint);
    expect(await get(again, "kept")).toBe("content");
    const { ContentType } = await again.send(new HeadObjectCommand({ Bucket: bucket, Key: "kept" }));
    expect(ContentType).toBe("text/plain");
    again.destroy();
    await second.close();
  });

  it("serves one server at a time", async () => {
    const first = await start();
    await expect(start()).rejects.toThrow("metadata.sqlite is in use by another process.");
    await first.close();
    await (await start()).close();
  });

  it("has nothing left of an upload that was in progress when the server closed", async () => {
    const server = await start();
    await server.ensureBucket(bucket, {});
    const client = clientOf(server.endpoint);
    await beginUpload(client, "under-way");
    await vi.waitFor(() => expect(storedBodies()).toHaveLength(1));
    await server.close();
    expect(storedBodies()).toEqual([]);
    client.destroy();
  });

  it("loses the files that no object names at the next start", async () => {
    await (await start()).close();
    writeFileSync(join(directory.path, "bodies", "left-over"), "x");
    await (await start()).close();
    expect(storedBodies()).toEqual([]);
  });
});

describe("A server that is killed", { timeout: 60_000 }, () => {
  it("has every object it had acknowledged, and nothing of an upload in progress", async () => {
    const { child, endpoint } = await startS3Process(directory.path);
    const client = clientOf(endpoint);
    const acknowledged: string[] = [];
    const written = Promise.allSettled(
      Array.from({ length: 200 }, (_, index) => `key-${index}`).map((key) =>
        put(client, key, key.repeat(1000)).then(() => acknowledged.push(key)),
      ),
    );
    await beginUpload(client, "under-way");
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(20), { timeout: 20_000 });
    await killProcess(child);
    await written;
    client.destroy();

    const server = await start();
    const again = clientOf(server.endpoint);
    for (const key of acknowledged) expect(await get(again, key)).toBe(key.repeat(1000));
    await expect(get(again, "under-way")).rejects.toThrow("does not exist");
    const { KeyCount } = await again.send(new ListObjectsV2Command({ Bucket: bucket }));
    expect(storedBodies()).toHaveLength(KeyCount ?? 0);
    again.destroy();
    await server.close();
  });
});
