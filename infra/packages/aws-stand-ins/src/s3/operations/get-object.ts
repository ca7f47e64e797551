import { resolveRange } from "../byte-range.ts";
import { describeObject } from "../object-headers.ts";
import type { StoredObject } from "../object-store.ts";
import { isNotModified, rangeApplies } from "../preconditions.ts";
import { S3Error } from "../s3-error.ts";
import type { S3Request } from "../s3-request.ts";
import type { S3Response } from "../s3-response.ts";
import type { Storage } from "../storage.ts";
import type { ObjectCall } from "./call.ts";

/** @throws {S3Error} `NoSuchKey` */
export const findObject = (storage: Storage, bucketName: string, key: string): StoredObject => {
  const object = storage.objects.find(bucketName, key);
  if (object === undefined) throw new S3Error("NoSuchKey", { details: { Key: key } });
  return object;
};

/** The answer without its body, and which bytes that would be; an empty object has none. */
const answerHead = (request: S3Request, object: StoredObject) => {
  const described = describeObject(object, request);
  if (isNotModified(request, object)) {
    const { etag = "", "last-modified": lastModified = "" } = described;
    return { head: { status: 304, headers: { etag, "last-modified": lastModified } } };
  }
  const range = rangeApplies(request, object)
    ? resolveRange(request.headers.get("range"), object.size)
    : undefined;
  const { start, end } = range ?? { start: 0, end: object.size - 1 };
  const headers: Record<string, string> = { ...described, "content-length": String(end - start + 1) };
  if (range !== undefined) headers["content-range"] = `bytes ${start}-${end}/${object.size}`;
  return { head: { status: range === undefined ? 200 : 206, headers }, bytes: { start, end } };
};

export const headObject = ({ request, storage, bucketName, key }: ObjectCall): S3Response =>
  answerHead(request, findObject(storage, bucketName, key)).head;

export const getObject = ({ request, storage, bucketName, key }: ObjectCall): S3Response => {
  const object = findObject(storage, bucketName, key);
  const { head, bytes } = answerHead(request, object);
  if (bytes === undefined || object.size === 0) return head;
  return { ...head, body: storage.bodies.open(object.body).stream(bytes.start, bytes.end) };
};
