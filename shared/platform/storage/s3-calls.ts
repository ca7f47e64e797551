import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { AppError } from "../errors/app-error.ts";
import { dependencyFailure } from "../errors/dependency-failure.ts";
import type { AwsConfig } from "../outbound/aws-config.ts";
import { AwsCallError, awsDomain } from "../outbound/aws-json.ts";
import { AwsSigner, percentEncode } from "../outbound/aws-signature.ts";
import { BackendTimeout, BackendUnreachable } from "../outbound/failures.ts";
import { readBody, readBytes, sendRequest } from "../outbound/http-client.ts";
import { retry } from "../outbound/retry.ts";
import { limitTime } from "../outbound/timeouts.ts";
import { linkLifetimeSeconds, type SignedLink } from "./object-store.ts";

/**
 * Why not the SDK: loading its S3 client takes more than twice as long as everything else that a function loads
 * before its first response (`npm run bench:cold`). These are the few calls that the service needs, over the same
 * connections as model calls.
 */

/** In milliseconds. */
export interface StorageTimeouts {
  /** One attempt, until its response starts. */
  readonly response: number;
  /** A call with all its attempts, and with its response's body unless that is streamed. */
  readonly call: number;
  /** Between two pieces of a body that is streamed. */
  readonly piece: number;
}

/** Three attempts take far less than the time of any function that uses a bucket. */
const usualTimeouts: StorageTimeouts = { response: 8_000, call: 25_000, piece: 10_000 };

/** Before the second attempt, and at random up to as long again; before the third twice as long. */
const pauseMilliseconds = 50;

/** Other than an object's bytes, S3 returns a few hundred bytes of XML. */
const maxXmlBytes = 64 * 1_024;

