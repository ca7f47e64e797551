import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";
import { type Origin, readTraceparent, requestScope } from "../telemetry/request-scope.ts";

const attribute = (name: string, value: string | undefined): Record<string, MessageAttributeValue> =>
  value === undefined ? {} : { [name]: { DataType: "String", StringValue: value } };

/**
 * The current request as attributes of a message that is sent to a queue. They are no part of its body, which is what
 * deduplication and the worker's contract are about, and they stay with it in a dead-letter queue.
 */
export const originAttributes = (): Record<string, MessageAttributeValue> => {
  const scope = requestScope();
  return {
    ...attribute("request_id", scope?.requestId),
    ...attribute("traceparent", scope?.traceparent),
  };
};

/** Where a record comes from; one whose sender did not say so goes by its own id. */
export const readOrigin = ({ messageId, messageAttributes }: SQSRecord): Origin => ({
  requestId: messageAttributes["request_id"]?.stringValue ?? messageId,
  traceparent: readTraceparent(messageAttributes["traceparent"]?.stringValue),
});
