import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import type { Authority } from "../iam/authority.ts";
import { closeServer, listen } from "../machine/listening.ts";
import { isFromThisMachine } from "../machine/loopback.ts";
import { authenticate } from "./authentication.ts";
import { readBucketProperties } from "./bucket-properties.ts";
import { isBucketName } from "./buckets.ts";
import { corsHeaders, respondToPreflight } from "./cors.ts";
import { sweep } from "./lifecycle.ts";
import { routeRequest } from "./router.ts";
import { S3Error } from "./s3-error.ts";
import { readRequest } from "./s3-request.ts";
import { errorResponse, type S3Response, sendResponse } from "./s3-response.ts";
import type { Credentials } from "./signature.ts";
import { openStorage, type Storage } from "./storage.ts";

interface S3Options {
  /** The folder of buckets and objects; created if it does not exist. One server at a time may use it. */
  readonly dataDirectory: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** The pair of keys that requests must be signed with, unless an authority knows others. */
  readonly credentials: Credentials;
  /** Knows further keys, and judges who may do what; without one, every key may do everything. */
  readonly authority?: Authority | undefined;
  readonly region: string;
  /** Lets other machines in; only the loopback interface when left out. */
  readonly network?: { readonly listen: string; readonly address: string };
}

export interface S3Server {
  /** For the SDK's `endpoint`, which also needs `forcePathStyle: true`. */
  readonly endpoint: string;
  /**
   * Creates a bucket, or updates it, from the properties of an `AWS::S3::Bucket` resource: its CORS and lifecycle
   * rules become exactly the given ones. Its objects stay.
   *
   *
   * @throws when the name or the properties cannot be used.
   */
  ensureBucket(bucketName: string, properties: unknown): Promise<void>;
  /** Deletes what has expired at `now` by the lifecycle rules, and returns the number of objects deleted. */
  applyLifecycle(now?: Date): Promise<number>;
  /** Ends open connections, undoes what they had not finished, and lets go of the data directory. */
  close(): Promise<void>;
}

/** A slow client may take as long over one request as a presigned URL usually lives. */
const requestTimeout = 30 * 60_000;

const respond = async (
  incoming: IncomingMessage,
  storage: Storage,
  { credentials, region, network, authority }: S3Options,
): Promise<S3Response> => {
  const requestId = randomUUID();
  const secretOf = (accessKeyId: string): string | undefined =>
    accessKeyId === credentials.accessKeyId ? credentials.secretAccessKey : authority?.secretOf(accessKeyId);
  let cors: Readonly<Record<string, string>> = {};
  let response: S3Response;
  try {
    if (!network && !isFromThisMachine(incoming)) throw new S3Error("AccessDenied");
    const request = readRequest(incoming);
    const bucket = request.bucketName === undefined ? undefined : storage.buckets.find(request.bucketName);
    const rules = bucket?.cors ?? [];
    cors = corsHeaders(rules, request);
    response =
      request.method === "OPTIONS"
        ? respondToPreflight(rules, request)
        : await routeRequest({
            request: authenticate(request, secretOf, region),
            storage,
            region,
            authority,
          });
  } catch (error) {
    response = errorResponse(error, requestId);
  }
  return { ...response, headers: { ...response.headers, ...cors, "x-amz-request-id": requestId } };
};

/** Reads the rest of a refused body: a client that is still sending may miss an early response. */
const drain = async (incoming: IncomingMessage): Promise<void> => {
  incoming.resume();
  if (!incoming.complete) await finished(incoming).catch(() => {});
};

/**
 * Starts an S3 for one region on 127.0.0.1, for the AWS SDK and for presigned URLs, with path-style addresses.
 * README.md next to this file lists what it implements.
 */
export const startS3 = async (options: S3Options): Promise<S3Server> => {
  const storage = openStorage(options.dataDirectory);
  const active = new Set<Promise<void>>();

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const response = await respond(incoming, storage, options);
    await drain(incoming);
    await sendResponse(outgoing, response);
  };
  const server = createServer({ requestTimeout }, (incoming, outgoing) => {
    const handled = handle(incoming, outgoing).finally(() => active.delete(handled));
    active.add(handled);
  });
  const { network = { listen: "127.0.0.1", address: "127.0.0.1" } } = options;
  const port = await listen(server, options.port, network.listen).catch((error: unknown) => {
    storage.close();
    throw error;
  });

  return {
    endpoint: `http://${network.address}:${port}`,
    ensureBucket: async (bucketName, properties) => {
      if (!isBucketName(bucketName)) throw new Error(`S3 does not allow a bucket to be named ${bucketName}.`);
      const { cors, lifecycle } = readBucketProperties(bucketName, properties);
      storage.buckets.create(bucketName);
      storage.buckets.setCors(bucketName, cors);
      storage.buckets.setLifecycle(bucketName, lifecycle);
    },
    applyLifecycle: async (now = new Date()) => sweep(storage, now),
    close: async () => {
      await closeServer(server);
      await Promise.allSettled(active);
      storage.close();
    },
  };
};
