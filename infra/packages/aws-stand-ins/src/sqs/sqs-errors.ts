import type { RefuseInput } from "../aws-protocol/aws-json.ts";
import { AwsError } from "../aws-protocol/aws-server.ts";

// SQS still uses the codes of its older query protocol: clients receive them in a header, and the SDK as
// `error.Code`.
const queryCodes = {
  AccessDeniedException: "AccessDenied",
  BatchEntryIdsNotDistinct: "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
  BatchRequestTooLong: "AWS.SimpleQueueService.BatchRequestTooLong",
  EmptyBatchRequest: "AWS.SimpleQueueService.EmptyBatchRequest",
  InvalidAttributeName: "InvalidAttributeName",
  InvalidAttributeValue: "InvalidAttributeValue",
  InvalidBatchEntryId: "AWS.SimpleQueueService.InvalidBatchEntryId",
  InvalidMessageContents: "InvalidMessageContents",
  InvalidParameterValue: "InvalidParameterValue",
  MessageNotInflight: "AWS.SimpleQueueService.MessageNotInflight",
  MissingParameter: "MissingParameter",
  QueueDoesNotExist: "AWS.SimpleQueueService.NonExistentQueue",
  QueueNameExists: "QueueAlreadyExists",
  ReceiptHandleIsInvalid: "ReceiptHandleIsInvalid",
  TooManyEntriesInBatchRequest: "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
} as const;

type SqsErrorCode = keyof typeof queryCodes;

/** A refusal of SQS; the status is 400 as in every response of its JSON protocol that blames the caller. */
export const sqsError = (code: SqsErrorCode, message: string): AwsError => new AwsError(code, message);

export const invalidParameter = (parameter: string, value: unknown, reason: string): AwsError =>
  sqsError(
    "InvalidParameterValue",
    `Value ${value} for parameter ${parameter} is invalid. Reason: ${reason}`,
  );

export const missingParameter = (parameter: string): AwsError =>
  sqsError("MissingParameter", `The request must contain the parameter ${parameter}.`);

/** The header that carries the code of the query protocol. */
export const queryErrorHeader = (code: string): Record<string, string> => {
  const codes: Readonly<Record<string, string>> = queryCodes;
  return { "x-amzn-query-error": `${codes[code] ?? code};Sender` };
};

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );

export const refuseInput: RefuseInput = (issue, input) => {
  const parameter = issue.path.map(String).join(".");
  const value = valueAt(input, issue.path);
  return value === undefined
    ? missingParameter(parameter)
    : invalidParameter(parameter, value, issue.message);
};
