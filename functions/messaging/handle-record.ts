import { createHash } from "node:crypto";
import type { SQSRecord } from "aws-lambda";
import { type InboundMessage, inboundMessage } from "../../shared/messaging/inbound-message.ts";
import { readRecord } from "../../shared/platform/queue/fifo-queue.ts";
import { faultFields } from "../../shared/platform/telemetry/fault-metric.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { type Attempt, LeaseLost, RetryLater } from "./message-records.ts";
import type { Planner } from "./plan.ts";

export interface HandleDependencies {
  /** Processes a message; throws the error that ends the attempt. */
  readonly process: (message: InboundMessage, attempt: Attempt, plan: Planner) => Promise<void>;
  readonly reply: Planner;
  /** Plans the reply to a message of the dead-letter queue. */
  readonly apologise: Planner;
  readonly deadLetterQueueArn: string;
  /** Lets the queue deliver the record again after this many seconds. */
  readonly retryAfter: (record: SQSRecord, seconds: number) => Promise<void>;
}

/** Keeps the lease until after the worker's own time, so no other worker takes the message from a running one. */
const leaseReserveMilliseconds = 5_000;

/** The pauses after unexpected faults: all attempts take less than two minutes. */
const faultSeconds: readonly number[] = [3, 10, 30, 60];
const maxSeconds = 300;

/** Ids of messages and senders contain phone numbers, so the log gets a hash. */
const traceOf = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 16);

const retrySeconds = (error: unknown, receiveCount: number): number => {
  if (error instanceof RetryLater) return error.seconds;
  return faultSeconds[receiveCount - 1] ?? faultSeconds.at(-1) ?? 0;
};

/** Handles a record of the queue or of its dead-letter queue. @returns whether it is done. */
export const handleRecord = async (
  record: SQSRecord,
  remainingMilliseconds: number,
  dependencies: HandleDependencies,
): Promise<boolean> => {
  const { process, reply, apologise, deadLetterQueueArn, retryAfter } = dependencies;
  const receiveCount = Number(record.attributes.ApproximateReceiveCount);
  const isDeadLettered = record.eventSourceARN === deadLetterQueueArn;
  const message = readRecord(record, inboundMessage);
  if (!message) {
    // A newer version may have sent it and be deployed here in a moment. Otherwise it stays in the dead-letter queue.
    logger.error("message.unreadable", { queue_message_id: record.messageId, tries: receiveCount });
    if (!isDeadLettered) await retryAfter(record, maxSeconds).catch(() => undefined);
    return false;
  }
  const trace = { trace: traceOf(message.id), tries: receiveCount, dead_lettered: isDeadLettered };
  const milliseconds = remainingMilliseconds + leaseReserveMilliseconds;
  const attempt = { queueMessageId: record.messageId, receiveCount, isDeadLettered, milliseconds };
  try {
    await process(message, attempt, isDeadLettered ? apologise : reply);
    return true;
  } catch (error) {
    if (error instanceof LeaseLost) {
      logger.warn("message.taken_over", trace);
      return true;
    }
    const seconds = retrySeconds(error, receiveCount);
    const reason = describeError(error);
    const fault = error instanceof RetryLater ? {} : faultFields(error);
    logger.error("message.not_answered", { ...trace, retry_seconds: seconds, reason, ...fault });
    // Otherwise the queue delivers the message again after its own visibility timeout.
    if (!isDeadLettered) await retryAfter(record, Math.min(seconds, maxSeconds)).catch(() => undefined);
    return false;
  }
};
