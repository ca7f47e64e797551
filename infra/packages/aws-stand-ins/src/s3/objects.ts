import type { ObjectCall } from "./call.ts";
import { checksumHeaders } from "./checksums.ts";
import { describeObject, readObjectHeaders } from "./object-headers.ts";
import type { StoredObject } from "./object-store.ts";
import { isNotModified, rangeApplies, readWriteCondition } from "./preconditions.ts";
import { receiveBody } from "./received-body.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";
import type { S3Response } from "./s3-response.ts";
import type { Storage } from "./storage.ts";

/** Offsets of the first and the last byte. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Resolves a Range header against the size of an object. S3 serves one range; several of them, or anything that is
 * not a byte range, count as no Range at all.
 *
 *
 * @returns undefined when the whole object is requested.
 * @throws {S3Error} `InvalidRange` when the range is beyond the object.
 */
const resolveRange = (header: string | undefined, size: number): ByteRange | undefined => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end) {
    throw new S3Error("InvalidRange", {
      details: { RangeRequested: header, ActualObjectSize: size },
      headers: { "content-range": `bytes */${size}` },
    });
  }
  return { start, end };
};

/** @throws {S3Error} `NoSuchKey` */
const findObject = (storage: Storage, bucketName: string, key: string): StoredObject => {
  const object = storage.objects.find(bucketName, key);
  if (object === undefined) throw new S3Error("NoSuchKey", { details: { Key: key } });
  return object;
};

/** The response without its body, and the bytes of that body; an empty object has none. */
const responseHead = (request: S3Request, object: StoredObject) => {
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
  responseHead(request, findObject(storage, bucketName, key)).head;

export const getObject = ({ request, storage, bucketName, key }: ObjectCall): S3Response => {
  const object = findObject(storage, bucketName, key);
  const { head, bytes } = responseHead(request, object);
  if (bytes === undefined || object.size === 0) return head;
  return { ...head, body: storage.bodies.open(object.body).stream(bytes.start, bytes.end) };
};

/** Stores the body and makes it visible under the key when, and only when, all of it has arrived and been verified. */
export const putObject = async ({ request, storage, bucketName, key }: ObjectCall): Promise<S3Response> => {
  const headers = readObjectHeaders(request);
  const condition = readWriteCondition(request);
  // Checked again when the body has arrived; a refusal now saves sending it.
  condition(storage.objects.find(bucketName, key));
  const { id: body, result } = await storage.bodies.create((file) => receiveBody(request, file));
  const { size, md5: etag, checksums } = result;
  storage.objects.put({ bucket: bucketName, key, body, size, etag, headers, checksums }, condition);
  return { status: 200, headers: { etag: `"${etag}"`, ...checksumHeaders(checksums) } };
};

/** Deleting a missing object succeeds, as on S3. */
export const deleteObject = ({ request, storage, bucketName, key }: ObjectCall): S3Response => {
  readWriteCondition(request)(storage.objects.find(bucketName, key));
  storage.objects.delete(bucketName, key);
  return { status: 204 };
};
