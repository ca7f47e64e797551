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

interface SigningKey {
  readonly date: string;
  readonly scope: string;
  readonly key: KeyObject;
}

const namesOf = (headers: UnsignedRequest["headers"]): string[] => [...Object.keys(headers), "host"].sort();

/**
 * Signs requests to a service of AWS with Signature Version 4, under one set of credentials.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export class AwsSigner {
  readonly #service: string;
  readonly #config: Pick<AwsConfig, "region" | "credentials">;
  readonly #isS3: boolean;
  #latestKey: SigningKey | undefined;

  /** @param service the name under which it signs: `dynamodb`, `secretsmanager`, `s3`. */
  constructor(service: string, config: Pick<AwsConfig, "region" | "credentials">) {
    this.#service = service;
    this.#config = config;
    this.#isS3 = service === "s3";
  }

  /** Returns the request's headers and those that AWS requires. S3 bodies are not part of a signature. */
  sign(
    {
      method,
      url,
      headers,
      body = "",
    }: UnsignedRequest & { readonly body?: string | Uint8Array | undefined },
    now = new Date(),
  ): Record<string, string> {
    const timestamp = timestampOf(now);
    const payloadHash = this.#isS3 ? unsignedPayload : hash("sha256", body);
    const { accessKeyId, sessionToken } = this.#config.credentials;
    const signed: Record<string, string> = { ...headers, "x-amz-date": timestamp };
    if (this.#isS3) signed["x-amz-content-sha256"] = payloadHash;
    if (sessionToken !== undefined) signed["x-amz-security-token"] = sessionToken;
    const names = namesOf(signed);
    const key = this.#keyOf(timestamp);
    const query = canonicalQuery(url.searchParams);
    const request = this.#canonicalRequest({ method, url, headers: signed }, query, names, payloadHash);
    signed["authorization"] =
      `${algorithm} Credential=${accessKeyId}/${key.scope}, SignedHeaders=${names.join(";")}, Signature=${signatureOf(request, timestamp, key)}`;
    return signed;
  }

  /** Returns a URL that makes the request, for anyone who has it, until the given number of seconds has passed. */
  presign({ method, url, headers }: UnsignedRequest, lifetimeSeconds: number, now = new Date()): string {
    const timestamp = timestampOf(now);
    const names = namesOf(headers);
    const key = this.#keyOf(timestamp);
    const { accessKeyId, sessionToken } = this.#config.credentials;
    const query = canonicalQuery([
      ...url.searchParams,
      ["X-Amz-Algorithm", algorithm],
      ["X-Amz-Credential", `${accessKeyId}/${key.scope}`],
      ["X-Amz-Date", timestamp],
      ["X-Amz-Expires", String(lifetimeSeconds)],
      ["X-Amz-SignedHeaders", names.join(";")],
      ...(sessionToken === undefined ? [] : [["X-Amz-Security-Token", sessionToken] as const]),
    ]);
    const payloadHash = this.#isS3 ? unsignedPayload : hash("sha256", "");
    const request = this.#canonicalRequest({ method, url, headers }, query, names, payloadHash);
    return `${url.origin}${url.pathname}?${query}&X-Amz-Signature=${signatureOf(request, timestamp, key)}`;
  }

  /** A key is valid for a day. A KeyObject costs a seventh of what OpenSSL needs to create one for each signature. */
  #keyOf(timestamp: string): SigningKey {
    const date = timestamp.slice(0, 8);
    if (this.#latestKey?.date === date) return this.#latestKey;
    const { region, credentials } = this.#config;
    const steps = [date, region, this.#service, "aws4_request"];
    const key = steps.reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
    this.#latestKey = { date, scope: steps.join("/"), key: createSecretKey(Buffer.from(key)) };
    return this.#latestKey;
  }

  #canonicalRequest(
    { method, url, headers }: UnsignedRequest,
    query: string,
    names: readonly string[],
    payloadHash: string,
  ): string {
    let lines = "";
    for (const name of names) {
      lines += `${name}:${name === "host" ? url.host : headers[name]?.trim().replace(/\s+/g, " ")}\n`;
    }
    const path = canonicalPath(url.pathname, this.#isS3);
    return `${method}\n${path}\n${query}\n${lines}\n${names.join(";")}\n${payloadHash}`;
  }
}

const signatureOf = (request: string, timestamp: string, { scope, key }: SigningKey): string =>
  hmac(key, `${algorithm}\n${timestamp}\n${scope}\n${hash("sha256", request)}`).toString("hex");
