import * as z from "zod";
import type { AwsConfig } from "../../shared/platform/outbound/aws-config.ts";
import { openAwsJsonService } from "../../shared/platform/outbound/aws-json.ts";

/** SQS shows messages only by delivering them, so they are hidden from other readers for this long, unless they are returned. */
const hiddenSeconds = 10;

/** SQS delivers no more in one call. */
const maxReceived = 10;

const received = z.object({
  Messages: z
    .array(
      z.object({
        MessageId: z.string(),
        ReceiptHandle: z.string(),
        Body: z.string(),
        Attributes: z.object({
          SentTimestamp: z.coerce.number(),
          ApproximateReceiveCount: z.coerce.number(),
          MessageGroupId: z.string(),
        }),
      }),
    )
    .default([]),
});
type ReceivedMessage = z.output<typeof received>["Messages"][number];

/** A message that was given up. */
export interface DeadLetter {
  readonly id: string;
  readonly body: string;
  /** When it was first sent, in milliseconds of Unix time. */
  readonly sentAt: number;
  /** How often it was delivered, to readers of this queue too. */
  readonly receives: number;
}

/** The messages that a queue has given up. */
export type DeadLetters = ReturnType<typeof openDeadLetters>;

/**
 * Opens the dead-letter queue of a FIFO queue.
 *
 * @param queueUrl the queue in which its messages are tried again.
 */
export const openDeadLetters = (deadLetterQueueUrl: string, queueUrl: string, aws: AwsConfig) => {
  const sqs = openAwsJsonService("SQS", aws);
  const QueueUrl = deadLetterQueueUrl;

  const receive = async (): Promise<ReceivedMessage[]> =>
    received.parse(
      await sqs.call("ReceiveMessage", {
        QueueUrl,
        MaxNumberOfMessages: maxReceived,
        VisibilityTimeout: hiddenSeconds,
        MessageSystemAttributeNames: ["SentTimestamp", "ApproximateReceiveCount", "MessageGroupId"],
      }),
    ).Messages;

  /** Shows messages to other readers again; without success, SQS does it in a moment. */
  const release = async (messages: readonly ReceivedMessage[]): Promise<void> => {
    const hidden = messages.map(({ ReceiptHandle }) => ({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
    await Promise.allSettled(hidden.map((message) => sqs.call("ChangeMessageVisibility", message)));
  };

  /** Receives at most `limit` messages, and passes them to `use` until it has found what it wants. */
  const look = async (
    limit: number,
    use: (message: ReceivedMessage) => Promise<"continue" | "found">,
  ): Promise<boolean> => {
    const seen: ReceivedMessage[] = [];
    try {
      while (seen.length < limit) {
        const messages = await receive();
        if (messages.length === 0) return false;
        for (const message of messages) seen.push(message);
        for (const message of messages) if ((await use(message)) === "found") return true;
      }
      return false;
    } finally {
      await release(seen);
    }
  };

  return {
    /** Returns the oldest messages. Those that another reader has just seen may be missing. */
    list: async (limit: number): Promise<DeadLetter[]> => {
      const letters: DeadLetter[] = [];
      await look(limit, async ({ MessageId, Body, Attributes }) => {
        const { SentTimestamp: sentAt, ApproximateReceiveCount: receives } = Attributes;
        letters.push({ id: MessageId, body: Body, sentAt, receives });
        return "continue";
      });
      return letters.slice(0, limit);
    },

    /**
     * Sends a message to its own queue again, and then deletes it here: a message may be sent twice, but is never lost.
     *
     * @param limit how many messages to look through.
     * @returns `false` when it was not found.
     */
    retry: (id: string, limit: number): Promise<boolean> =>
      look(limit, async ({ MessageId, ReceiptHandle, Body, Attributes }) => {
        if (MessageId !== id) return "continue";
        await sqs.call("SendMessage", {
          QueueUrl: queueUrl,
          MessageBody: Body,
          MessageGroupId: Attributes.MessageGroupId,
          MessageDeduplicationId: `retry-${id}`,
        });
        await sqs.call("DeleteMessage", { QueueUrl, ReceiptHandle });
        return "found";
      }),
  };
};
