import { createHash } from "node:crypto";
import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, SQSClient } from "@aws-sdk/client-sqs";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { originAttributes } from "../../shared/queue/work-through.ts";

/** Where messages wait for the worker. */
export interface MessageQueue {
  /**
   * Queues messages; those of one sender stay in order.
   *
   * @throws Error when not all of them are in the queue. To send all again does no harm.
   */
  send(messages: readonly InboundMessage[]): Promise<void>;
}

/** SQS takes no more at once. */
const largestBatch = 10;

/** The platform's ids are longer than SQS's may be; and a group's name shows in metrics, where no phone number should. */
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const toEntry = (message: InboundMessage, index: number): SendMessageBatchRequestEntry => ({
  Id: String(index),
  MessageBody: JSON.stringify(message),
  MessageGroupId: digest(message.sender),
  MessageDeduplicationId: digest(`${message.sender} ${message.id}`),
  MessageAttributes: originAttributes(),
});

/** A queue of messages over SQS FIFO: the sender is the group, the message's id keeps a second delivery out. */
export const openMessageQueue = (queueUrl: string): MessageQueue => {
  const client = new SQSClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 4_000, throwOnRequestTimeout: true },
  });
  return {
    send: async (messages) => {
      for (let start = 0; start < messages.length; start += largestBatch) {
        const Entries = messages.slice(start, start + largestBatch).map(toEntry);
        const { Failed = [] } = await client.send(
          new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }),
        );
        if (Failed.length > 0)
          throw new Error(`SQS did not take ${Failed.length} of ${Entries.length} messages.`);
      }
    },
  };
};
