import { createHash } from "node:crypto";
import type { SQSRecord } from "aws-lambda";
import { type InboundMessage, inboundMessage } from "../../shared/messaging/inbound-message.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { type Attempt, LeaseLost, RetryLater } from "./message-records.ts";
import type { Planner } from "./plan.ts";

/** What working through the queue touches. */
export interface HandleDependencies {
  /** Works on a message until it is answered; throws what ends the try. */
  readonly process: (message: InboundMessage, attempt: Attempt, plan: Planner) => Promise<void>;
  readonly reply: Planner;
  /** Plans the answer to a message of the dead-letter queue. */
  readonly apologise: Planner;
  /** The queue of messages that could not be answered in so many tries. */
  readonly deadLetterQueueArn: string;
  /** Lets the queue hand the message out again after so many seconds. */
  readonly retryAfter: (record: SQSRecord, seconds: number) => Promise<void>;
}

/** Longer than a message can wait for its next try, so that it is not taken from a worker that is still at it. */
const leaseReserveMilliseconds = 5_000;

/** After a fault nobody foresaw; the tries together are over in two minutes. */
const faultSeconds: readonly number[] = [3, 10, 30, 60];
const maxSeconds = 300;

/** Ids of messages and senders hold phone numbers. */
const traceOf = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 16);

const parseBody = ({ body }: SQSRecord): InboundMessage | undefined => {
  try {
    return inboundMessage.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
};

/** Answers the message in a record of the queue, or of its dead-letter queue. @returns whether it is done. */
export const handleRecord = async (
  record: SQSRecord,
  remainingMilliseconds: number,
  dependencies: HandleDependencies,
): Promise<boolean> => {
  const { process, reply, apologise, deadLetterQueueArn, retryAfter } = dependencies;
  const message = parseBody(record);
  if (!message) {
    // It cannot get better, and it does not say whom an apology should go to.
    logger.error("message.unreadable", { queue_message_id: record.messageId });
    return true;
  }
  const receiveCount = Number(record.attributes.ApproximateReceiveCount);
  const isDeadLettered = record.eventSourceARN === deadLetterQueueArn;
  const trace = { trace: traceOf(message.id), tries: receiveCount, dead_lettered: isDeadLettered };
  try {
    const attempt = {
      queueMessageId: record.messageId,
      receiveCount,
      isDeadLettered,
      milliseconds: remainingMilliseconds + leaseReserveMilliseconds,
    };
    await process(message, attempt, isDeadLettered ? apologise : reply);
    return true;
  } catch (error) {
    if (error instanceof LeaseLost) {
      logger.warn("message.taken_over", trace);
      return true;
    }
    const seconds =
      error instanceof RetryLater
        ? error.seconds
        : (faultSeconds[receiveCount - 1] ?? faultSeconds.at(-1) ?? 0);
    logger.error("message.not_answered", {
      ...trace,
      retry_seconds: seconds,
      reason: describeError(error),
    });
    // A dead-lettered message, or one whose time could not be set, comes again when the queue's own time is over.
    if (!isDeadLettered) await retryAfter(record, Math.min(seconds, maxSeconds)).catch(() => undefined);
    return false;
  }
};
