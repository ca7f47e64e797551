import { checksumHeaders } from "../checksums.ts";
import { readObjectHeaders } from "../object-headers.ts";
import { readWriteCondition } from "../preconditions.ts";
import { receiveBody } from "../received-body.ts";
import type { S3Response } from "../s3-response.ts";
import type { ObjectCall } from "./call.ts";

/** Stores the body and makes it visible under the key when, and only when, all of it has arrived and been verified. */
export const putObject = async ({ request, storage, bucketName, key }: ObjectCall): Promise<S3Response> => {
  const headers = readObjectHeaders(request);
  const condition = readWriteCondition(request);
  // Checked again when the body is there; a refusal now saves sending it.
  condition(storage.objects.find(bucketName, key));
  const { id: body, result } = await storage.bodies.create((file) => receiveBody(request, file));
  const { size, md5: etag, checksums } = result;
  storage.objects.put({ bucket: bucketName, key, body, size, etag, headers, checksums }, condition);
  return { status: 200, headers: { etag: `"${etag}"`, ...checksumHeaders(checksums) } };
};

/** Deleting what is not there succeeds, as on S3. */
export const deleteObject = ({ request, storage, bucketName, key }: ObjectCall): S3Response => {
  readWriteCondition(request)(storage.objects.find(bucketName, key));
  storage.objects.delete(bucketName, key);
  return { status: 204 };
};
