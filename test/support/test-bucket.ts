import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  NoSuchKey,
  S3Client,
} from "@aws-sdk/client-s3";
import { localCredentials, localRegion, startS3 } from "@language-ai/aws-stand-ins";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import type {
  LinkedObjectStore,
  ObjectParts,
  ObjectStore,
} from "../../shared/platform/storage/object-store.ts";
import { type Bucket, openBucket } from "../../shared/platform/storage/s3-bucket.ts";
import { createS3Links } from "../../shared/platform/storage/s3-links.ts";
import { createS3ObjectParts } from "../../shared/platform/storage/s3-multipart.ts";
import { createS3ObjectStore } from "../../shared/platform/storage/s3-object-store.ts";

/** The service's own object store over an embedded S3, and a look behind the scenes. */
export interface TestBucket {
  readonly store: LinkedObjectStore;
  readonly parts: ObjectParts;
  /** Where it is, for a process of its own. */
  readonly address: { readonly endpoint: string; readonly name: string };
  /** Names of the calls that were sent, such as `UploadPart`. */
  readonly calls: string[];
  /** Lets the next call of this name fail as if S3 were not there. */
  failNext(call: string): void;
  /** The bytes of an object; `undefined` when it is missing. */
  read(key: string): Promise<Buffer | undefined>;
  contentType(key: string): Promise<string | undefined>;
  /** How many bodies are stored: objects, and uploads in parts that were neither completed nor aborted. */
  storedBodies(): Promise<number>;
  close(): Promise<void>;
}

interface Server {
  readonly endpoint: string;
  readonly bucketName: string;
  countBodies(): Promise<number>;
  close(): Promise<void>;
}

const startEmbedded = async (): Promise<Server> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "language-ai-bucket-"));
  const s3 = await startS3({ dataDirectory, credentials: localCredentials, region: localRegion });
  await s3.ensureBucket("audio", {});
  return {
    endpoint: s3.endpoint,
    bucketName: "audio",
    countBodies: async () => (await readdir(join(dataDirectory, "bodies"))).length,
    close: async () => {
      await s3.close();
      await rm(dataDirectory, { recursive: true });
    },
  };
};

const clientOf = (endpoint: string): S3Client =>
  new S3Client({ endpoint, region: localRegion, credentials: localCredentials, forcePathStyle: true });

/** A bucket in the other S3 that `npm run verify` lets the same tests run against. */
const useOther = async (endpoint: string): Promise<Server> => {
  const client = clientOf(endpoint);
  const Bucket = `audio-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket }));
  return {
    endpoint,
    bucketName: Bucket,
    countBodies: async () => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
      return Contents.length + Uploads.length;
    },
    close: async () => client.destroy(),
  };
};

const localAws = (endpoint: string) =>
  readAwsConfig({
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
  });

/** The service's own object store over a bucket that another process has started. */
export const openTestStore = ({ endpoint, name }: TestBucket["address"]): ObjectStore =>
  createS3ObjectStore(openBucket(name, localAws(endpoint)));

export const startTestBucket = async (): Promise<TestBucket> => {
  const other = process.env["VERIFY_ENDPOINT_S3"];
  const server = await (other ? useOther(other) : startEmbedded());
  const { endpoint, bucketName } = server;
  const behindTheScenes = clientOf(endpoint);
  const aws = localAws(endpoint);
  const opened = openBucket(bucketName, aws);
  const calls: string[] = [];
  const failing: string[] = [];
  const note = (name: string): void => {
    calls.push(name);
    const position = failing.indexOf(name);
    if (position < 0) return;
    failing.splice(position, 1);
    throw new Error("S3 is not there.");
  };
  const bucket: Bucket = {
    ...opened,
    call: (work, options) =>
      opened.call(
        (send, signal) =>
          work(
            (command) =>
              send((s3) => {
                const created = command(s3);
                note(created.constructor.name.replace(/Command$/, ""));
                return created;
              }),
            signal,
          ),
        options,
      ),
  };
  return {
    store: { ...createS3ObjectStore(bucket), ...createS3Links(bucketName, aws) },
    parts: createS3ObjectParts(bucket),
    address: { endpoint, name: bucketName },
    calls,
    failNext: (call) => failing.push(call),
    read: async (key) => {
      try {
        const { Body } = await behindTheScenes.send(new GetObjectCommand({ Bucket: bucketName, Key: key }));
        return Buffer.from((await Body?.transformToByteArray()) ?? []);
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    contentType: async (key) => {
      const { ContentType } = await behindTheScenes.send(
        new HeadObjectCommand({ Bucket: bucketName, Key: key }),
      );
      return ContentType;
    },
    storedBodies: server.countBodies,
    close: async () => {
      behindTheScenes.destroy();
      await server.close();
    },
  };
};
