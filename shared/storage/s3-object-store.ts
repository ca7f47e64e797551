import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { linkLifetimeSeconds, type ObjectStore, type SignedLink } from "./object-store.ts";
import type { Bucket } from "./s3-calls.ts";
import { callStore, readStoredBody } from "./s3-calls.ts";
import { S3ObjectWriter } from "./s3-object-writer.ts";

/** Nothing is sent for a signature: at most the SDK fetches credentials, with a time-out of its own. */
const sign = (
  { client, timeouts }: Bucket,
  command: GetObjectCommand | PutObjectCommand,
): Promise<SignedLink> =>
  callStore(timeouts.call, async () => {
    const signingDate = new Date();
    const url = await getSignedUrl(client, command, {
      expiresIn: linkLifetimeSeconds,
      signingDate,
      // Otherwise the type would only be a suggestion to whoever uploads.
      signableHeaders: new Set(["content-type"]),
    });
    return { url, expiresAt: new Date(signingDate.getTime() + linkLifetimeSeconds * 1_000) };
  });

/** The object store over a bucket of S3. */
export const createS3ObjectStore = (bucket: Bucket): ObjectStore => {
  const { client, timeouts } = bucket;
  const call = <Result>(work: (signal: AbortSignal) => Promise<Result>) => callStore(timeouts.call, work);
  const object = (key: string) => ({ Bucket: bucket.name, Key: key });

  const head = (key: string) =>
    call(async (abortSignal) => {
      try {
        return await client.send(new HeadObjectCommand(object(key)), { abortSignal });
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        throw error;
      }
    });

  /** Reads bytes of the object as it was when it had this tag. */
  const readRange = (key: string, tag: string | undefined, start: number, end: number) =>
    call(async (abortSignal) => {
      if (end <= start) return new Uint8Array();
      const { Body } = await client.send(
        new GetObjectCommand({ ...object(key), Range: `bytes=${start}-${end - 1}`, IfMatch: tag }),
        { abortSignal },
      );
      const bytes = await Body?.transformToByteArray();
      if (bytes?.length !== end - start)
        throw new Error("S3 gave another number of bytes than was asked for.");
      return bytes;
    });

  return {
    signUpload: (key, { contentType }) =>
      sign(bucket, new PutObjectCommand({ ...object(key), ContentType: contentType })),

    signDownload: (key, { contentType, fileName }) =>
      sign(
        bucket,
        new GetObjectCommand({
          ...object(key),
          ResponseContentType: contentType,
          ResponseContentDisposition: `inline; filename="${fileName}"`,
        }),
      ),

    describe: async (key) => {
      const found = await head(key);
      return found && { size: found.ContentLength ?? 0, contentType: found.ContentType };
    },

    open: async (key) => {
      const found = await head(key);
      return (
        found && {
          size: found.ContentLength ?? 0,
          version: found.ETag,
          read: (start, end) => readRange(key, found.ETag, start, end),
        }
      );
    },

    stream: (key, { signal }) =>
      readStoredBody(
        () => client.send(new GetObjectCommand(object(key)), { abortSignal: signal }),
        signal,
        timeouts.piece,
      ),

    put: (key, body, { contentType }) =>
      call(async (abortSignal) => {
        const command = new PutObjectCommand({ ...object(key), ContentType: contentType, Body: body });
        await client.send(command, { abortSignal });
      }),

    write: (key, { contentType }) => new S3ObjectWriter(bucket, key, contentType),

    delete: (key) =>
      call(async (abortSignal) => {
        await client.send(new DeleteObjectCommand(object(key)), { abortSignal });
      }),
  };
};
