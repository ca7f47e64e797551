import * as z from "zod";
import { type JsonOperation, jsonOperation } from "../aws-protocol/aws-json.ts";
import { AwsError } from "../aws-protocol/aws-server.ts";
import type { MessageStore } from "./message-store.ts";
import type { Queue, QueueStore } from "./queue-store.ts";
import { decodeReceiptHandle } from "./receipt-handle.ts";
import { type Receiving, receiveInputSchema, receiveMessages } from "./receive-messages.ts";
import { type MessageInput, messageInputShape, messageSize, sendMessage } from "./send-message.ts";
import { invalidParameter, sqsError } from "./sqs-errors.ts";

const maxEntries = 10;

interface BatchEntry {
  readonly Id: string;
}

const checkEntries = (entries: readonly BatchEntry[]): void => {
  if (entries.length === 0) {
    throw sqsError("EmptyBatchRequest", "There should be at least one entry in the batch request.");
  }
  if (entries.length > maxEntries) {
    throw sqsError(
      "TooManyEntriesInBatchRequest",
      `Maximum number of entries per request are ${maxEntries}. You have sent ${entries.length}.`,
    );
  }
  if (entries.some(({ Id }) => !/^[\w-]{1,80}$/.test(Id))) {
    throw sqsError(
      "InvalidBatchEntryId",
      "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.",
    );
  }
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw sqsError("BatchEntryIdsNotDistinct", "Two or more batch entries in the request have the same Id.");
  }
};

/** Runs every entry separately: a refused entry is reported under `Failed` and does not stop the others. */
const runBatch = <Entry extends BatchEntry>(
  entries: readonly Entry[],
  run: (entry: Entry) => object,
): object => {
  checkEntries(entries);
  const successful: object[] = [];
  const failed: object[] = [];
  for (const entry of entries) {
    try {
      successful.push({ Id: entry.Id, ...run(entry) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      failed.push({ Id: entry.Id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  // As in SQS, an empty list is left out.
  return {
    ...(successful.length > 0 && { Successful: successful }),
    ...(failed.length > 0 && { Failed: failed }),
  };
};

const maxBatchBytes = 1_048_576;

const queueUrlShape = { QueueUrl: z.string() };
const receiptShape = { ReceiptHandle: z.string() };
const visibilityShape = { ...receiptShape, VisibilityTimeout: z.number().int().min(0).max(43_200) };

const batchOf = <Shape extends z.core.$ZodShape>(entry: Shape) =>
  z.object({ ...queueUrlShape, Entries: z.array(z.object({ Id: z.string(), ...entry })) });

const checkBatchSize = (entries: readonly MessageInput[]): void => {
  const size = entries.reduce((total, entry) => total + messageSize(entry), 0);
  if (size > maxBatchBytes) {
    throw sqsError(
      "BatchRequestTooLong",
      `Batch requests cannot be longer than ${maxBatchBytes} bytes. You have sent ${size} bytes.`,
    );
  }
};

const deleteMessage = (messages: MessageStore, queue: Queue, handle: string): void => {
  const receipt = decodeReceiptHandle(handle, queue.name);
  // A FIFO queue refuses a late deletion, because the message may already be redelivered; a standard queue accepts it
  // and deletes only if there was no later delivery.
  if (queue.settings.FifoQueue && messages.deliveryState(receipt) === "expired") {
    throw invalidParameter("ReceiptHandle", handle, "The receipt handle has expired.");
  }
  messages.delete(receipt);
};

const changeVisibility = (messages: MessageStore, queue: Queue, handle: string, seconds: number): void => {
  const receipt = decodeReceiptHandle(handle, queue.name);
  const state = messages.deliveryState(receipt);
  if (state === "gone") {
    const reason = "Message does not exist or is not available for visibility timeout change.";
    throw invalidParameter("ReceiptHandle", handle, reason);
  }
  if (state === "expired") throw sqsError("MessageNotInflight", "The specified message isn't in flight.");
  messages.changeVisibility(receipt, seconds);
};

/** The operations on messages, alone and in batches. */
export const messageOperations = (queues: QueueStore, receiving: Receiving): [string, JsonOperation][] => {
  const { messages } = receiving;
  return [
    [
      "SendMessage",
      jsonOperation(z.object({ ...queueUrlShape, ...messageInputShape }), ({ QueueUrl, ...message }) =>
        sendMessage(messages, queues.getByUrl(QueueUrl), message),
      ),
    ],
    [
      "SendMessageBatch",
      jsonOperation(batchOf(messageInputShape), ({ QueueUrl, Entries }) => {
        const queue = queues.getByUrl(QueueUrl);
        checkBatchSize(Entries);
        return runBatch(Entries, (entry) => sendMessage(messages, queue, entry));
      }),
    ],
    [
      "ReceiveMessage",
      jsonOperation(receiveInputSchema, (input, signal) =>
        receiveMessages(receiving, queues.getByUrl(input.QueueUrl), input, signal),
      ),
    ],
    [
      "DeleteMessage",
      jsonOperation(z.object({ ...queueUrlShape, ...receiptShape }), ({ QueueUrl, ReceiptHandle }) => {
        deleteMessage(messages, queues.getByUrl(QueueUrl), ReceiptHandle);
        return {};
      }),
    ],
    [
      "DeleteMessageBatch",
      jsonOperation(batchOf(receiptShape), ({ QueueUrl, Entries }) => {
        const queue = queues.getByUrl(QueueUrl);
        return runBatch(Entries, ({ ReceiptHandle }) => {
          deleteMessage(messages, queue, ReceiptHandle);
          return {};
        });
      }),
    ],
    [
      "ChangeMessageVisibility",
      jsonOperation(z.object({ ...queueUrlShape, ...visibilityShape }), (input) => {
        changeVisibility(
          messages,
          queues.getByUrl(input.QueueUrl),
          input.ReceiptHandle,
          input.VisibilityTimeout,
        );
        return {};
      }),
    ],
    [
      "ChangeMessageVisibilityBatch",
      jsonOperation(batchOf(visibilityShape), ({ QueueUrl, Entries }) => {
        const queue = queues.getByUrl(QueueUrl);
        return runBatch(Entries, ({ ReceiptHandle, VisibilityTimeout }) => {
          changeVisibility(messages, queue, ReceiptHandle, VisibilityTimeout);
          return {};
        });
      }),
    ],
  ];
};
