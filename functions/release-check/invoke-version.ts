import type { AwsConfig } from "../../shared/platform/outbound/aws-config.ts";
import { awsDomain } from "../../shared/platform/outbound/aws-json.ts";
import { AwsSigner } from "../../shared/platform/outbound/aws-signature.ts";
import { retry } from "../../shared/platform/outbound/retry.ts";
import { exchangeOverSocket } from "../../shared/platform/outbound/socket-exchange.ts";

/** Invokes the version with this ARN. @returns its result, or its error as Lambda writes it, as JSON. */
export type InvokeVersion = (versionArn: string, event: unknown, signal: AbortSignal) => Promise<string>;

/** The first invocation of a version also starts it. */
const invocationMilliseconds = 25_000;

/** Lambda's maximum result size. */
const maxBytes = 6_300_000;

/** Many functions of a stack are checked at once, which may exceed Lambda's rates, or the account's concurrency. */
const attempts = 5;
const pauseMilliseconds = 500;

/** Lambda did not run the function. */
class InvocationRefused extends Error {
  override readonly name = "InvocationRefused";
  readonly isTemporary: boolean;

  constructor(statusCode: number, body: string) {
    super(`Lambda returned status ${statusCode}: ${body.slice(0, 300)}`);
    // 409: the version is not ready yet. 403: the check's own new permission is not in effect everywhere yet.
    this.isTemporary = [403, 409, 429].includes(statusCode) || statusCode >= 500;
  }
}

/**
 * Creates a function that invokes versions through Lambda's API: a request over HTTP would reach the version that callers have.
 *
 * @throws Error of the returned function when Lambda does not run the version, or it takes too long.
 */
export const createInvoker = (config: AwsConfig): InvokeVersion => {
  const { region, endpoints } = config;
  const signer = new AwsSigner("lambda", config);
  const origin = endpoints.Lambda ?? `https://lambda.${region}.${awsDomain(region)}`;
  return (versionArn, event, signal) => {
    const [name = "", version = ""] = versionArn.split(":").slice(-2);
    const url = new URL(`/2015-03-31/functions/${name}/invocations?Qualifier=${version}`, origin);
    const body = JSON.stringify(event);
    const invoke = async (): Promise<string> => {
      const response = await exchangeOverSocket({
        ...{ url, body, signal, maxBytes, milliseconds: invocationMilliseconds },
        headers: signer.sign({ url, headers: { "content-type": "application/json" }, body }),
      });
      if (response.statusCode === 200) return response.body;
      throw new InvocationRefused(response.statusCode, response.body);
    };
    return retry(invoke, {
      attempts,
      isWorthRepeating: (outcome) =>
        outcome.status === "rejected" &&
        outcome.reason instanceof InvocationRefused &&
        outcome.reason.isTemporary,
      pauseMilliseconds: (failures) => pauseMilliseconds * 2 ** (failures - 1),
      signal,
    });
  };
};
