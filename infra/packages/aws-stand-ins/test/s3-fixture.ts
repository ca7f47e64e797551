import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request as sendRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  GetObjectCommand,
  type GetObjectCommandInput,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import * as z from "zod";

import { type S3Server, startS3 } from "../src/s3/s3-server.ts";

export const credentials = { accessKeyId: "local-access-key", secretAccessKey: "local-secret-key" };
export const region = "eu-west-1";
export const bucket = "audio";

export const temporaryDirectory = async () => {
  const path = await mkdtemp(join(tmpdir(), "embedded-s3-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
};

// The SDK otherwise warns on the console that it does not retry the refusals these tests are about.
const silent = { trace: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export const clientOf = (endpoint: string, config: S3ClientConfig = {}): S3Client =>
  new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle: true,
    maxAttempts: 1,
    logger: silent,
    ...config,
  });

export interface TestS3 {
  readonly server: S3Server;
  /** The SDK with its default settings, except that it does not retry. */
  readonly client: S3Client;
  readonly dataDirectory: string;
  put(
    key: string,
    body: NonNullable<PutObjectCommandInput["Body"]>,
    input?: Partial<PutObjectCommandInput>,
  ): Promise<string>;
  get(key: string, input?: Partial<GetObjectCommandInput>): Promise<string>;
  close(): Promise<void>;
}

/** A server in an empty directory, with one bucket, and a client for it. */
export const startTestS3 = async (): Promise<TestS3> => {
  const directory = await temporaryDirectory();
  const server = await startS3({ dataDirectory: directory.path, credentials, region });
  await server.ensureBucket(bucket, {});
  const client = clientOf(server.endpoint);
  return {
    server,
    client,
    dataDirectory: directory.path,
    put: async (key, body, input) => {
      const put = await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ...input }));
      return put.ETag ?? "";
    },
    get: async (key, input) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, ...input }));
      return (await Body?.transformToString()) ?? "";
    },
    close: async () => {
      client.destroy();
      await server.close();
      await directory.remove();
    },
  };
};

/** S3's refusal: its code and status. Fails when there was none. */
export const refusalOf = async (sent: Promise<unknown>): Promise<string> => {
  const error = await sent.then(
    () => new Error("The request was accepted."),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) return String(error);
  const metadata: unknown = "$metadata" in error ? error.$metadata : undefined;
  const status =
    typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata
      ? metadata.httpStatusCode
      : error.message;
  return `${status} ${error.name}`;
};

/** The same of a plain HTTP response. */
export const outcomeOf = (status: number, body: string): string =>
  `${status} ${/<Code>(.*?)<\/Code>/.exec(body)?.[1] ?? "OK"}`;

export const fetchOutcome = async (url: string, init?: RequestInit): Promise<string> => {
  const response = await fetch(url, init);
  return outcomeOf(response.status, await response.text());
};

/** Sends exactly this target and these headers, where `fetch` would normalise the path and set its own host. */
export const sendRaw = (
  endpoint: string,
  target: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const outgoing = sendRequest(endpoint, { path: target, method, headers }, (incoming) => {
      text(incoming).then((content) => resolve(outcomeOf(incoming.statusCode ?? 0, content)), reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });

/** A server in a process of its own, on a directory that may hold data. */
export const startS3Process = async (dataDirectory: string) => {
  const child = fork(join(import.meta.dirname, "s3-process.ts"), [dataDirectory]);
  const [message] = await once(child, "message");
  return { child, endpoint: z.object({ endpoint: z.string() }).parse(message).endpoint };
};

export const killProcess = async (child: ChildProcess) => {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
};
