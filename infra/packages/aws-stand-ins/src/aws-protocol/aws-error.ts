/**
 * A refusal in the words of an AWS service. The SDK throws it as an exception whose `name` is {@link AwsError.code}.
 */
export class AwsError extends Error {
  override readonly name = "AwsError";
  /** The service's own name for the error, without a namespace, such as `QueueDoesNotExist`. */
  readonly code: string;
  /** The HTTP status of the answer. */
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
