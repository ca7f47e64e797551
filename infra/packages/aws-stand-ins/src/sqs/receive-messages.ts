import { createHash } from "node:crypto";
import * as z from "zod";
import { localAccountId } from "../iam/local-account.ts";
import { attributesMd5, selectAttributes } from "./message-attributes.ts";
import { type StoredMessage, sequenceNumber } from "./message-statements.ts";
import type { MessageStore } from "./message-store.ts";
import type { QueueChanges } from "./queue-changes.ts";
import { queueArn } from "./queue-settings.ts";
import type { Queue } from "./queue-store.ts";
import { encodeReceiptHandle } from "./receipt-handle.ts";

export const receiveInputSchema = z.object({
  QueueUrl: z.string(),
  MaxNumberOfMessages: z
    .number()
    .int()
    .min(1, "Must be between 1 and 10, if provided.")
    .max(10, "Must be between 1 and 10, if provided.")
    .default(1),
  VisibilityTimeout: z.number().int().min(0).max(43_200).optional(),
  WaitTimeSeconds: z.number().int().min(0).max(20).optional(),
  MessageAttributeNames: z.array(z.string()).default([]),
  MessageSystemAttributeNames: z.array(z.string()).default([]),
  // The older name of the same list, which SDKs of the past still send.
  AttributeNames: z.array(z.string()).default([]),
});

type ReceiveInput = z.output<typeof receiveInputSchema>;

const systemAttributes = (message: StoredMessage): Record<string, string | undefined> => ({
  ApproximateReceiveCount: String(message.receiveCount),
  ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
  SentTimestamp: String(message.sentAt),
  SenderId: localAccountId,
  MessageGroupId: message.groupId ?? undefined,
  MessageDeduplicationId: message.deduplicationId ?? undefined,
  SequenceNumber: message.deduplicationId === null ? undefined : sequenceNumber(message.sequence),
  DeadLetterQueueSourceArn: message.sourceQueue === null ? undefined : queueArn(message.sourceQueue),
});

const withoutEmpty = (entries: readonly (readonly [string, unknown])[]): object | undefined => {
  const present = entries.filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present);
};

const describeMessage = (message: StoredMessage, input: ReceiveInput): object => {
  const wanted = new Set([...input.MessageSystemAttributeNames, ...input.AttributeNames]);
  const attributes = selectAttributes(message.attributes, input.MessageAttributeNames);
  return {
    MessageId: message.id,
    ReceiptHandle: encodeReceiptHandle({
      queue: message.queue,
      sequence: message.sequence,
      receipt: message.receipt ?? "",
    }),
    Body: message.body,
    MD5OfBody: createHash("md5").update(message.body).digest("hex"),
    Attributes: withoutEmpty(
      Object.entries(systemAttributes(message)).filter(([name]) => wanted.has("All") || wanted.has(name)),
    ),
    MessageAttributes: withoutEmpty(Object.entries(attributes)),
    MD5OfMessageAttributes: attributesMd5(attributes),
  };
};

export interface Receiving {
  readonly messages: MessageStore;
  readonly changes: QueueChanges;
  readonly now: () => number;
}

/**
 * Handles ReceiveMessage. When there is nothing to deliver it waits, for as long as the request or the queue says,
 * and checks again at every change of the queue and whenever a hidden message becomes visible.
 */
export const receiveMessages = async (
  { messages, changes, now }: Receiving,
  queue: Queue,
  input: ReceiveInput,
  signal: AbortSignal,
): Promise<object> => {
  const { ReceiveMessageWaitTimeSeconds, VisibilityTimeout } = queue.settings;
  const deadline = now() + 1000 * (input.WaitTimeSeconds ?? ReceiveMessageWaitTimeSeconds);
  // Nothing is received for a caller who has left: the message would stay hidden without a consumer.
  while (!signal.aborted) {
    const received = messages.receive(
      queue,
      input.MaxNumberOfMessages,
      input.VisibilityTimeout ?? VisibilityTimeout,
    );
    if (received.length > 0) return { Messages: received.map((message) => describeMessage(message, input)) };
    if (now() >= deadline) break;
    await changes.next(queue.name, Math.min(deadline, messages.nextVisibleAt(queue)) - now(), signal);
  }
  return {};
};
