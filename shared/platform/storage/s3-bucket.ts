import type {
  $Command,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from "@aws-sdk/client-s3";
import { AppError } from "../errors/app-error.ts";
import type { AwsConfig } from "../outbound/aws-config.ts";
import { AwsCallError } from "../outbound/aws-json.ts";
import { BackendTimeout } from "../outbound/failures.ts";
import { sdkRequestHandler } from "../outbound/sdk-request-handler.ts";
import { limitTime } from "../outbound/timeouts.ts";

type Sdk = typeof import("./s3-sdk.ts");

/** Sends a command with up to three attempts. A body that is streamed is still unread. */
type Send = <Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  command: (
    s3: Sdk,
  ) => $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
) => Promise<Output>;

/** In milliseconds. */
export interface StorageTimeouts {
  /** How long S3 may be silent. */
  readonly response: number;
  /** A call with all its attempts, and with its response's body unless that is streamed. */
  readonly call: number;
  /** Between two pieces of a body that is streamed. */
  readonly piece: number;
  /** A copy of 500 MB, during which S3 is silent. */
  readonly copy: number;
}

/** Three attempts take far less than the time of any function that uses a bucket. */
const usualTimeouts: StorageTimeouts = { response: 8_000, call: 25_000, piece: 10_000, copy: 60_000 };

/** A bucket of S3. The SDK is loaded by the first call. */
export interface Bucket {
  readonly timeouts: StorageTimeouts;
  /** The bucket and the key as commands name them. @throws AppError for a key that no URL can name. */
  at(key: string): { readonly Bucket: string; readonly Key: string };
  /**
   * Makes one call or several, which end with the signal.
   *
   * @param options.milliseconds for all of them, instead of the bucket's own.
   * @param options.silenceMilliseconds how long S3 may be silent, instead of the bucket's own.
   * @throws AppError `service_unavailable` when S3 is silent for too long, `storage_unavailable` when it refuses, fails or
   * breaks off; the cause is an AwsCallError with S3's code if there is one.
   */
  call<Result>(
    work: (send: Send, signal: AbortSignal) => Promise<Result>,
    options?: {
      readonly signal?: AbortSignal;
      readonly milliseconds?: number;
      readonly silenceMilliseconds?: number;
    },
  ): Promise<Result>;
}

const retryAfterSeconds = 5;

/** S3's code without its message, which may repeat the request. */
const causeOf = (thrown: unknown): unknown => {
  if (!(thrown instanceof Error && "$response" in thrown && "$metadata" in thrown)) return thrown;
  const { httpStatusCode } = Object(thrown.$metadata);
  return new AwsCallError(thrown.name, `S3 responded with status ${httpStatusCode}, ${thrown.name}.`, {
    $metadata: { httpStatusCode },
  });
};

/** Converts a failure to `service_unavailable` if S3 was silent, else to `storage_unavailable`; keeps our own errors. */
export const storageFailure = (thrown: unknown): AppError => {
  if (thrown instanceof AppError) return thrown;
  if (!(thrown instanceof BackendTimeout))
    return new AppError("storage_unavailable", { cause: causeOf(thrown) });
  return new AppError("service_unavailable", {
    message: "The store of audio files did not respond in time; try again shortly.",
    retryAfterSeconds,
    // So that no model's server is blamed for it.
    cause: new AwsCallError("TimeoutError", "S3 was silent for too long.", { cause: thrown }),
  });
};

/** The response of S3 to a call that failed for good. */
export const s3Failure = (error: unknown): AwsCallError | undefined =>
  error instanceof AppError && error.cause instanceof AwsCallError ? error.cause : undefined;

/** @throws AppError for a key that no URL can name: every client reads `.` and `..` as steps of a path. */
export const requireNameable = (key: string): string => {
  if (!/(?:^|\/)\.{1,2}(?:\/|$)/.test(key)) return key;
  throw storageFailure(new Error("A segment of the object's key is . or .."));
};

export const openBucket = (
  name: string,
  { region, credentials, endpoints }: AwsConfig,
  timeouts: StorageTimeouts = usualTimeouts,
): Bucket => {
  const load = async () => {
    const sdk = await import("./s3-sdk.ts");
    const client = new sdk.S3Client({
      region,
      credentials,
      ...(endpoints.S3 === undefined ? {} : { endpoint: endpoints.S3, forcePathStyle: true }),
      maxAttempts: 3,
      requestHandler: sdkRequestHandler(timeouts.response),
      // Servers in place of S3 need not know its checksums; TLS and the signature protect a body.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      expectContinueHeader: false,
    });
    return { sdk, client };
  };
  let loading: ReturnType<typeof load> | undefined;

  return {
    timeouts,
    at: (key) => ({ Bucket: name, Key: requireNameable(key) }),
    call: async (work, options = {}) => {
      const { signal = new AbortController().signal, milliseconds = timeouts.call } = options;
      const { silenceMilliseconds = timeouts.response } = options;
      const reason = () => new BackendTimeout(`A call to S3 took more than ${milliseconds} ms.`);
      const limit = limitTime(milliseconds, signal, reason);
      try {
        loading ??= load();
        const { sdk, client } = await loading;
        return await work(
          (command) =>
            client.send(command(sdk), { abortSignal: limit.signal, requestTimeout: silenceMilliseconds }),
          limit.signal,
        );
      } catch (error) {
        throw storageFailure(limit.signal.aborted ? limit.signal.reason : error);
      } finally {
        limit.lift();
      }
    },
  };
};
