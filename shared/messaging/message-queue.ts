import { createHash } from "node:crypto";
import * as z from "zod";
import type { AwsConfig } from "../platform/outbound/aws-config.ts";
import { AwsCallError, openAwsJsonService } from "../platform/outbound/aws-json.ts";
import { originAttributes } from "../platform/queue/work-through.ts";
import { logger } from "../platform/telemetry/logger.ts";
import type { InboundMessage } from "./inbound-message.ts";

/** Where messages wait for the worker. */
export interface MessageQueue {
  /**
   * Queues messages; those of one sender stay in order. One that SQS refuses for what is in it is left out and logged: it
   * would be refused again, for as long as the platform delivers it, and everybody else's messages with it.
   *
   * @throws Error when others are not in the queue. To send all again does no harm.
   */
  send(messages: readonly InboundMessage[]): Promise<void>;
}

/** SQS takes no more at once. */
const maxBatchSize = 10;

/** The platform's ids are longer than SQS's may be; and a group's name shows in metrics, where no phone number should. */
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * SQS takes the characters of XML 1.0. JSON escapes all the others but these two itself, and whoever parses it gets the same
 * text back.
 */
const bodyOf = (message: InboundMessage): string =>
  JSON.stringify(message).replaceAll("\uFFFE", String.raw`\ufffe`).replaceAll("\uFFFF", String.raw`\uffff`);

const toEntry = (message: InboundMessage, index: number) => ({
  Id: String(index),
  MessageBody: bodyOf(message),
  MessageGroupId: digest(message.sender),
  MessageDeduplicationId: digest(`${message.sender} ${message.id}`),
  MessageAttributes: originAttributes(),
});

type Entry = ReturnType<typeof toEntry>;

const batchResult = z.object({
  Failed: z
    .array(z.object({ Code: z.string().optional(), SenderFault: z.boolean().optional() }))
    .optional()
    .transform((failed) => failed ?? []),
});

/** What SQS says about a message that it will never take, or about a batch with such a message in it. */
const contentErrors: readonly string[] = [
  "InvalidMessageContents",
  "InvalidParameterValue",
  "BatchRequestTooLong",
];

/** The codes of the query protocol have a prefix, `AWS.SimpleQueueService.`, those of AWS's general errors an ending. */
const isContentError = (code = ""): boolean => contentErrors.includes(code.replace(/^.*\.|Exception$/g, ""));

const leaveOut = (code: string | undefined): void => logger.error("message.not_queueable", { code });

/** A queue of messages over SQS FIFO: the sender is the group, the message's id keeps a second delivery out. */
export const openMessageQueue = (queueUrl: string, aws: AwsConfig): MessageQueue => {
  const sqs = openAwsJsonService("SQS", aws, { attemptMilliseconds: 4_000 });

  const sendTogether = async (Entries: readonly Entry[]): Promise<void> => {
    const result = await sqs.call("SendMessageBatch", { QueueUrl: queueUrl, Entries });
    const { Failed } = batchResult.parse(result);
    const refused = Failed.filter(({ Code, SenderFault }) => SenderFault === true && isContentError(Code));
    for (const { Code } of refused) leaveOut(Code);
    const lost = Failed.length - refused.length;
    if (lost > 0) throw new Error(`SQS did not take ${lost} of ${Entries.length} messages.`);
  };

  const sendAll = async (entries: readonly Entry[]): Promise<void> => {
    try {
      await sendTogether(entries);
    } catch (error) {
      if (!(error instanceof AwsCallError) || !isContentError(error.name)) throw error;
      if (entries.length === 1) leaveOut(error.name);
      // The batch was refused as a whole. One by one, in their order, it hits the right message only.
      else for (const entry of entries) await sendAll([entry]);
    }
  };

  return {
    send: async (messages) => {
      for (let start = 0; start < messages.length; start += maxBatchSize)
        await sendAll(messages.slice(start, start + maxBatchSize).map(toEntry));
    },
  };
};
