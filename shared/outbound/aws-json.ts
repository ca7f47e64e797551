import aws4 from "aws4";
import { ExponentialBackoff, handleWhen, retry } from "cockatiel";
import * as z from "zod";
import { dependencyFailure } from "../errors/dependency-failure.ts";
import { readBody, sendRequest } from "./http-client.ts";

/**
 * Why not the SDK: every request of the service makes two calls of this kind, in functions that start often. One call
 * through the SDK costs about 0.5 ms of CPU and loading its clients more than half of a function's start; signed by
 * `aws4` and sent over the connections that model calls use as well, it costs a fraction of both (`npm run bench:cold`).
 * Everything that is not on the way of each request goes through the SDK.
 */

/** How the two services that are called this way want to be spoken to. */
const services = {
  DynamoDB: {
    signingName: "dynamodb",
    target: "DynamoDB_20120810",
    contentType: "application/x-amz-json-1.0",
    endpointVariable: "AWS_ENDPOINT_URL_DYNAMODB",
  },
  SecretsManager: {
    signingName: "secretsmanager",
    target: "secretsmanager",
    contentType: "application/x-amz-json-1.1",
    endpointVariable: "AWS_ENDPOINT_URL_SECRETS_MANAGER",
  },
} as const;

/** An answer of DynamoDB has at most 16 MB, one of a batch included. */
const maximumAnswerBytes = 17_000_000;

/** How long one try may take, its whole answer included; three of them stay well below a function's time. */
const tryMilliseconds = 3_000;

const failureBody = z.looseObject({ __type: z.string().optional(), message: z.string().optional() });

/**
 * A call that AWS refused or did not answer, in the shape of the SDK's errors, so that whoever tells failures apart need
 * not know which way the call went.
 */
export class AwsCallError extends Error {
  /** The exception, such as `ConditionalCheckFailedException`, or `NetworkError` when no answer came. */
  override readonly name: string;
  readonly $metadata: { readonly httpStatusCode?: number };
  /** Set when another try makes sense whatever the name says. */
  readonly $retryable?: Readonly<Record<string, never>>;
  /** What the answer has beside the name: the item in the way of a condition, say. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    name: string,
    message: string,
    options: ErrorOptions & Partial<Omit<AwsCallError, keyof Error>>,
  ) {
    super(message, options);
    this.name = name;
    this.$metadata = options.$metadata ?? {};
    this.details = options.details ?? {};
    if (options.$retryable) this.$retryable = options.$retryable;
  }
}

/** The address of a service and the credentials of the function, from the variables that the SDK reads as well. */
const readSurroundings = (service: keyof typeof services) => {
  const { signingName, endpointVariable } = services[service];
  const region = process.env["AWS_REGION"] ?? "us-east-1";
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const endpoint = process.env[endpointVariable] ?? process.env["AWS_ENDPOINT_URL"];
  return { url: new URL(endpoint ?? `https://${signingName}.${region}.${domain}/`), region };
};

const credentials = (): aws4.Credentials => ({
  accessKeyId: process.env["AWS_ACCESS_KEY_ID"] ?? "",
  secretAccessKey: process.env["AWS_SECRET_ACCESS_KEY"] ?? "",
  ...(process.env["AWS_SESSION_TOKEN"] ? { sessionToken: process.env["AWS_SESSION_TOKEN"] } : {}),
});

const failureOf = (status: number, text: string): AwsCallError => {
  const { __type = "", message = "", ...details } = readFailure(text);
  const name = __type.slice(__type.indexOf("#") + 1) || "UnknownError";
  return new AwsCallError(name, message || `AWS answered with status ${status}.`, {
    $metadata: { httpStatusCode: status },
    details,
  });
};

const readFailure = (text: string): z.infer<typeof failureBody> => {
  try {
    return failureBody.parse(JSON.parse(text));
  } catch {
    // An answer that is no JSON comes from something in between, and its status says enough.
    return {};
  }
};

const isPassing = (error: unknown): boolean => dependencyFailure(error) !== undefined;

/** A service of AWS that speaks JSON, one operation a call. */
export interface AwsJsonService {
  /**
   * Calls an operation, such as `UpdateItem`, up to three times as long as it fails for a passing reason.
   *
   * @returns the answer as it stands on the wire; the caller reads it with a schema.
   * @throws AwsCallError, or the signal's reason.
   */
  call(operation: string, input: object, signal?: AbortSignal): Promise<unknown>;
}

/**
 * A service of AWS in the function's own region, under the function's own credentials.
 *
 * @param endpoint where it is, if not where the environment says.
 */
export const openAwsJsonService = (service: keyof typeof services, endpoint?: string): AwsJsonService => {
  const { signingName, target, contentType } = services[service];
  const surroundings = readSurroundings(service);
  const url = endpoint === undefined ? surroundings.url : new URL(endpoint);
  const tries = retry(handleWhen(isPassing), {
    maxAttempts: 2,
    backoff: new ExponentialBackoff({ initialDelay: 50, maxDelay: 1_000 }),
  });

  const attempt = async (operation: string, body: string, signal: AbortSignal): Promise<unknown> => {
    const { headers = {} } = aws4.sign(
      {
        service: signingName,
        region: surroundings.region,
        host: url.host,
        method: "POST",
        path: url.pathname,
        headers: { "Content-Type": contentType, "X-Amz-Target": `${target}.${operation}` },
        body,
      },
      credentials(),
    );
    const response = await sendRequest({
      url,
      method: "POST",
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      body,
      // A silence is not all there is to be bounded: an answer may also come drop by drop.
      signal: AbortSignal.any([signal, AbortSignal.timeout(tryMilliseconds)]),
      silenceMilliseconds: tryMilliseconds,
    });
    const text = await readBody(response, maximumAnswerBytes);
    const status = response.statusCode ?? 0;
    if (status !== 200) throw failureOf(status, text);
    return JSON.parse(text);
  };

  return {
    call: (operation, input, signal = new AbortController().signal) => {
      const body = JSON.stringify(input);
      return tries.execute(async () => {
        try {
          return await attempt(operation, body, signal);
        } catch (error) {
          if (signal.aborted || error instanceof AwsCallError) throw error;
          throw new AwsCallError("NetworkError", "AWS did not answer.", { cause: error, $retryable: {} });
        }
      }, signal);
    },
  };
};
