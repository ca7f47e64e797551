import { checksumHeaders } from "../checksums.ts";
import { readObjectHeaders } from "../object-headers.ts";
import { receiveBody } from "../received-body.ts";
import { S3Error } from "../s3-error.ts";
import { type S3Response, xmlResponse } from "../s3-response.ts";
import type { Upload } from "../upload-store.ts";
import type { ObjectCall } from "./call.ts";

const mostParts = 10_000;

/** @throws {S3Error} `NoSuchUpload` when it is unknown, completed, aborted, or another key's. */
export const findUpload = ({ request, storage, bucketName, key }: ObjectCall): Upload => {
  const upload = storage.uploads.find(bucketName, key, request.query.get("uploadId") ?? "");
  if (upload === undefined) throw new S3Error("NoSuchUpload");
  return upload;
};

/** @throws {S3Error} `InvalidArgument` when it is not a number from 1 to 10,000. */
const partNumberOf = ({ query }: ObjectCall["request"]): number => {
  const value = query.get("partNumber") ?? "";
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > mostParts) {
    throw new S3Error("InvalidArgument", {
      message: `partNumber must be an integer from 1 to ${mostParts}.`,
    });
  }
  return number;
};

export const createMultipartUpload = ({ request, storage, bucketName, key }: ObjectCall): S3Response => {
  const id = storage.uploads.create(bucketName, key, readObjectHeaders(request));
  return xmlResponse("InitiateMultipartUploadResult", { Bucket: bucketName, Key: key, UploadId: id });
};

export const uploadPart = async (call: ObjectCall): Promise<S3Response> => {
  const { request, storage } = call;
  const { id: uploadId } = findUpload(call);
  const number = partNumberOf(request);
  const { id: body, result } = await storage.bodies.create((file) => receiveBody(request, file));
  const { size, md5: etag, checksums } = result;
  if (storage.uploads.find(call.bucketName, call.key, uploadId) === undefined) {
    storage.bodies.release(body);
    throw new S3Error("NoSuchUpload");
  }
  storage.uploads.putPart(uploadId, { number, body, size, etag, checksums });
  return { status: 200, headers: { etag: `"${etag}"`, ...checksumHeaders(checksums) } };
};

export const abortMultipartUpload = (call: ObjectCall): S3Response => {
  call.storage.uploads.delete(findUpload(call).id);
  return { status: 204 };
};
