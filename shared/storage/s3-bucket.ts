import { S3Client } from "@aws-sdk/client-s3";

/** A bucket and the client that talks to it. */
export interface Bucket {
  readonly client: S3Client;
  readonly name: string;
}

/**
 * Opens a bucket. A call takes at most about 30 seconds, retries included, besides the time a body takes.
 *
 * @param endpoint a server in place of S3. Such a server is reached by path: names below its own mean nothing.
 */
export const openBucket = (name: string, endpoint?: string): Bucket => ({
  name,
  client: new S3Client({
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    maxAttempts: 3,
    // A link must not hold the checksum of the body that is there when it is signed: none.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  }),
});
