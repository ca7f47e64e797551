import { S3RequestPresigner } from "@aws-sdk/s3-request-presigner";
import { buildQueryString, escapeUriPath } from "@smithy/core/protocols";
import { Hash } from "@smithy/core/serde";
import type { AwsConfig } from "../outbound/aws-config.ts";
import { awsDomain } from "../outbound/aws-json.ts";
import { linkLifetimeSeconds, type ObjectLinks, type SignedLink } from "./object-store.ts";
import { requireNameable, storageFailure } from "./s3-bucket.ts";

/** What a link does. The headers are those that a client must send, by names in lower case. */
interface LinkedCall {
  /** As S3 names it. */
  readonly operation: "GetObject" | "PutObject" | "UploadPart";
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where the bucket's objects are. A server in place of S3 is reached by path: names below its own mean nothing. */
export const bucketAddress = (name: string, { region, endpoints }: AwsConfig): string =>
  endpoints.S3 === undefined
    ? `https://${name}.s3.${region}.${awsDomain(region)}`
    : `${endpoints.S3.replace(/\/$/, "")}/${name}`;

const openSigner = (bucketName: string, aws: AwsConfig) => {
  const { protocol, hostname, port, host, pathname } = new URL(bucketAddress(bucketName, aws));
  const presigner = new S3RequestPresigner({
    region: aws.region,
    credentials: aws.credentials,
    sha256: Hash.bind(undefined, "sha256"),
  });

  return async (key: string, { operation, query, headers }: LinkedCall): Promise<SignedLink> => {
    if (aws.credentials.accessKeyId === "") {
      throw storageFailure(new Error("There are no credentials to sign with."));
    }
    const path = `${pathname.replace(/\/$/, "")}/${escapeUriPath(requireNameable(key))}`;
    const signedAt = new Date();
    const signed = await presigner.presign(
      {
        method: operation === "GetObject" ? "GET" : "PUT",
        protocol,
        hostname,
        ...(port === "" ? {} : { port: Number(port) }),
        path,
        query: { ...query, "x-id": operation },
        headers: { ...headers, host },
      },
      {
        expiresIn: linkLifetimeSeconds,
        signingDate: signedAt,
        signableHeaders: new Set(["host", ...Object.keys(headers ?? {})]),
      },
    );
    return {
      url: `${protocol}//${host}${path}?${buildQueryString(signed.query ?? {})}`,
      expiresAt: new Date(signedAt.getTime() + linkLifetimeSeconds * 1_000),
    };
  };
};

const lengthOf = (size: number | undefined) => (size === undefined ? {} : { "content-length": String(size) });

/** Links to objects of a bucket. Signing sends nothing, and needs less of the SDK than its client for S3. */
export const createS3Links = (bucketName: string, aws: AwsConfig): ObjectLinks => {
  const sign = openSigner(bucketName, aws);
  return {
    signUpload: (key, { contentType, size }) =>
      sign(key, { operation: "PutObject", headers: { "content-type": contentType, ...lengthOf(size) } }),
    signPart: (key, uploadId, { number, size }) =>
      sign(key, {
        operation: "UploadPart",
        query: { partNumber: String(number), uploadId },
        headers: lengthOf(size),
      }),
    signDownload: (key, { contentType, fileName }) =>
      sign(key, {
        operation: "GetObject",
        query: {
          "response-content-disposition": `inline; filename="${fileName}"`,
          "response-content-type": contentType,
        },
      }),
  };
};
