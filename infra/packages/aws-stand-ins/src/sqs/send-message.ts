import { createHash } from "node:crypto";
import * as z from "zod";
import { attributesMd5, attributesSize, messageAttributesSchema } from "./message-attributes.ts";
import { sequenceNumber } from "./message-statements.ts";
import type { MessageStore, NewMessage } from "./message-store.ts";
import type { Queue } from "./queue-store.ts";
import { invalidParameter, missingParameter, sqsError } from "./sqs-errors.ts";

// What SQS takes: the characters of XML 1.0. The other control characters and lone surrogates are refused.
const legalBody = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;

const fifoId = z
  .string()
  .regex(/^[!-~]{1,128}$/, "Can only include alphanumeric and punctuation characters. 1 to 128 in length.");

/** The fields of a message to send, alone or as an entry of a batch. */
export const messageInputShape = {
  MessageBody: z.string(),
  MessageAttributes: messageAttributesSchema.default({}),
  MessageGroupId: fifoId.optional(),
  MessageDeduplicationId: fifoId.optional(),
  DelaySeconds: z.number().int().min(0).max(900).optional(),
};

const messageInputSchema = z.object(messageInputShape);

export type MessageInput = z.output<typeof messageInputSchema>;

/** What a message counts in the limits on size, in bytes: its body and its attributes. */
export const messageSize = ({ MessageBody, MessageAttributes }: MessageInput): number =>
  Buffer.byteLength(MessageBody) + attributesSize(MessageAttributes);

const checkContent = (queue: Queue, input: MessageInput): void => {
  if (input.MessageBody === "") throw missingParameter("MessageBody");
  const max = queue.settings.MaximumMessageSize;
  if (messageSize(input) > max) {
    throw sqsError(
      "InvalidParameterValue",
      `One or more parameters are invalid. Reason: Message must be shorter than ${max + 1} bytes.`,
    );
  }
  if (!legalBody.test(input.MessageBody)) {
    throw sqsError(
      "InvalidMessageContents",
      "Invalid characters found. Valid unicode characters are those of XML 1.0.",
    );
  }
};

const notForThisKind = (parameter: string, value: unknown) =>
  invalidParameter(
    parameter,
    value,
    "The request includes a parameter that is not valid for this queue type.",
  );

const bodyDigest = (body: string): string => createHash("sha256").update(body).digest("hex");

const forFifoQueue = (queue: Queue, input: MessageInput): NewMessage => {
  if (input.MessageGroupId === undefined) throw missingParameter("MessageGroupId");
  // A delay of single messages would break the order of their group, so FIFO queues have only a delay of the queue.
  if (input.DelaySeconds !== undefined) throw notForThisKind("DelaySeconds", input.DelaySeconds);
  const ownId = queue.settings.ContentBasedDeduplication ? bodyDigest(input.MessageBody) : undefined;
  const deduplicationId = input.MessageDeduplicationId ?? ownId;
  if (deduplicationId === undefined) {
    throw sqsError(
      "InvalidParameterValue",
      "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
    );
  }
  return {
    body: input.MessageBody,
    attributes: input.MessageAttributes,
    groupId: input.MessageGroupId,
    deduplicationId,
    delaySeconds: queue.settings.DelaySeconds,
  };
};

const forStandardQueue = (queue: Queue, input: MessageInput): NewMessage => {
  if (input.MessageDeduplicationId !== undefined) {
    throw notForThisKind("MessageDeduplicationId", input.MessageDeduplicationId);
  }
  return {
    body: input.MessageBody,
    attributes: input.MessageAttributes,
    groupId: input.MessageGroupId ?? null,
    deduplicationId: null,
    delaySeconds: input.DelaySeconds ?? queue.settings.DelaySeconds,
  };
};

/** Checks a message as SQS does, stores it, and returns what the sender verifies. */
export const sendMessage = (messages: MessageStore, queue: Queue, input: MessageInput): object => {
  checkContent(queue, input);
  const isFifo = queue.settings.FifoQueue;
  const sent = messages.add(queue, isFifo ? forFifoQueue(queue, input) : forStandardQueue(queue, input));
  return {
    MessageId: sent.id,
    MD5OfMessageBody: createHash("md5").update(input.MessageBody).digest("hex"),
    MD5OfMessageAttributes: attributesMd5(input.MessageAttributes),
    SequenceNumber: isFifo ? sequenceNumber(sent.sequence) : undefined,
  };
};
