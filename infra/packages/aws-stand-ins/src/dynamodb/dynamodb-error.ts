import type * as z from "zod";
import { AwsError } from "../aws-protocol/aws-server.ts";
import type { JsonObject } from "./store.ts";

const apiNamespace = "com.amazonaws.dynamodb.v20120810";
const serviceNamespace = "com.amazon.coral.service";
const validationNamespace = "com.amazon.coral.validate";

/** An error of DynamoDB: HTTP 400 with `__type`, a message and, for some errors, more. */
export class DynamoDbError extends AwsError {
  override readonly name = "DynamoDbError";
  /** The code with its namespace, as in `com.amazonaws.dynamodb.v20120810#ResourceInUseException`. */
  readonly type: string;
  /** Further members of the body, such as `CancellationReasons`. */
  readonly details: JsonObject;

  constructor(type: string, message: string, details: JsonObject = {}) {
    super(type.slice(type.indexOf("#") + 1), message);
    this.type = type;
    this.details = details;
  }

  /** The same error with more members in its body. */
  with(details: JsonObject): DynamoDbError {
    return new DynamoDbError(this.type, this.message, { ...this.details, ...details });
  }
}

/** The body that goes over the wire. Errors that are not DynamoDB's own come from the layer in front of it. */
export const errorBody = (error: AwsError): JsonObject => {
  if (error instanceof DynamoDbError) return { __type: error.type, message: error.message, ...error.details };
  const isFailure = error.status >= 500;
  const type = isFailure ? `${apiNamespace}#InternalServerError` : `${serviceNamespace}#${error.code}`;
  return { __type: type, message: error.message };
};

/** An error that DynamoDB itself declares, such as `TransactionCanceledException`. */
export const dynamoDbError = (name: string, message: string, details?: JsonObject): DynamoDbError =>
  new DynamoDbError(`${apiNamespace}#${name}`, message, details);

export const validationError = (message: string): DynamoDbError =>
  new DynamoDbError(`${validationNamespace}#ValidationException`, message);

export const isDynamoDbError = (error: unknown, code: string): error is DynamoDbError =>
  error instanceof DynamoDbError && error.code === code;

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/**
 * Parses the input of an operation that this layer runs itself.
 *
 *
 * @throws {DynamoDbError} `ValidationException` naming the first member that is wrong.
 */
export const parseInput = <Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> => {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const member = (issue?.path ?? [])
    .map((step) => (typeof step === "number" ? `${step + 1}.member` : lowerFirst(String(step))))
    .join(".");
  throw validationError(
    `1 validation error detected: Value at '${member}' failed to satisfy constraint: ${issue?.message}`,
  );
};
