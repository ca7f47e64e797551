import { readObjectHeaders } from "../object-headers.ts";
import { readWriteCondition } from "../preconditions.ts";
import { S3Error } from "../s3-error.ts";
import { decodePath, type S3Request } from "../s3-request.ts";
import { type S3Response, xmlResponse } from "../s3-response.ts";
import { readTaggingHeader } from "../tags.ts";
import type { ObjectCall } from "./call.ts";
import { findObject } from "./get-object.ts";

const readSource = (request: S3Request): { bucketName: string; key: string } => {
  const [path = "", version] = (request.headers.get("x-amz-copy-source") ?? "").replace(/^\//, "").split("?");
  if (version !== undefined) {
    throw new S3Error("NotImplemented", { message: "Versions of objects are not implemented." });
  }
  const match = /^([^/]+)\/(.+)$/s.exec(decodePath(path));
  const [, bucketName, key] = match ?? [];
  if (bucketName === undefined || key === undefined) {
    throw new S3Error("InvalidArgument", { message: "Copy Source must mention the source bucket and key." });
  }
  return { bucketName, key };
};

const replaces = (request: S3Request, header: string): boolean => {
  const directive = request.headers.get(header) ?? "COPY";
  if (directive !== "COPY" && directive !== "REPLACE") {
    throw new S3Error("InvalidArgument", { message: `${header} must be COPY or REPLACE.` });
  }
  return directive === "REPLACE";
};

/**
 * Copies an object within or between buckets; the copy shares the stored bytes. Unlike on S3, the copy of an
 * object that was uploaded in parts keeps the entity tag of the original.
 */
export const copyObject = ({ request, storage, bucketName, key }: ObjectCall): S3Response => {
  const source = readSource(request);
  const replacesHeaders = replaces(request, "x-amz-metadata-directive");
  const replacesTags = replaces(request, "x-amz-tagging-directive");
  if (source.bucketName === bucketName && source.key === key && !replacesHeaders) {
    throw new S3Error("InvalidRequest", {
      message:
        "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata.",
    });
  }
  if (storage.buckets.find(source.bucketName) === undefined) throw new S3Error("NoSuchBucket");
  const original = findObject(storage, source.bucketName, source.key);
  const copy = storage.objects.put(
    {
      ...original,
      bucket: bucketName,
      key,
      headers: replacesHeaders ? readObjectHeaders(request) : original.headers,
      tags: replacesTags ? readTaggingHeader(request.headers.get("x-amz-tagging")) : original.tags,
    },
    readWriteCondition(request),
  );
  return xmlResponse("CopyObjectResult", {
    ETag: `"${copy.etag}"`,
    LastModified: copy.modifiedAt.toISOString(),
  });
};
