import { checksumHeaders } from "./checksums.ts";
import type { StoredObject } from "./object-store.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";

const systemHeaders = [
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-type",
  "expires",
];

/** The query parameters of a signed GET that replace a header of the response. */
export const responseOverrides: readonly string[] = systemHeaders.map((name) => `response-${name}`);

const maxUserMetadataBytes = 2048;

/** `aws-chunked` describes the transfer, not the object. */
const withoutAwsChunked = (encodings: string): string =>
  encodings
    .split(",")
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== "aws-chunked")
    .join(", ");

/**
 * The headers an object keeps and is served with: its content headers and its `x-amz-meta-*`.
 *
 * @throws {S3Error} `MetadataTooLarge` when names and values of the user's metadata exceed 2 KB.
 */
export const readObjectHeaders = (request: S3Request): Record<string, string> => {
  const storedHeaders: Record<string, string> = { "content-type": "binary/octet-stream" };
  let userMetadata = 0;
  for (const [name, value] of request.headers) {
    if (name === "content-encoding") {
      const encoding = withoutAwsChunked(value);
      if (encoding !== "") storedHeaders[name] = encoding;
    } else if (systemHeaders.includes(name)) {
      storedHeaders[name] = value;
    } else if (name.startsWith("x-amz-meta-")) {
      storedHeaders[name] = value;
      userMetadata += name.length - "x-amz-meta-".length + value.length;
    }
  }
  if (userMetadata > maxUserMetadataBytes) throw new S3Error("MetadataTooLarge");
  return storedHeaders;
};

const readOverrides = (query: URLSearchParams): Record<string, string> => {
  const overrides: Record<string, string> = {};
  for (const parameter of responseOverrides) {
    const value = query.get(parameter);
    if (value === null) continue;
    if (!/^[\t\x20-\x7e\xa0-\xff]*$/.test(value)) {
      throw new S3Error("InvalidArgument", {
        message: "Header value cannot be represented using ISO-8859-1.",
      });
    }
    overrides[parameter.slice("response-".length)] = value;
  }
  return overrides;
};

/** The headers that describe the object itself, as HEAD and GET return them; without its length. */
export const describeObject = (object: StoredObject, request: S3Request): Record<string, string> => {
  const wantsChecksums = request.headers.get("x-amz-checksum-mode")?.toUpperCase() === "ENABLED";
  return {
    ...object.headers,
    ...readOverrides(request.query),
    // A checksum covers the whole object; the SDK would compare it with the requested part.
    ...(wantsChecksums && !request.headers.has("range") ? checksumHeaders(object.checksums) : {}),
    etag: `"${object.etag}"`,
    "last-modified": object.modifiedAt.toUTCString(),
    "accept-ranges": "bytes",
  };
};
