import * as z from "zod";
import { type JsonOperation, jsonOperation } from "../aws-protocol/aws-json.ts";
import { runBatch } from "./batch.ts";
import type { MessageStore } from "./message-store.ts";
import type { Queue, QueueStore } from "./queue-store.ts";
import { decodeReceiptHandle } from "./receipt-handle.ts";
import { type Receiving, receiveInputSchema, receiveMessages } from "./receive-messages.ts";
import { type MessageInput, messageInputShape, messageSize, sendMessage } from "./send-message.ts";
import { invalidParameter, sqsError } from "./sqs-errors.ts";

const MAXIMUM_BATCH_BYTES = 1_048_576;

const queueUrlShape = { QueueUrl: z.string() };
const receiptShape = { ReceiptHandle: z.string() };
const visibilityShape = { ...receiptShape, VisibilityTimeout: z.number().int().min(0).max(43_200) };

const batchOf = <Shape extends z.core.$ZodShape>(entry: Shape) =>
  z.object({ ...queueUrlShape, Entries: z.array(z.object({ Id: z.string(), ...entry })) });

const checkBatchSize = (entries: readonly MessageInput[]): void => {
  const size = entries.reduce((total, entry) => total + messageSize(entry), 0);
  if (size > MAXIMUM_BATCH_BYTES) {
    throw sqsError(
      "BatchRequestTooLong",
      `Batch requests cannot be longer than ${MAXIMUM_BATCH_BYTES} bytes. You have sent ${size} bytes.`,
    );
  }
};

const deleteMessage = (messages: MessageStore, queue: Queue, handle: string): void => {
  const receipt = decodeReceiptHandle(handle, queue.name);
  // A FIFO queue refuses a late deletion, because the message may already be on its way again; a standard queue
  // accepts it and deletes only if no later delivery was made.
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
