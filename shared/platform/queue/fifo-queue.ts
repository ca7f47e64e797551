import type { SQSRecord } from "aws-lambda";
import * as z from "zod";
import type { AwsConfig } from "../outbound/aws-config.ts";
import { openAwsJsonService } from "../outbound/aws-json.ts";
import { originAttributes } from "./work-through.ts";

const queueCounts = z.object({
  Attributes: z.object({
    ApproximateNumberOfMessages: z.coerce.number(),
    ApproximateNumberOfMessagesNotVisible: z.coerce.number(),
  }),
});

/** A FIFO queue of SQS. */
export type FifoQueue = ReturnType<typeof openFifoQueue>;

/** Opens the FIFO queue at this URL. Nothing is sent until a method is called. */
export const openFifoQueue = (queueUrl: string, aws: AwsConfig) => {
  const sqs = openAwsJsonService("SQS", aws);
  return {
    /** Sends a message as JSON. SQS drops a message whose deduplication id it has seen within the last five minutes. */
    send: async (message: object, group: string, deduplicationId: string): Promise<void> => {
      await sqs.call("SendMessage", {
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(message),
        MessageGroupId: group,
        MessageDeduplicationId: deduplicationId,
        MessageAttributes: originAttributes(),
      });
    },

    /** Returns how many messages the queue has, delivered ones included. SQS counts them within a minute. */
    count: async (): Promise<number> => {
      const { Attributes } = queueCounts.parse(
        await sqs.call("GetQueueAttributes", {
          QueueUrl: queueUrl,
          AttributeNames: ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
        }),
      );
      return Attributes.ApproximateNumberOfMessages + Attributes.ApproximateNumberOfMessagesNotVisible;
    },

    /** Hides a received message from all workers for this many seconds, at most twelve hours. */
    hide: async ({ receiptHandle }: SQSRecord, seconds: number): Promise<void> => {
      await sqs.call("ChangeMessageVisibility", {
        QueueUrl: queueUrl,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      });
    },
  };
};

/** Parses the body of a record; `undefined` when it is not JSON or does not match the schema. */
export const readRecord = <Schema extends z.ZodType>(
  { body }: SQSRecord,
  schema: Schema,
): z.output<Schema> | undefined => {
  try {
    return schema.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
};
