import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { S3Request } from "./s3-request.ts";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What a signature claims to be valid for; `date` is `YYYYMMDD`. */
export interface CredentialScope {
  readonly accessKeyId: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** What a Signature Version 4 signature covers in addition to the request itself. */
export interface SignatureClaims {
  readonly scope: CredentialScope;
  /** `YYYYMMDDTHHMMSSZ` */
  readonly timestamp: string;
  /** Names in lower case, in the order in which they were signed. */
  readonly signedHeaders: readonly string[];
  readonly payloadHash: string;
  /** 64 hex digits. */
  readonly signature: string;
}

const algorithm = "AWS4-HMAC-SHA256";

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Percent-encoding as AWS defines it: everything but A-Z a-z 0-9 - . _ ~ is escaped, in capital hex digits. */
export const encodeRfc3986 = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

// S3 alone signs the path as it is, neither normalised nor encoded twice. Re-encoding each segment accepts
// clients that leave more characters bare than the SDK does, and nothing else.
const canonicalPath = (path: string): string =>
  path
    .split("/")
    .map((segment) => encodeRfc3986(decodeURIComponent(segment)))
    .join("/");

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => ({ name: encodeRfc3986(name), value: encodeRfc3986(value) }))
    .sort((left, right) => compare(left.name, right.name) || compare(left.value, right.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join("&");

const canonicalHeaders = (request: S3Request, names: readonly string[]): string =>
  names.map((name) => `${name}:${(request.headers.get(name) ?? "").trim().replace(/\s+/g, " ")}\n`).join("");

/**
 * The signature the request ought to carry, in hex.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
const computeSignature = (request: S3Request, claims: SignatureClaims, secretAccessKey: string): string => {
  const canonicalRequest = [
    request.method,
    canonicalPath(request.path),
    canonicalQuery(request.query),
    canonicalHeaders(request, claims.signedHeaders),
    claims.signedHeaders.join(";"),
    claims.payloadHash,
  ].join("\n");
  const { date, region, service } = claims.scope;
  const stringToSign = [
    algorithm,
    claims.timestamp,
    `${date}/${region}/${service}/aws4_request`,
    createHash("sha256").update(canonicalRequest).digest("hex"),
  ].join("\n");
  const signingKey = [date, region, service, "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${secretAccessKey}`,
  );
  return hmac(signingKey, stringToSign).toString("hex");
};

/** Whether the claimed signature is the right one; takes the same time wherever the first difference is. */
export const signatureMatches = (
  request: S3Request,
  claims: SignatureClaims,
  secretAccessKey: string,
): boolean => {
  const expected = Buffer.from(computeSignature(request, claims, secretAccessKey));
  const claimed = Buffer.from(claims.signature);
  return expected.length === claimed.length && timingSafeEqual(expected, claimed);
};
