import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { inTransaction } from "../machine/database-file.ts";
import type { MessageAttributes } from "./message-attributes.ts";
import {
  type MessageStatements,
  messageRowSchema,
  prepareMessageStatements,
  type SentMessage,
  type StoredMessage,
  sentMessageSchema,
} from "./message-statements.ts";
import type { QueueChanges } from "./queue-changes.ts";
import { deadLetterQueueName } from "./queue-settings.ts";
import type { Queue } from "./queue-store.ts";
import type { Receipt } from "./receipt-handle.ts";

/**
 * Moves the visible messages that were received `maxReceiveCount` times to the dead-letter queue. SQS does so when a
 * client requests messages, not when the last timeout passes.
 *
 * @returns the dead-letter queue's name when anything was moved.
 */
const moveToDeadLetterQueue = (
  statements: MessageStatements,
  queue: Queue,
  now: number,
): string | undefined => {
  const target = deadLetterQueueName(queue.settings);
  const maximum = queue.settings.RedrivePolicy?.maxReceiveCount;
  if (target === undefined || maximum === undefined) return undefined;
  const fifo = queue.settings.FifoQueue ? 1 : 0;
  const { changes } = statements.moveToDeadLetterQueue.run({ queue: queue.name, target, maximum, now, fifo });
  return changes === 0 ? undefined : target;
};

const deduplicationWindowMilliseconds = 5 * 60_000;

export interface NewMessage {
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly groupId: string | null;
  /** Null where messages are not deduplicated: on standard queues. */
  readonly deduplicationId: string | null;
  readonly delaySeconds: number;
}

/** The state of a delivery. */
type DeliveryState = "in-flight" | "expired" | "gone";

const countsSchema = z.object({ visible: z.number(), inFlight: z.number(), delayed: z.number() });

/** The messages of all queues, and the rules of their delivery. */
export class MessageStore {
  readonly #database: DatabaseSync;
  readonly #changes: QueueChanges;
  readonly #now: () => number;
  readonly #statements: MessageStatements;

  constructor(database: DatabaseSync, changes: QueueChanges, now: () => number) {
    this.#database = database;
    this.#changes = changes;
    this.#now = now;
    this.#statements = prepareMessageStatements(database);
  }

  /**
   * Adds a message; returns the earlier one when the same was sent within the last five minutes, even if it is gone.
   */
  add(queue: Queue, message: NewMessage): SentMessage {
    // One transaction: a crash between the two rows would leave a message that is known as sent but does not exist.
    const sent = inTransaction(
      this.#database,
      () => this.#earlierDuplicate(queue, message) ?? this.#insert(queue, message),
    );
    this.#changes.announce(queue.name);
    return sent;
  }

  #earlierDuplicate(queue: Queue, { groupId, deduplicationId }: NewMessage): SentMessage | undefined {
    if (deduplicationId === null) return undefined;
    this.#statements.forgetDeduplication.run(this.#now() - deduplicationWindowMilliseconds);
    const row = this.#statements.findDuplicate.get(
      queue.name,
      deduplicationScope(queue, groupId),
      deduplicationId,
    );
    return row && sentMessageSchema.parse(row);
  }

  #insert(queue: Queue, message: NewMessage): SentMessage {
    const now = this.#now();
    const id = randomUUID();
    const { lastInsertRowid } = this.#statements.insert.run({
      queue: queue.name,
      id,
      body: message.body,
      attributes: JSON.stringify(message.attributes),
      groupId: message.groupId,
      deduplicationId: message.deduplicationId,
      now,
      visibleAt: now + message.delaySeconds * 1000,
    });
    const sequence = Number(lastInsertRowid);
    if (message.deduplicationId !== null) {
      const scope = deduplicationScope(queue, message.groupId);
      this.#statements.rememberDeduplication.run(
        queue.name,
        scope,
        message.deduplicationId,
        id,
        sequence,
        now,
      );
    }
    return { id, sequence };
  }

  /**
   * Receives messages, oldest first, and hides them for the visibility timeout. Messages received too often go to the
   * dead-letter queue instead. A message group of a FIFO queue waits while one of its messages is in flight.
   */
  receive(queue: Queue, maximum: number, visibilitySeconds: number): StoredMessage[] {
    const now = this.#now();
    return inTransaction(this.#database, () => {
      this.#dropExpired(queue);
      const deadLetterQueue = moveToDeadLetterQueue(this.#statements, queue, now);
      if (deadLetterQueue !== undefined) this.#changes.announce(deadLetterQueue);
      const rows = this.#statements.selectAvailable.all({
        queue: queue.name,
        now,
        fifo: queue.settings.FifoQueue ? 1 : 0,
        maximum,
      });
      return rows.map((row) => this.#deliver(messageRowSchema.parse(row), now, visibilitySeconds));
    });
  }

  #deliver(message: StoredMessage, now: number, visibilitySeconds: number): StoredMessage {
    const delivered = {
      ...message,
      receipt: randomUUID(),
      receiveCount: message.receiveCount + 1,
      firstReceivedAt: message.firstReceivedAt ?? now,
      visibleAt: now + visibilitySeconds * 1000,
    };
    const { sequence, receipt, receiveCount, firstReceivedAt, visibleAt } = delivered;
    this.#statements.deliver.run({ sequence, receipt, receiveCount, firstReceivedAt, visibleAt });
    return delivered;
  }

  #dropExpired(queue: Queue): void {
    this.#statements.dropExpired.run(queue.name, this.#now() - queue.settings.MessageRetentionPeriod * 1000);
  }

  /** Whether a delivery can still be acted upon: it is `expired` once the message is visible or delivered again. */
  deliveryState(receipt: Receipt): DeliveryState {
    const row = this.#statements.select.get(receipt.sequence, receipt.queue);
    if (row === undefined) return "gone";
    const message = messageRowSchema.parse(row);
    return message.receipt === receipt.receipt && message.visibleAt > this.#now() ? "in-flight" : "expired";
  }

  /** Deletes the message if there was no later delivery of it. */
  delete({ queue, sequence, receipt }: Receipt): void {
    this.#statements.delete.run(sequence, queue, receipt);
    this.#changes.announce(queue);
  }

  /** Hides a message in flight for this many seconds from now; 0 makes it visible at once. */
  changeVisibility({ queue, sequence, receipt }: Receipt, seconds: number): void {
    this.#statements.changeVisibility.run(this.#now() + seconds * 1000, sequence, queue, receipt);
    this.#changes.announce(queue);
  }

  /** Makes every received but unfinished message visible again. */
  releaseInFlight(queueName: string): void {
    this.#statements.releaseInFlight.run({ queue: queueName, now: this.#now() });
    this.#changes.announce(queueName);
  }

  counts(queue: Queue): { visible: number; inFlight: number; delayed: number } {
    this.#dropExpired(queue);
    return countsSchema.parse(this.#statements.count.get({ queue: queue.name, now: this.#now() }));
  }

  /** When the next hidden message becomes visible, in Unix milliseconds; infinity when none is hidden. */
  nextVisibleAt(queue: Queue): number {
    const row = this.#statements.nextVisible.get(queue.name, this.#now());
    return z.object({ at: z.number().nullable() }).parse(row).at ?? Number.POSITIVE_INFINITY;
  }
}

const deduplicationScope = (queue: Queue, groupId: string | null): string =>
  queue.settings.DeduplicationScope === "messageGroup" ? (groupId ?? "") : "";
