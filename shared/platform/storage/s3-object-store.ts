import type { GetObjectCommandInput } from "@aws-sdk/client-s3";
import { readBytes, readPieces, requireResponse } from "../outbound/http-client.ts";
import { retry } from "../outbound/retry.ts";
import type { ObjectStore } from "./object-store.ts";
import { type Bucket, s3Failure, storageFailure } from "./s3-bucket.ts";
import { S3Writer } from "./s3-writer.ts";

/** Reads a range of an object. The SDK repeats requests, but not a body that breaks off. */
const readRange = ({ call }: Bucket, input: GetObjectCommandInput, size: number): Promise<Buffer> =>
  call((send, signal) => {
    let isReading = false;
    const attempt = async (): Promise<Buffer> => {
      isReading = false;
      const { Body } = await send((s3) => new s3.GetObjectCommand(input));
      isReading = true;
      const bytes = await readBytes(requireResponse(Body), size);
      if (bytes.length === size) return bytes;
      throw new Error("S3 sent another number of bytes than requested.");
    };
    return retry(attempt, {
      attempts: 3,
      isWorthRepeating: ({ status }) => status === "rejected" && isReading && !signal.aborted,
      pauseMilliseconds: (failures) => 50 * 2 ** (failures - 1),
      signal,
    });
  });

/** The object store over a bucket of S3. */
export const createS3ObjectStore = (bucket: Bucket): ObjectStore => {
  const { at, call, timeouts } = bucket;

  const head = (key: string) =>
    call((send) => send((s3) => new s3.HeadObjectCommand(at(key)))).catch((error: unknown) => {
      if (s3Failure(error)?.$metadata.httpStatusCode === 404) return undefined;
      throw error;
    });

  return {
    describe: async (key) => {
      const found = await head(key);
      return found && { size: found.ContentLength ?? 0, contentType: found.ContentType };
    },

    open: async (key) => {
      const found = await head(key);
      if (!found) return undefined;
      const { ETag, ContentLength: size = 0 } = found;
      const read = async (start: number, end: number): Promise<Uint8Array> => {
        if (end <= start) return new Uint8Array();
        const input = { ...at(key), Range: `bytes=${start}-${end - 1}`, IfMatch: ETag };
        return await readRange(bucket, input, end - start);
      };
      return { size, version: ETag, read };
    },

    async *stream(key, { signal }) {
      const { Body } = await call((send) => send((s3) => new s3.GetObjectCommand(at(key))), { signal });
      try {
        yield* readPieces(requireResponse(Body), timeouts.piece);
      } catch (error) {
        throw storageFailure(error);
      }
    },

    put: async (key, Body, { contentType: ContentType }) => {
      await call((send) => send((s3) => new s3.PutObjectCommand({ ...at(key), ContentType, Body })));
    },

    copy: async ({ key, version }, target) => {
      const { Bucket, Key } = at(key);
      const CopySource = `${Bucket}/${Key.split("/").map(encodeURIComponent).join("/")}`;
      const input = { ...at(target), CopySource, CopySourceIfMatch: version };
      const limits = { milliseconds: timeouts.copy, silenceMilliseconds: timeouts.copy };
      await call((send) => send((s3) => new s3.CopyObjectCommand(input)), limits);
    },

    write: (key, { contentType }) => new S3Writer(bucket, key, contentType),

    async *list(prefix) {
      const { Bucket, Key: Prefix } = at(prefix);
      let token: string | undefined;
      do {
        const input = { Bucket, Prefix, ContinuationToken: token };
        const page = await call((send) => send((s3) => new s3.ListObjectsV2Command(input)));
        for (const { Key: name, Size: size = 0 } of page.Contents ?? []) {
          if (name !== undefined) yield { name, size };
        }
        token = page.NextContinuationToken;
      } while (token !== undefined);
    },

    delete: async (key) => {
      await call((send) => send((s3) => new s3.DeleteObjectCommand(at(key))));
    },
  };
};
