import type { ObjectCall } from "./call.ts";
import { namesEntity } from "./preconditions.ts";
import { ofObject, requireAccess } from "./required-access.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";
import { type S3Response, xmlResponse } from "./s3-response.ts";

/** The object to copy, as a bucket and a key; `undefined` when the request copies none. */
export const copySource = (request: S3Request): string | undefined =>
  request.headers.get("x-amz-copy-source");

/** Copies an object of the same bucket with its headers. Both share the file with the body. */
export const copyObject = (call: ObjectCall): S3Response => {
  const { request, storage, bucketName, key } = call;
  const [, sourceBucket, sourceKey = ""] =
    /^\/?([^/]+)\/(.+)$/.exec(decodeURIComponent(copySource(request) ?? "")) ?? [];
  if (sourceBucket !== bucketName) {
    throw new S3Error("NotImplemented", { message: "Objects can be copied within a bucket only." });
  }
  requireAccess(call, ofObject("s3:GetObject")({ ...call, key: sourceKey }));
  const source = storage.objects.find(bucketName, sourceKey);
  if (source === undefined) throw new S3Error("NoSuchKey", { details: { Key: sourceKey } });
  const match = request.headers.get("x-amz-copy-source-if-match");
  if (match !== undefined && !namesEntity(match, source)) throw new S3Error("PreconditionFailed");
  const { etag, modifiedAt } = storage.objects.put({ ...source, key }, () => undefined);
  return xmlResponse("CopyObjectResult", { ETag: `"${etag}"`, LastModified: modifiedAt.toISOString() });
};
