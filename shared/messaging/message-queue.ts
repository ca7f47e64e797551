import { createHash } from "node:crypto";
import * as z from "zod";
import type { AwsConfig } from "../platform/outbound/aws-config.ts";
import { AwsCallError, openAwsJsonService } from "../platform/outbound/aws-json.ts";
import { originAttributes } from "../platform/queue/work-through.ts";
import { logger } from "../platform/telemetry/logger.ts";
import type { InboundMessage } from "./inbound-message.ts";

export interface MessageQueue {
  /**
   * Queues messages and keeps those of one sender in order. A message whose content SQS refuses is logged and left out: SQS would
   * refuse it again with each delivery, and all other messages of the delivery with it.
   *
   * @throws Error when other messages are not in the queue. Sending all of them again is safe.
   */
  send(messages: readonly InboundMessage[]): Promise<void>;
}

const maxBatchSize = 10;

/** The platform's ids are too long for SQS, and phone numbers must not appear in metrics, which show group names. */
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** SQS accepts the characters of XML 1.0. JSON escapes all others except these two. */
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

/** The errors of SQS for a message that it will never accept, or for a batch that contains one. */
const contentErrors: readonly string[] = [
  "InvalidMessageContents",
  "InvalidParameterValue",
  "BatchRequestTooLong",
];

/** Codes of the query protocol start with `AWS.SimpleQueueService.`; those of AWS's general errors end with `Exception`. */
const isContentError = (code = ""): boolean => contentErrors.includes(code.replace(/^.*\.|Exception$/g, ""));

const leaveOut = (code: string | undefined): void => logger.error("message.not_queueable", { code });

/** Opens the queue over SQS FIFO. The sender is the group; the message's id lets SQS drop a second delivery. */
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
      // SQS refused the whole batch. Sending one by one, in order, leaves out only the bad message.
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
