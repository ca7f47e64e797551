import { dependencyFailure } from "../errors/dependency-failure.ts";
import type { AwsConfig } from "./aws-config.ts";
import { AwsSigner } from "./aws-signature.ts";
import { retry } from "./retry.ts";
import { exchangeOverSocket } from "./socket-exchange.ts";

/**
 * Why not the SDK: functions that callers wait for make calls of this kind, and start often. One call through the SDK costs
 * about 0.5 ms of CPU and loading its clients more than half of a function's start; signed here and sent over the
 * connections that model calls use as well, it costs a fraction of both (`npm run bench -- cold`).
 */

const services = {
  CodeDeploy: {
    signingName: "codedeploy",
    target: "CodeDeploy_20141006",
    contentType: "application/x-amz-json-1.1",
  },
  DynamoDB: {
    signingName: "dynamodb",
    target: "DynamoDB_20120810",
    contentType: "application/x-amz-json-1.0",
  },
  SecretsManager: {
    signingName: "secretsmanager",
    target: "secretsmanager",
    contentType: "application/x-amz-json-1.1",
  },
  SQS: {
    signingName: "sqs",
    target: "AmazonSQS",
    contentType: "application/x-amz-json-1.0",
  },
} as const;

/** DynamoDB's maximum response size, batches included. */
const maxResponseBytes = 17_000_000;

/** How long one attempt may take, including its whole response; three of them stay well below a function's time. */
const defaultAttemptMilliseconds = 3_000;

/** AWS keeps idle connections for longer than most servers, and a call over a dead one is repeated. */
const usualIdleMilliseconds = 60_000;

/** Before the second attempt, and at random up to as long again. */
const usualPauseMilliseconds = 50;

/**
 * A call that AWS refused or did not respond to, in the shape of the SDK's errors, so that callers handle both alike.
 */
export class AwsCallError extends Error {
  /** The exception, such as `ConditionalCheckFailedException`, or `NetworkError` when there was no response. */
  override readonly name: string;
  readonly $metadata: { readonly httpStatusCode?: number };
  /** Set when another attempt makes sense for any name. */
  readonly $retryable?: Readonly<Record<string, never>>;
  /** The response's other fields: the item that failed a condition, for example. */
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

/** The domain of AWS's addresses in a region. */
export const awsDomain = (region: string): string =>
  region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";

export const awsAddress = (service: keyof typeof services, { region, endpoints }: AwsConfig): URL =>
  new URL(endpoints[service] ?? `https://${services[service].signingName}.${region}.${awsDomain(region)}/`);

const failureOf = (status: number, text: string): AwsCallError => {
  const { __type: type, message, ...details } = readFailure(text);
  const name = typeof type === "string" ? type.slice(type.indexOf("#") + 1) : "";
  const sentence = typeof message === "string" ? message : "";
  return new AwsCallError(name || "UnknownError", sentence || `AWS returned status ${status}.`, {
    $metadata: { httpStatusCode: status },
    details,
  });
};

const readFailure = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" ? { ...body } : {};
  } catch {
    // A response that is not JSON comes from a proxy, and its status says enough.
    return {};
  }
};

/** An AWS service with a JSON API. */
export interface AwsJsonService {
  /**
   * Calls an operation, such as `UpdateItem`, up to three times while it fails for a temporary reason.
   *
   * @param again what to send once it is unknown whether an attempt was executed, because its response was lost or
   * reports a failure of AWS: by default the same; `undefined` for nothing.
   * @returns the raw response; the caller parses it with a schema.
   * @throws AwsCallError, or the signal's reason.
   */
  call(
    operation: string,
    input: object,
    signal?: AbortSignal,
    again?: () => object | undefined,
  ): Promise<unknown>;
}

export interface AwsJsonOptions {
  readonly attemptMilliseconds?: number;
  /** The pause before the second attempt; before the third it is twice as long. */
  readonly pauseMilliseconds?: number;
}

/** A service of AWS in the function's own region, under the function's own credentials. */
export const openAwsJsonService = (
  service: keyof typeof services,
  config: AwsConfig,
  {
    attemptMilliseconds = defaultAttemptMilliseconds,
    pauseMilliseconds = usualPauseMilliseconds,
  }: AwsJsonOptions = {},
): AwsJsonService => {
  const { signingName, target, contentType } = services[service];
  const url = awsAddress(service, config);
  const signer = new AwsSigner(signingName, config);

  const attempt = async (operation: string, body: string, signal: AbortSignal): Promise<unknown> => {
    const { statusCode, body: text } = await exchangeOverSocket({
      url,
      headers: signer.sign({
        url,
        headers: { "content-type": contentType, "x-amz-target": `${target}.${operation}` },
        body,
      }),
      body,
      signal,
      milliseconds: attemptMilliseconds,
      maxBytes: maxResponseBytes,
      idleMilliseconds: usualIdleMilliseconds,
    });
    if (statusCode !== 200) throw failureOf(statusCode, text);
    return JSON.parse(text);
  };

  return {
    call: (operation, input, signal = new AbortController().signal, again = () => input) => {
      let next: object | undefined = input;
      let body = JSON.stringify(input);
      const prepareAgain = (): void => {
        const before = next;
        next = again();
        if (next !== before) body = JSON.stringify(next);
      };
      const attemptOrFail = async () => {
        try {
          return await attempt(operation, body, signal);
        } catch (error) {
          if (signal.aborted) throw error;
          if (error instanceof AwsCallError) {
            if ((error.$metadata.httpStatusCode ?? 500) >= 500) prepareAgain();
            throw error;
          }
          prepareAgain();
          throw new AwsCallError("NetworkError", "AWS did not respond.", { cause: error, $retryable: {} });
        }
      };
      return retry(attemptOrFail, {
        attempts: 3,
        isWorthRepeating: (outcome) =>
          outcome.status === "rejected" &&
          next !== undefined &&
          dependencyFailure(outcome.reason) !== undefined,
        pauseMilliseconds: (failures) => pauseMilliseconds * 2 ** (failures - 1),
        signal,
      });
    },
  };
};
