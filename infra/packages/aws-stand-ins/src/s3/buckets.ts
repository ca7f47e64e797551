import type { BucketCall, ServiceCall } from "./call.ts";
import type { StoredObject } from "./object-store.ts";
import { receiveText } from "./received-body.ts";
import { S3Error } from "./s3-error.ts";
import { type S3Response, xmlResponse } from "./s3-response.ts";
import { encodeRfc3986 } from "./signature.ts";
import { optionalChildText, readXml } from "./xml-reader.ts";

/** Whether S3 would let a bucket be named so: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
export const isBucketName = (name: string): boolean =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
  !name.includes("..") &&
  !/^\d+\.\d+\.\d+\.\d+$/.test(name);

export const listBuckets = ({ storage }: ServiceCall): S3Response =>
  xmlResponse("ListAllMyBucketsResult", {
    Buckets: {
      Bucket: storage.buckets
        .list()
        .map(({ name, createdAt }) => ({ Name: name, CreationDate: createdAt.toISOString() })),
    },
  });

/** A bucket can only be created in the server's own region. */
export const createBucket = async ({
  request,
  storage,
  region,
  bucketName,
}: BucketCall): Promise<S3Response> => {
  if (!isBucketName(bucketName)) throw new S3Error("InvalidBucketName");
  const document = await receiveText(request);
  if (document !== "") {
    const location = optionalChildText(readXml(document, "CreateBucketConfiguration"), "LocationConstraint");
    if (location !== undefined && location !== region) {
      throw new S3Error("InvalidArgument", {
        message: `Buckets are created in '${region}', not in '${location}'.`,
      });
    }
  }
  if (!storage.buckets.create(bucketName)) throw new S3Error("BucketAlreadyOwnedByYou");
  return { status: 200, headers: { location: `/${bucketName}` } };
};

const maxPageSize = 1000;

export const listParameters = [
  "continuation-token",
  "delimiter",
  "encoding-type",
  "max-keys",
  "prefix",
  "start-after",
] as const;

interface Page {
  readonly objects: StoredObject[];
  readonly commonPrefixes: string[];
  /** The last key the page accounts for, when there are more; the next page begins after it. */
  readonly continueAfter: string | undefined;
}

/** Groups the keys by what they have between prefix and delimiter; without a delimiter nothing is grouped. */
const collectPage = (
  objects: Iterable<StoredObject>,
  prefix: string,
  delimiter: string,
  pageSize: number,
): Page => {
  const page: Omit<Page, "continueAfter"> = { objects: [], commonPrefixes: [] };
  let last = "";
  for (const object of objects) {
    const cut = delimiter === "" ? -1 : object.key.indexOf(delimiter, prefix.length);
    const commonPrefix = cut === -1 ? undefined : object.key.slice(0, cut + delimiter.length);
    const known = commonPrefix !== undefined && commonPrefix === page.commonPrefixes.at(-1);
    if (!known) {
      const full = page.objects.length + page.commonPrefixes.length >= pageSize;
      if (full) return { ...page, continueAfter: last };
      if (commonPrefix === undefined) page.objects.push(object);
      else page.commonPrefixes.push(commonPrefix);
    }
    last = object.key;
  }
  return { ...page, continueAfter: undefined };
};

const readPageSize = (query: URLSearchParams): number => {
  const value = query.get("max-keys") ?? String(maxPageSize);
  if (!/^\d{1,10}$/.test(value)) {
    throw new S3Error("InvalidArgument", { message: "max-keys must be a number of keys." });
  }
  return Math.min(Number(value), maxPageSize);
};

const readKeyEncoding = (query: URLSearchParams): "url" | undefined => {
  const encoding = query.get("encoding-type");
  if (encoding !== null && encoding !== "url") {
    throw new S3Error("InvalidArgument", { message: "Invalid Encoding Method specified in Request" });
  }
  return encoding ?? undefined;
};

/** ListObjectsV2. The first version of the operation, without `list-type=2`, is not implemented. */
export const listObjects = ({ request: { query }, storage, bucketName }: BucketCall): S3Response => {
  if (query.get("list-type") !== "2") throw new S3Error("NotImplemented");
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const startAfter = query.get("start-after");
  const token = query.get("continuation-token");
  const pageSize = readPageSize(query);
  const encoding = readKeyEncoding(query);
  const encodeKey = (key: string): string => (encoding === "url" ? encodeRfc3986(key) : key);
  const after = token === null ? (startAfter ?? "") : Buffer.from(token, "base64url").toString("utf8");
  // S3 returns an empty page as complete: there is no key to continue after.
  const objects = pageSize === 0 ? [] : storage.objects.list(bucketName, prefix, after);
  const page = collectPage(objects, prefix, delimiter, pageSize);
  return xmlResponse("ListBucketResult", {
    Name: bucketName,
    Prefix: encodeKey(prefix),
    Delimiter: delimiter === "" ? undefined : encodeKey(delimiter),
    EncodingType: encoding,
    StartAfter: startAfter === null ? undefined : encodeKey(startAfter),
    ContinuationToken: token ?? undefined,
    MaxKeys: pageSize,
    KeyCount: page.objects.length + page.commonPrefixes.length,
    IsTruncated: page.continueAfter !== undefined,
    NextContinuationToken:
      page.continueAfter === undefined ? undefined : Buffer.from(page.continueAfter).toString("base64url"),
    Contents: page.objects.map(({ key, modifiedAt, etag, size }) => ({
      Key: encodeKey(key),
      LastModified: modifiedAt.toISOString(),
      ETag: `"${etag}"`,
      Size: size,
      StorageClass: "STANDARD",
    })),
    CommonPrefixes: page.commonPrefixes.map((commonPrefix) => ({ Prefix: encodeKey(commonPrefix) })),
  });
};
