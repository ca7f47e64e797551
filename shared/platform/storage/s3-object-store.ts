import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../errors/app-error.ts";
import { AwsCallError } from "../outbound/aws-json.ts";
import { readPieces } from "../outbound/http-client.ts";
import type { ObjectStore } from "./object-store.ts";
import { type Bucket, storageFailure } from "./s3-calls.ts";
import { S3ObjectWriter } from "./s3-object-writer.ts";

/** A page has up to a thousand names, each of at most a kilobyte before it is encoded. */
const maxListBytes = 4 * 1_024 * 1_024;

const isMissing = (error: unknown): boolean =>
  error instanceof AppError &&
  error.cause instanceof AwsCallError &&
  error.cause.$metadata.httpStatusCode === 404;

/** The object store over a bucket of S3. */
export const createS3ObjectStore = (bucket: Bucket): ObjectStore => {
  const head = async (key: string): Promise<IncomingHttpHeaders | undefined> => {
    try {
      return (await bucket.call({ operation: "HeadObject", method: "HEAD", key })).headers;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };

  const sizeOf = (headers: IncomingHttpHeaders): number => Number(headers["content-length"] ?? 0);

  /** Reads bytes of the object as it was when it had this tag. */
  const readRange = async (key: string, tag: string | undefined, start: number, end: number) => {
    if (end <= start) return new Uint8Array();
    const headers = { range: `bytes=${start}-${end - 1}`, ...(tag === undefined ? {} : { "if-match": tag }) };
    const maxBytes = end - start;
    const { body } = await bucket.call({ operation: "GetObject", method: "GET", key, headers }, { maxBytes });
    if (body.length !== maxBytes)
      throw storageFailure(new Error("S3 sent another number of bytes than requested."));
    return body;
  };

  return {
    signUpload: async (key, { contentType, size }) =>
      bucket.sign({
        operation: "PutObject",
        method: "PUT",
        key,
        headers: {
          "content-type": contentType,
          ...(size === undefined ? {} : { "content-length": String(size) }),
        },
      }),

    signDownload: async (key, { contentType, fileName }) =>
      bucket.sign({
        operation: "GetObject",
        method: "GET",
        key,
        query: {
          "response-content-disposition": `inline; filename="${fileName}"`,
          "response-content-type": contentType,
        },
      }),

    describe: async (key) => {
      const found = await head(key);
      return found && { size: sizeOf(found), contentType: found["content-type"] };
    },

    open: async (key) => {
      const found = await head(key);
      return (
        found && {
          size: sizeOf(found),
          version: found.etag,
          read: (start, end) => readRange(key, found.etag, start, end),
        }
      );
    },

    async *stream(key, { signal }) {
      const body = await bucket.open({ operation: "GetObject", method: "GET", key }, signal);
      try {
        yield* readPieces(body, bucket.timeouts.piece);
      } catch (error) {
        throw storageFailure(error);
      }
    },

    put: async (key, body, { contentType }) => {
      const headers = { "content-type": contentType };
      await bucket.call({ operation: "PutObject", method: "PUT", key, headers, body });
    },

    write: (key, { contentType }) => new S3ObjectWriter(bucket, key, contentType),

    async *list(prefix) {
      let token: string | undefined;
      do {
        const page = token === undefined ? {} : { "continuation-token": token };
        const query = { "encoding-type": "url", "list-type": "2", prefix, ...page };
        const call = { operation: "ListObjectsV2", method: "GET", key: "", query } as const;
        const xml = (await bucket.call(call, { maxBytes: maxListBytes })).body.toString();
        for (const [, name = ""] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) {
          yield decodeURIComponent(name.replaceAll("+", "%20"));
        }
        token = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(xml)?.[1];
      } while (token !== undefined);
    },

    delete: async (key) => {
      await bucket.call({ operation: "DeleteObject", method: "DELETE", key });
    },
  };
};
