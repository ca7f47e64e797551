import type * as z from "zod";
import type { JsonObject } from "./store.ts";

const apiNamespace = "com.amazonaws.dynamodb.v20120810";
const serviceNamespace = "com.amazon.coral.service";
const validationNamespace = "com.amazon.coral.validate";

/** An error of DynamoDB: HTTP 400 with `__type`, a message and, for some errors, more. */
export class DynamoDbError extends Error {
  readonly type: string;
  readonly details: JsonObject;

  /**
   * @param type - `__type` of the wire format, as in `com.amazonaws.dynamodb.v20120810#ResourceInUseException`.
   * @param details - Further members of the body, such as `CancellationReasons`.
   */
  constructor(type: string, message: string, details: JsonObject = {}) {
    super(message);
    this.name = type.slice(type.indexOf("#") + 1);
    this.type = type;
    this.details = details;
  }

  /** The same error with more members in its body. */
  with(details: JsonObject): DynamoDbError {
    return new DynamoDbError(this.type, this.message, { ...this.details, ...details });
  }

  /** The body that goes over the wire. */
  toJSON(): JsonObject {
    return { __type: this.type, message: this.message, ...this.details };
  }
}

/** An error that DynamoDB itself declares, such as `TransactionCanceledException`. */
export const dynamoDbError = (name: string, message: string, details?: JsonObject): DynamoDbError =>
  new DynamoDbError(`${apiNamespace}#${name}`, message, details);

/** An error of the layer in front of DynamoDB, such as `SerializationException`. */
export const serviceError = (name: string, message: string): DynamoDbError =>
  new DynamoDbError(`${serviceNamespace}#${name}`, message);

export const validationError = (message: string): DynamoDbError =>
  new DynamoDbError(`${validationNamespace}#ValidationException`, message);

export const isDynamoDbError = (error: unknown, name: string): error is DynamoDbError =>
  error instanceof DynamoDbError && error.name === name;

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
