import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { S3Error } from "./s3-error.ts";

/** A request in path style, `/{bucket}/{key}`, not yet authenticated. */
export interface S3Request {
  readonly method: string;
  /** The path as it was sent, still percent-encoded: what the client signed. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly bucketName: string | undefined;
  readonly key: string | undefined;
  readonly body: Readable;
}

/** A request whose signature holds. Bodies are only read from these. */
export interface AuthenticatedRequest extends S3Request {
  /** The key that it is signed with; that of a presigned link belongs to who made the link. */
  readonly accessKeyId: string;
  /** The signed `x-amz-content-sha256`: a digest in hex, or one of S3's words for an unsigned or streamed body. */
  readonly payloadHash: string;
}

/** @throws {S3Error} `InvalidURI` when it is not percent-encoded UTF-8. */
const decodePath = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new S3Error("InvalidURI");
  }
};

/** @throws {S3Error} `InvalidURI` when the path is not percent-encoded UTF-8. */
export const readRequest = (incoming: IncomingMessage): S3Request => {
  const target = incoming.url ?? "/";
  const queryStart = target.indexOf("?");
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  const keyStart = path.indexOf("/", 1);
  const bucketName = decodePath(keyStart === -1 ? path.slice(1) : path.slice(1, keyStart));
  const key = keyStart === -1 ? "" : decodePath(path.slice(keyStart + 1));
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(",") : value);
  }
  return {
    method: incoming.method ?? "GET",
    path,
    query: new URLSearchParams(queryStart === -1 ? "" : target.slice(queryStart + 1)),
    headers,
    bucketName: bucketName === "" ? undefined : bucketName,
    key: key === "" ? undefined : key,
    body: incoming,
  };
};
