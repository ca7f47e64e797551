import type { Message, MessageAttributeValue } from "@aws-sdk/client-sqs";
import type { SQSEvent, SQSMessageAttribute, SQSRecord } from "aws-lambda";
import * as z from "zod";
import { localAccountId, localRegion } from "../iam/local-account.ts";
import type { InvocationResult } from "./invocation.ts";

/**
 * The event a function gets for messages of a queue (AWS Lambda Developer Guide, "Using Lambda with Amazon SQS").
 *
 * @param messages received with all their attributes
 */
export const createSqsEvent = (messages: readonly Message[], queueArn: string): SQSEvent => ({
  Records: messages.map((message) => createRecord(message, queueArn)),
});

const createRecord = (message: Message, queueArn: string): SQSRecord => ({
  messageId: message.MessageId ?? "",
  receiptHandle: message.ReceiptHandle ?? "",
  body: message.Body ?? "",
  attributes: {
    ApproximateReceiveCount: "1",
    SentTimestamp: "0",
    SenderId: localAccountId,
    ApproximateFirstReceiveTimestamp: "0",
    ...message.Attributes,
  },
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, createAttribute(value)]),
  ),
  md5OfBody: message.MD5OfBody ?? "",
  eventSource: "aws:sqs",
  eventSourceARN: queueArn,
  awsRegion: localRegion,
});

const createAttribute = (value: MessageAttributeValue): SQSMessageAttribute => ({
  ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
  ...(value.BinaryValue !== undefined && {
    binaryValue: Buffer.from(value.BinaryValue).toString("base64"),
  }),
  stringListValues: [],
  binaryListValues: [],
  dataType: value.DataType ?? "String",
});

/** The result of a function that reports failures one by one; nothing at all means there were none. */
const batchResponse = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish() })
  .nullish();

/** Which messages of a batch are done with, and which must be delivered again. */
interface BatchOutcome {
  succeeded: readonly Message[];
  failed: readonly Message[];
}

/**
 * Reads the result of a batch as AWS does: a batch whose report cannot be understood, or names a message that
 * was not in it, has failed as a whole; and in a FIFO group nothing after the first failure has succeeded.
 */
export const readBatchOutcome = (
  batch: readonly Message[],
  result: InvocationResult,
  options: { reportBatchItemFailures: boolean; fifo: boolean },
): BatchOutcome => {
  if (result.kind !== "buffered") return { succeeded: [], failed: batch };
  if (!options.reportBatchItemFailures) return { succeeded: batch, failed: [] };

  const failures = readFailures(result.payload);
  const known = new Set(batch.map(({ MessageId }) => MessageId));
  if (failures === undefined || ![...failures].every((id) => known.has(id))) {
    return { succeeded: [], failed: batch };
  }

  const hasFailed = ({ MessageId = "" }: Message) => failures.has(MessageId);
  const firstFailure = batch.findIndex(hasFailed);
  if (!options.fifo || firstFailure < 0) {
    return { succeeded: batch.filter((message) => !hasFailed(message)), failed: batch.filter(hasFailed) };
  }
  return { succeeded: batch.slice(0, firstFailure), failed: batch.slice(firstFailure) };
};

const readFailures = (payload: Buffer): Set<string> | undefined => {
  const parsed = batchResponse.safeParse(JSON.parse(payload.toString()));
  if (!parsed.success) return undefined;
  return new Set(parsed.data?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier));
};
