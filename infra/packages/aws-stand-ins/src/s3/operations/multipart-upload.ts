import { checksumHeaders } from "../checksums.ts";
import { readObjectHeaders } from "../object-headers.ts";
import { receiveBody } from "../received-body.ts";
import { S3Error } from "../s3-error.ts";
import { type S3Response, xmlResponse } from "../s3-response.ts";
import { readTaggingHeader } from "../tags.ts";
import type { Upload } from "../upload-store.ts";
import type { ObjectCall } from "./call.ts";

const mostParts = 10_000;
const largestPage = 1000;

/** @throws {S3Error} `NoSuchUpload` when it is unknown, completed, aborted, or another key's. */
export const findUpload = ({ request, storage, bucketName, key }: ObjectCall): Upload => {
  const upload = storage.uploads.find(bucketName, key, request.query.get("uploadId") ?? "");
  if (upload === undefined) throw new S3Error("NoSuchUpload");
  return upload;
};

const readNumber = (query: URLSearchParams, name: string, fallback: number, largest: number): number => {
  const value = query.get(name) ?? String(fallback);
  if (!/^\d{1,9}$/.test(value) || Number(value) > largest) {
    throw new S3Error("InvalidArgument", { message: `${name} must be an integer not above ${largest}.` });
  }
  return Number(value);
};

export const createMultipartUpload = ({ request, storage, bucketName, key }: ObjectCall): S3Response => {
  const tags = readTaggingHeader(request.headers.get("x-amz-tagging"));
  const id = storage.uploads.create(bucketName, key, readObjectHeaders(request), tags);
  return xmlResponse("InitiateMultipartUploadResult", { Bucket: bucketName, Key: key, UploadId: id });
};

export const uploadPart = async (call: ObjectCall): Promise<S3Response> => {
  const { request, storage } = call;
  const { id: uploadId } = findUpload(call);
  const number = readNumber(request.query, "partNumber", 0, mostParts);
  if (number === 0) throw new S3Error("InvalidArgument", { message: "partNumber must be at least 1." });
  const { id: body, result } = await storage.bodies.create((file) => receiveBody(request, file));
  const { size, md5: etag, checksums } = result;
  if (storage.uploads.find(call.bucketName, call.key, uploadId) === undefined) {
    storage.bodies.release(body);
    throw new S3Error("NoSuchUpload");
  }
  storage.uploads.putPart(uploadId, { number, body, size, etag, checksums });
  return { status: 200, headers: { etag: `"${etag}"`, ...checksumHeaders(checksums) } };
};

export const listParts = (call: ObjectCall): S3Response => {
  const { request, storage, bucketName, key } = call;
  const upload = findUpload(call);
  const after = readNumber(request.query, "part-number-marker", 0, mostParts);
  const pageSize = Math.min(readNumber(request.query, "max-parts", largestPage, 2 ** 31), largestPage);
  const remaining = storage.uploads.parts(upload.id).filter(({ number }) => number > after);
  const parts = remaining.slice(0, pageSize);
  return xmlResponse("ListPartsResult", {
    Bucket: bucketName,
    Key: key,
    UploadId: upload.id,
    PartNumberMarker: after,
    NextPartNumberMarker: parts.at(-1)?.number,
    MaxParts: pageSize,
    IsTruncated: parts.length < remaining.length,
    Part: parts.map(({ number, modifiedAt, etag, size }) => ({
      PartNumber: number,
      LastModified: modifiedAt.toISOString(),
      ETag: `"${etag}"`,
      Size: size,
    })),
  });
};

export const abortMultipartUpload = (call: ObjectCall): S3Response => {
  call.storage.uploads.delete(findUpload(call).id);
  return { status: 204 };
};
