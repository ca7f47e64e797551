import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import type { AwsConfig } from "./aws-config.ts";

/** A request before its signature. */
export interface UnsignedRequest {
  readonly method: string;
  /** Its path and query percent-encoded, as they are sent. */
  readonly url: URL;
  /** The signed headers in addition to the host; names in lower case. Other headers are sent unsigned. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Signs requests to a service of AWS with Signature Version 4, under one set of credentials.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export interface AwsSigner {
  /**
   * The headers of a signed request: the given ones, and those that AWS requires. S3 bodies are not part of a
   * signature.
   */
  sign(
    request: UnsignedRequest & { readonly body?: string | Uint8Array | undefined },
    now?: Date,
  ): Record<string, string>;
  /**
   * Returns a URL that does what the request does, for anyone who has it, until the given number of seconds has
   * passed.
   */
  presign(request: UnsignedRequest, lifetimeSeconds: number, now?: Date): string;
}

const algorithm = "AWS4-HMAC-SHA256";

/** S3 takes a body that the signature does not cover: TLS protects it, and to hash it costs milliseconds per megabyte. */
const unsignedPayload = "UNSIGNED-PAYLOAD";

/** Percent-encoding as AWS defines it: everything but A-Z a-z 0-9 - . _ ~ is escaped, in capital hex digits. */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const hmac = (key: string | Buffer | KeyObject, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();

/** `20261122T031500Z`, whose first eight characters are the date. */
const timestampOf = (time: Date): string => time.toISOString().replace(/[-:]|\.\d{3}/g, "");

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const canonicalQuery = (query: Iterable<readonly [name: string, value: string]>): string =>
  [...query]
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .sort(([name, value], [otherName, otherValue]) => compare(name, otherName) || compare(value, otherValue))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

/** S3 signs a path as it is sent; every other service signs it encoded once more. */
const canonicalPath = (path: string, isS3: boolean): string =>
  path === "/"
    ? path
    : path
        .split("/")
        .map((segment) => percentEncode(isS3 ? decodeURIComponent(segment) : segment))
        .join("/");

/** A signer for a service, by the name under which it signs: `dynamodb`, `secretsmanager`, `s3`. */
export const createAwsSigner = (
  service: string,
  {
    region,
    credentials: { accessKeyId, secretAccessKey, sessionToken },
  }: Pick<AwsConfig, "region" | "credentials">,
): AwsSigner => {
  const isS3 = service === "s3";
  let ofToday: { readonly date: string; readonly scope: string; readonly key: KeyObject } | undefined;

  /**
   * The key is valid for a day. As a KeyObject it costs a seventh of what OpenSSL needs to create one for each
   * signature.
   */
  const keyOf = (date: string) => {
    if (ofToday?.date !== date) {
      const steps = [date, region, service, "aws4_request"];
      const key = steps.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
      ofToday = { date, scope: steps.join("/"), key: createSecretKey(Buffer.from(key)) };
    }
    return ofToday;
  };

  const signatureOf = (
    { method, url, headers }: UnsignedRequest,
    {
      query,
      names,
      payloadHash,
      timestamp,
    }: {
      readonly query: string;
      readonly names: readonly string[];
      readonly payloadHash: string;
      readonly timestamp: string;
    },
  ): string => {
    let lines = "";
    for (const name of names) {
      lines += `${name}:${name === "host" ? url.host : headers[name]?.trim().replace(/\s+/g, " ")}\n`;
    }
    const path = canonicalPath(url.pathname, isS3);
    const request = `${method}\n${path}\n${query}\n${lines}\n${names.join(";")}\n${payloadHash}`;
    const { scope, key } = keyOf(timestamp.slice(0, 8));
    const text = `${algorithm}\n${timestamp}\n${scope}\n${hash("sha256", request)}`;
    return hmac(key, text).toString("hex");
  };

  const namesOf = (headers: UnsignedRequest["headers"]): string[] => [...Object.keys(headers), "host"].sort();

  return {
    sign: ({ method, url, headers, body = "" }, now = new Date()) => {
      const timestamp = timestampOf(now);
      const payloadHash = isS3 ? unsignedPayload : hash("sha256", body);
      const signed: Record<string, string> = { ...headers, "x-amz-date": timestamp };
      if (isS3) signed["x-amz-content-sha256"] = payloadHash;
      if (sessionToken !== undefined) signed["x-amz-security-token"] = sessionToken;
      const names = namesOf(signed);
      const query = canonicalQuery(url.searchParams);
      const signature = signatureOf(
        { method, url, headers: signed },
        { query, names, payloadHash, timestamp },
      );
      const credential = `${accessKeyId}/${keyOf(timestamp.slice(0, 8)).scope}`;
      signed["authorization"] =
        `${algorithm} Credential=${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
      return signed;
    },

    presign: ({ method, url, headers }, lifetimeSeconds, now = new Date()) => {
      const timestamp = timestampOf(now);
      const names = namesOf(headers);
      const query = canonicalQuery([
        ...url.searchParams,
        ["X-Amz-Algorithm", algorithm],
        ["X-Amz-Credential", `${accessKeyId}/${keyOf(timestamp.slice(0, 8)).scope}`],
        ["X-Amz-Date", timestamp],
        ["X-Amz-Expires", String(lifetimeSeconds)],
        ["X-Amz-SignedHeaders", names.join(";")],
        ...(sessionToken === undefined ? [] : [["X-Amz-Security-Token", sessionToken] as const]),
      ]);
      const payloadHash = isS3 ? unsignedPayload : hash("sha256", "");
      const signature = signatureOf({ method, url, headers }, { query, names, payloadHash, timestamp });
      return `${url.origin}${url.pathname}?${query}&X-Amz-Signature=${signature}`;
    },
  };
};
