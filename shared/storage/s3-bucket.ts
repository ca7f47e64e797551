import { S3Client } from "@aws-sdk/client-s3";

/** How long S3 may take, in milliseconds. */
export interface StoragePatience {
  /** One try, until its answer begins. */
  readonly answer: number;
  /** A call with all its tries, and with the body of its answer unless that is streamed. */
  readonly call: number;
  /** Between two pieces of a body that is streamed. */
  readonly piece: number;
}

/** Three tries, and far less than the time of any function that uses a bucket. */
const usualPatience: StoragePatience = { answer: 8_000, call: 25_000, piece: 10_000 };

/** A bucket and the client that talks to it. */
export interface Bucket {
  readonly client: S3Client;
  readonly name: string;
  readonly patience: StoragePatience;
}

/**
 * Opens a bucket.
 *
 * @param endpoint a server in place of S3. Such a server is reached by path: names below its own mean nothing.
 */
export const openBucket = (
  name: string,
  endpoint?: string,
  patience: StoragePatience = usualPatience,
): Bucket => ({
  name,
  patience,
  client: new S3Client({
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    maxAttempts: 3,
    // A link must not hold the checksum of the body that is there when it is signed: none.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Ends a try without an answer. Once an answer has begun, only the call's signal can end it.
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: patience.answer,
      throwOnRequestTimeout: true,
    },
  }),
});