export interface S3Call {
  /** As S3 names it, such as `PutObject`. */
  readonly operation: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** By names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

export interface S3CallOptions {
  readonly signal?: AbortSignal;
  /** In all, instead of the bucket's own. */
  readonly milliseconds?: number;
  /** Of the response's body; more is a failure. */
  readonly maxBytes?: number;
}

export interface S3Result {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * A bucket of S3. Calls are tried three times while they fail for a temporary reason.
 *
 * They throw AppError `service_unavailable` when S3 is silent for too long, `storage_unavailable` when it refuses,
 * fails or breaks off; the cause is an AwsCallError with S3's code if there is one.
 */
export interface Bucket {
  readonly timeouts: StorageTimeouts;
  call(call: S3Call, options?: S3CallOptions): Promise<S3Result>;
  /** The same for a response that is still unread; the signal ends reading as well. */
  open(call: S3Call, signal: AbortSignal): Promise<IncomingMessage>;
  /**
   * A link with which anyone can make the call, with exactly its headers, until the link expires. Nothing is sent.
   *
   * @throws AppError `storage_unavailable` without credentials for signing, or when the key has a segment `.` or
   * `..`.
   */
  sign(call: S3Call): SignedLink;
}

const retryAfterSeconds = 5;

/** Converts a failure to `service_unavailable` if S3 was silent, else to `storage_unavailable`; keeps our own errors. */
export const storageFailure = (thrown: unknown): AppError => {
  if (thrown instanceof AppError) return thrown;
  if (!(thrown instanceof BackendTimeout)) return new AppError("storage_unavailable", { cause: thrown });
  return new AppError("service_unavailable", {
    message: "The store of audio files did not respond in time; try again shortly.",
    retryAfterSeconds,
    // So that no model's server is blamed for it.
    cause: new AwsCallError("TimeoutError", "S3 was silent for too long.", { cause: thrown }),
  });
};

const isPassing = (failure: unknown): boolean =>
  failure instanceof BackendTimeout ||
  failure instanceof BackendUnreachable ||
  dependencyFailure(failure) !== undefined;

/** S3's code of a failure. Its message is not stored: it may repeat the request. */
const errorCode = (xml: string): string => /<Code>(\w{1,64})<\/Code>/.exec(xml)?.[1] ?? "UnknownError";

const refusal = ({ operation }: S3Call, status: number, xml: string): AwsCallError => {
  const code = errorCode(xml);
  return new AwsCallError(code, `S3 responded to ${operation} with status ${status}, ${code}.`, {
    $metadata: { httpStatusCode: status },
  });
};

/** Where the bucket's objects are. A server in place of S3 is reached by path: names below its own mean nothing. */
export const bucketAddress = (name: string, { region, endpoints }: AwsConfig): string =>
  endpoints.S3 === undefined
    ? `https://${name}.s3.${region}.${awsDomain(region)}`
    : `${endpoints.S3.replace(/\/$/, "")}/${name}`;

/** @throws Error for a key that no address can name: every client takes `.` and `..` for steps of a path. */
const urlOf = (address: string, key: string, query: Readonly<Record<string, string>> = {}): URL => {
  const segments = key.split("/");
  if (segments.includes(".") || segments.includes(".."))
    throw new Error("A segment of the object's key is . or ..");
  const url = new URL(`${address}/${segments.map(percentEncode).join("/")}`);
  url.search = Object.entries(query)
    .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
    .join("&");
  return url;
};

export const openBucket = (
  name: string,
  aws: AwsConfig,
  timeouts: StorageTimeouts = usualTimeouts,
): Bucket => {
  const address = bucketAddress(name, aws);
  const signer = new AwsSigner("s3", aws);

  const attempt = async (call: S3Call, signal: AbortSignal): Promise<IncomingMessage> => {
    const { method, key, query, headers = {}, body } = call;
    const url = urlOf(address, key, query);
    const response = await sendRequest({
      url,
      method,
      headers: signer.sign({ method, url, headers }),
      body,
      signal,
      silenceMilliseconds: timeouts.response,
    });
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    throw refusal(call, status, await readBody(response, maxXmlBytes));
  };

  return {
    timeouts,
    call: (call, { signal = new AbortController().signal, milliseconds = timeouts.call, maxBytes } = {}) =>
      repeatWithin(milliseconds, signal, async (ending) => {
        const response = await attempt(call, ending);
        const body = await readBytes(response, maxBytes ?? maxXmlBytes);
        // S3 may fail to join the parts of an upload only after its response has started.
        if (call.operation === "CompleteMultipartUpload" && body.includes("<Error>"))
          throw refusal(call, 500, body.toString());
        return { headers: response.headers, body };
      }),
    open: (call, signal) => repeatWithin(timeouts.call, signal, (ending) => attempt(call, ending)),
    sign: (call) => {
      try {
        if (aws.credentials.accessKeyId === "") throw new Error("There are no credentials to sign with.");
        return signLink(call, address, signer);
      } catch (error) {
        throw storageFailure(error);
      }
    },
  };
};

/** Runs a call within its time, and converts its failures to our errors. */
const repeatWithin = async <Result>(
  milliseconds: number,
  signal: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const reason = () => new BackendTimeout(`A call to S3 took more than ${milliseconds} ms.`);
  const limit = limitTime(milliseconds, signal, reason);
  try {
    return await retry(() => attempt(limit.signal), {
      attempts: 3,
      isWorthRepeating: (outcome) =>
        outcome.status === "rejected" && !limit.signal.aborted && isPassing(outcome.reason),
      pauseMilliseconds: (failures) => pauseMilliseconds * 2 ** (failures - 1),
      signal: limit.signal,
    });
  } catch (error) {
    throw storageFailure(error);
  } finally {
    limit.lift();
  }
};

const signLink = (
  { operation, method, key, query, headers = {} }: S3Call,
  address: string,
  signer: AwsSigner,
): SignedLink => {
  const signedAt = new Date();
  const marks = { "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD", "x-id": operation };
  const url = urlOf(address, key, { ...query, ...marks });
  return {
    url: signer.presign({ method, url, headers }, linkLifetimeSeconds, signedAt),
    expiresAt: new Date(signedAt.getTime() + linkLifetimeSeconds * 1_000),
  };
};
