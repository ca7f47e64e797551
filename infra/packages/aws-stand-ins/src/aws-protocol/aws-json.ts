import type { IncomingHttpHeaders } from "node:http";
import type * as z from "zod";
import { AwsError, type AwsProtocol } from "./aws-server.ts";

/** Turns the first thing wrong with an input into the service's own error. */
export type RefuseInput = (issue: z.core.$ZodIssue, input: unknown) => AwsError;

interface JsonCall {
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly refuse: RefuseInput;
}

export type JsonOperation = (call: JsonCall) => Promise<object>;

/** An operation that runs only with input that satisfies its schema. */
export const jsonOperation =
  <Schema extends z.ZodType>(
    schema: Schema,
    run: (input: z.output<Schema>, signal: AbortSignal) => object | Promise<object>,
  ): JsonOperation =>
  async ({ input, signal, refuse }) => {
    const parsed = schema.safeParse(input);
    if (parsed.success) return run(parsed.data, signal);
    const [issue] = parsed.error.issues;
    throw issue === undefined
      ? new AwsError("SerializationException", "The request is not valid.")
      : refuse(issue, input);
  };

/**
 * The operation that a request of the AWS JSON protocol names in `x-amz-target`.
 *
 * @param service what precedes it there, such as `AmazonSQS`.
 * @throws AwsError `UnknownOperationException` when it is for another service.
 */
export const operationIn = (headers: IncomingHttpHeaders, service: string): string => {
  const target = String(headers["x-amz-target"] ?? "");
  if (target.startsWith(`${service}.`)) return target.slice(service.length + 1);
  throw unknownOperation(target);
};

/** @param name the operation, with or without its service. */
export const unknownOperation = (name: string): AwsError =>
  new AwsError("UnknownOperationException", `The embedded service has no operation "${name}".`);

interface AwsJsonOptions {
  readonly version: "1.0" | "1.1";
  /** What precedes the operation in `x-amz-target`, such as `AmazonSQS`. */
  readonly target: string;
  readonly operations: ReadonlyMap<string, JsonOperation>;
  readonly maxBodyBytes: number;
  readonly refuse: RefuseInput;
  /** The value of `__type` in an error body. */
  errorType(code: string): string;
  errorHeaders?(code: string): Record<string, string>;
  /** Throws unless the key may run the operation with this input. */
  requireAccess(accessKeyId: string, operation: string, input: unknown): void;
}

/**
 * The AWS JSON protocol: every operation is a POST to `/`, named by the `x-amz-target` header
 * (https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html).
 */
export const awsJsonProtocol = (options: AwsJsonOptions): AwsProtocol => ({
  contentType: `application/x-amz-json-${options.version}`,
  maxBodyBytes: options.maxBodyBytes,
  respond: async ({ headers, accessKeyId, body, signal }) => {
    const name = operationIn(headers, options.target);
    const operation = options.operations.get(name);
    if (operation === undefined) throw unknownOperation(name);
    options.requireAccess(accessKeyId, name, body);
    return operation({ input: body, signal, refuse: options.refuse });
  },
  describeError: ({ code, message }) => ({
    headers: options.errorHeaders?.(code) ?? {},
    body: { __type: options.errorType(code), message },
  }),
});
