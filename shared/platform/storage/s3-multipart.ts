import type { ObjectParts } from "./object-store.ts";
import { type Bucket, s3Failure } from "./s3-bucket.ts";

/** `undefined` when the upload was completed, was aborted or has expired. */
const unlessOver = <Result>(call: Promise<Result>): Promise<Result | undefined> =>
  call.catch((error: unknown) => {
    if (s3Failure(error)?.name === "NoSuchUpload") return undefined;
    throw error;
  });

/** Uploads in parts into a bucket of S3. */
export const createS3ObjectParts = ({ at, call, timeouts }: Bucket): ObjectParts => ({
  begin: (key, { contentType: ContentType }) =>
    call(async (send) => {
      const input = { ...at(key), ContentType };
      const { UploadId } = await send((s3) => new s3.CreateMultipartUploadCommand(input));
      if (UploadId === undefined) throw new Error("S3 started an upload without an id.");
      return UploadId;
    }),

  list: async (key, UploadId) => {
    const listed = call((send) => send((s3) => new s3.ListPartsCommand({ ...at(key), UploadId })));
    const found = await unlessOver(listed);
    return (
      found &&
      (found.Parts ?? []).map(({ PartNumber: number = 0, Size: size = 0, ETag: tag = "" }) => ({
        number,
        size,
        tag,
      }))
    );
  },

  complete: async (key, UploadId, parts) => {
    const Parts = parts.map(({ number: PartNumber, tag: ETag }) => ({ PartNumber, ETag }));
    const input = { ...at(key), UploadId, MultipartUpload: { Parts } };
    const completed = call((send) => send((s3) => new s3.CompleteMultipartUploadCommand(input)));
    return (await unlessOver(completed)) !== undefined;
  },

  abort: async (key, UploadId) => {
    const command = { ...at(key), UploadId };
    const limit = { milliseconds: timeouts.response };
    await unlessOver(call((send) => send((s3) => new s3.AbortMultipartUploadCommand(command)), limit));
  },
});
