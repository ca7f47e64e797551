import { Readable } from "node:stream";
import { S3Client } from "@aws-sdk/client-s3";
import { AppError } from "../errors/app-error.ts";
import { raceDeadline, withIdleTimeout } from "../outbound/timeouts.ts";

/** How long S3 may take, in milliseconds. */
export interface StorageTimeouts {
  /** One try, until its answer begins. */
  readonly answer: number;
  /** A call with all its tries, and with the body of its answer unless that is streamed. */
  readonly call: number;
  /** Between two pieces of a body that is streamed. */
  readonly piece: number;
}

/** Three tries, and far less than the time of any function that uses a bucket. */
const usualTimeouts: StorageTimeouts = { answer: 8_000, call: 25_000, piece: 10_000 };

/** A bucket and the client that talks to it. */
export interface Bucket {
  readonly client: S3Client;
  readonly name: string;
  readonly timeouts: StorageTimeouts;
}

/**
 * Opens a bucket.
 *
 * @param endpoint a server in place of S3. Such a server is reached by path: names below its own mean nothing.
 */
export const openBucket = (
  name: string,
  endpoint?: string,
  timeouts: StorageTimeouts = usualTimeouts,
): Bucket => ({
  name,
  timeouts,
  client: new S3Client({
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    maxAttempts: 3,
    // A link must not hold the checksum of the body that is there when it is signed: none.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Ends a try without an answer. Once an answer has begun, only the call's signal can end it.
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: timeouts.answer,
      throwOnRequestTimeout: true,
    },
  }),
});

/** When another try makes sense after the store has said nothing. */
const retryAfterSeconds = 5;

/** The object store was silent for too long. It looks like the SDK's own time-outs, and is treated like them. */
class StorageTimeout extends Error {
  override readonly name = "TimeoutError";
  readonly $metadata = {};
}

/** The SDK gives its time-outs' name to lost connections too, and a signal's time-out, which has it, is none of the store's. */
const isSilence = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  thrown.name === "TimeoutError" &&
  "$metadata" in thrown &&
  (!("code" in thrown) || thrown.code === "ETIMEDOUT");

/**
 * A failure of the object store as one of our errors; what is one already stays as it is.
 *
 * @returns `service_unavailable` for a silence, which passes by itself, `storage_unavailable` for everything else.
 */
export const storageFailure = (thrown: unknown): AppError => {
  if (thrown instanceof AppError) return thrown;
  if (!isSilence(thrown)) return new AppError("storage_unavailable", { cause: thrown });
  return new AppError("service_unavailable", {
    message: "The store of audio files did not answer in time; try again shortly.",
    retryAfterSeconds,
    cause: thrown,
  });
};

/**
 * Carries out a call to the object store.
 *
 * @param milliseconds how long it may take in all; then its signal aborts.
 * @throws AppError `service_unavailable` when it takes longer, `storage_unavailable` when it fails.
 */
export const callStore = async <Result>(
  milliseconds: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const deadline = AbortSignal.timeout(milliseconds);
  try {
    return await raceDeadline(deadline, call);
  } catch (error) {
    throw storageFailure(
      deadline.aborted
        ? new StorageTimeout(`A call took more than ${milliseconds} ms.`, { cause: error })
        : error,
    );
  }
};

/**
 * Reads the body of an answer of S3 as it arrives. Only time spent waiting for S3 counts as its silence: a reader that
 * takes its time does not break the reading.
 *
 * @param longestSilence how long S3 may pause between two pieces, in milliseconds.
 * @throws AppError `service_unavailable` when S3 falls silent, `storage_unavailable` when it fails or breaks off, or when
 * the signal aborts.
 */
export async function* readStoredBody(
  ask: () => Promise<{ readonly Body?: unknown }>,
  signal: AbortSignal,
  longestSilence: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let body: Readable | undefined;
  const breakOff = (reason: unknown) =>
    body?.destroy(reason instanceof Error ? reason : new Error("The reading was ended."));
  const onAbort = () => breakOff(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const { Body } = await ask();
    if (!(Body instanceof Readable)) throw new Error("S3 gave no body.");
    body = Body;
    const silence = new StorageTimeout(`S3 was silent for ${longestSilence} ms.`);
    yield* withIdleTimeout<Uint8Array>(body, {
      milliseconds: longestSilence,
      onIdle: () => breakOff(silence),
    });
  } catch (error) {
    throw storageFailure(error);
  } finally {
    signal.removeEventListener("abort", onAbort);
    body?.destroy();
  }
}
