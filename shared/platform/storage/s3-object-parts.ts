import { AppError } from "../errors/app-error.ts";
import { AwsCallError } from "../outbound/aws-json.ts";
import type { ObjectPart, ObjectParts, StoredPart } from "./object-store.ts";
import { type Bucket, storageFailure } from "./s3-calls.ts";

/** A page of an upload's parts has at most a thousand of a few hundred bytes each, and none of our uploads has more. */
const maxListBytes = 1_024 * 1_024;

/** Neither the id of an upload nor the tag of a part has a character that means something to XML. */
const uploadIdElement = /<UploadId>([^<&]+)<\/UploadId>/;

const isOver = (error: unknown): boolean =>
  error instanceof AppError && error.cause instanceof AwsCallError && error.cause.name === "NoSuchUpload";

/** Begins an upload in parts. @returns its id. @throws AppError as the bucket does. */
export const beginMultipart = async (bucket: Bucket, key: string, contentType: string): Promise<string> => {
  const { body } = await bucket.call({
    operation: "CreateMultipartUpload",
    method: "POST",
    key,
    query: { uploads: "" },
    headers: { "content-type": contentType },
  });
  const uploadId = uploadIdElement.exec(body.toString())?.[1];
  if (uploadId === undefined) throw storageFailure(new Error("S3 started an upload without an id."));
  return uploadId;
};

/** Makes an object of its parts, which are in the order of their numbers. @throws AppError as the bucket does. */
export const completeMultipart = async (
  bucket: Bucket,
  key: string,
  uploadId: string,
  parts: readonly Pick<StoredPart, "number" | "tag">[],
): Promise<void> => {
  const named = parts.map(
    ({ number, tag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`,
  );
  const namespace = "http://s3.amazonaws.com/doc/2006-03-01/";
  await bucket.call({
    operation: "CompleteMultipartUpload",
    method: "POST",
    key,
    query: { uploadId },
    headers: { "content-type": "application/xml" },
    body: `<CompleteMultipartUpload xmlns="${namespace}">${named.join("")}</CompleteMultipartUpload>`,
  });
};

const partCall = (key: string, uploadId: string, { number, size }: ObjectPart) =>
  ({
    operation: "UploadPart",
    method: "PUT",
    key,
    query: { partNumber: String(number), uploadId },
    headers: { "content-length": String(size) },
  }) as const;

const elementIn = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];

/** The parts in what S3 says of an upload. S3 writes the quotes around a tag as entities. */
const readParts = (xml: string): StoredPart[] =>
  [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = ""]) => ({
    number: Number(elementIn(part, "PartNumber")),
    size: Number(elementIn(part, "Size")),
    tag: (elementIn(part, "ETag") ?? "").replaceAll(/&quot;|&#34;|"/g, ""),
  }));

/** Returns the fallback when the upload was completed, was aborted or has expired. */
const unlessOver = async <Result, Fallback>(
  work: () => Promise<Result>,
  fallback: Fallback,
): Promise<Result | Fallback> => {
  try {
    return await work();
  } catch (error) {
    if (isOver(error)) return fallback;
    throw error;
  }
};

/** Uploads in parts into a bucket of S3. */
export const createS3ObjectParts = (bucket: Bucket): ObjectParts => ({
  begin: (key, { contentType }) => beginMultipart(bucket, key, contentType),

  sign: async (key, uploadId, part) => bucket.sign(partCall(key, uploadId, part)),

  list: (key, uploadId) =>
    unlessOver(async () => {
      const call = { operation: "ListParts", method: "GET", key, query: { uploadId } } as const;
      return readParts((await bucket.call(call, { maxBytes: maxListBytes })).body.toString());
    }, undefined),

  complete: (key, uploadId, parts) =>
    unlessOver(async () => {
      await completeMultipart(bucket, key, uploadId, parts);
      return true;
    }, false),

  abort: async (key, uploadId) => {
    const call = { operation: "AbortMultipartUpload", method: "DELETE", key, query: { uploadId } } as const;
    await unlessOver(() => bucket.call(call), undefined);
  },
});
