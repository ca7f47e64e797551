import { readdirSync } from "node:fs";
import { join } from "node:path";
import { GetObjectCommand, HeadObjectCommand, NoSuchKey } from "@aws-sdk/client-s3";
import { vi } from "vitest";
import {
  bucket as bucketName,
  credentials,
  region,
  startTestS3,
} from "../../infra/packages/aws-stand-ins/test/s3-fixture.ts";
import type { ObjectStore } from "../../shared/storage/object-store.ts";
import { openBucket } from "../../shared/storage/s3-bucket.ts";
import { createS3ObjectStore } from "../../shared/storage/s3-object-store.ts";

/** The service's own object store over an embedded S3, and a look behind the scenes. */
export interface TestBucket {
  readonly store: ObjectStore;
  /** Names of the calls that were sent, such as `UploadPart`. */
  readonly calls: string[];
  /** Lets the next call of this name fail as if S3 were not there. */
  failNext(call: string): void;
  /** The bytes of an object; `undefined` when it is not there. */
  read(key: string): Promise<Buffer | undefined>;
  contentType(key: string): Promise<string | undefined>;
  /** How many bodies are kept: objects, and parts of uploads that were neither completed nor aborted. */
  storedBodies(): number;
  close(): Promise<void>;
}

export const startTestBucket = async (): Promise<TestBucket> => {
  const s3 = await startTestS3();
  vi.stubEnv("AWS_ACCESS_KEY_ID", credentials.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", credentials.secretAccessKey);
  vi.stubEnv("AWS_REGION", region);
  const bucket = openBucket(bucketName, s3.server.endpoint);
  const calls: string[] = [];
  const failing: string[] = [];
  bucket.client.middlewareStack.add(
    (next, context) => async (input) => {
      const call = String(context["commandName"]).replace(/Command$/, "");
      calls.push(call);
      const position = failing.indexOf(call);
      if (position < 0) return next(input);
      failing.splice(position, 1);
      throw new Error("S3 is not there.");
    },
    { step: "initialize" },
  );
  return {
    store: createS3ObjectStore(bucket),
    calls,
    failNext: (call) => failing.push(call),
    read: async (key) => {
      try {
        const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: bucketName, Key: key }));
        return Buffer.from((await Body?.transformToByteArray()) ?? []);
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    contentType: async (key) => {
      const { ContentType } = await s3.client.send(new HeadObjectCommand({ Bucket: bucketName, Key: key }));
      return ContentType;
    },
    storedBodies: () => readdirSync(join(s3.dataDirectory, "bodies")).length,
    close: async () => {
      bucket.client.destroy();
      await s3.close();
      vi.unstubAllEnvs();
    },
  };
};
