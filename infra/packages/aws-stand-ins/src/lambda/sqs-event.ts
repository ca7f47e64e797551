import type { Message, MessageAttributeValue } from "@aws-sdk/client-sqs";
import type { SQSEvent, SQSMessageAttribute, SQSRecord } from "aws-lambda";
import { LOCAL_ACCOUNT_ID, LOCAL_REGION } from "../aws-protocol/local-account.ts";

/**
 * The event a function gets for messages of a queue (AWS Lambda Developer Guide, "Using Lambda with Amazon SQS").
 *
 * @param messages received with all their attributes
 */
export function createSqsEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map((message) => createRecord(message, queueArn)) };
}

function createRecord(message: Message, queueArn: string): SQSRecord {
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: {
      ApproximateReceiveCount: "1",
      SentTimestamp: "0",
      SenderId: LOCAL_ACCOUNT_ID,
      ApproximateFirstReceiveTimestamp: "0",
      ...message.Attributes,
    },
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, createAttribute(value)]),
    ),
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: LOCAL_REGION,
  };
}

function createAttribute(value: MessageAttributeValue): SQSMessageAttribute {
  return {
    ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
    ...(value.BinaryValue !== undefined && {
      binaryValue: Buffer.from(value.BinaryValue).toString("base64"),
    }),
    stringListValues: [],
    binaryListValues: [],
    dataType: value.DataType ?? "String",
  };
}
