import { randomUUID } from "node:crypto";
import { messageRowSchema } from "./message-row.ts";
import type { MessageStatements } from "./message-statements.ts";
import { deadLetterQueueName } from "./queue-settings.ts";
import type { Queue } from "./queue-store.ts";

/**
 * Moves the visible messages that were received `maxReceiveCount` times to the dead-letter queue. SQS does so when
 * somebody asks for messages, not at the moment the last time-out passes.
 *
 * @returns the dead-letter queue's name when anything was moved.
 */
export const moveToDeadLetterQueue = (
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

/**
 * Moves what a dead-letter queue got from other queues back to them, as new messages with a new id and no receives.
 *
 * @returns the names of the queues that got something.
 */
export const moveToSources = (
  statements: MessageStatements,
  deadLetterQueue: string,
  now: number,
): ReadonlySet<string> => {
  const sources = new Set<string>();
  for (const row of statements.selectMoved.all(deadLetterQueue)) {
    const { sequence, sourceQueue, body, attributes, groupId, deduplicationId } = messageRowSchema.parse(row);
    if (sourceQueue === null) continue;
    statements.insert.run({
      queue: sourceQueue,
      id: randomUUID(),
      body,
      attributes: JSON.stringify(attributes),
      groupId,
      deduplicationId,
      now,
      visibleAt: now,
    });
    statements.deleteBySequence.run(sequence);
    sources.add(sourceQueue);
  }
  return sources;
};
