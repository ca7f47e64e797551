import type { SQSRecord } from "aws-lambda";
import { readRecord } from "../../shared/platform/queue/fifo-queue.ts";
import { faultFields } from "../../shared/platform/telemetry/fault-metric.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { jobMessage } from "../../shared/recordings/jobs/job-queue.ts";
import { handleMessage, type WorkDependencies } from "./handle-message.ts";
import { holdMessage } from "./hold-message.ts";

export interface RecordDependencies extends WorkDependencies {
  /** Hides a record from all workers for this many seconds. */
  readonly hide: (record: SQSRecord, seconds: number) => Promise<void>;
}

/**
 * After this many deliveries, a new message replaces the old one. Otherwise a model that is down for hours would send
 * messages to the dead-letter queue.
 */
const maxReceives = 20;

/** The pause after an unexpected fault, of the table for example. */
const faultSeconds = (receives: number): number => Math.min(2 ** receives, 300);

/** Handles a record of the job queue. @returns whether it is done; otherwise the queue delivers it again. */
export const handleJobRecord = async (
  record: SQSRecord,
  dependencies: RecordDependencies,
  signal: AbortSignal,
): Promise<boolean> => {
  const { hide, queue } = dependencies;
  const receives = Number(record.attributes.ApproximateReceiveCount);
  const message = readRecord(record, jobMessage);
  if (!message) {
    // A newer version may have sent it and be deployed here in a moment. Otherwise it goes to the dead-letter queue.
    logger.error("job.message_unreadable", { queue_message_id: record.messageId, tries: receives });
    await hide(record, faultSeconds(receives)).catch(() => undefined);
    return false;
  }
  const release = await holdMessage((seconds) => hide(record, seconds));
  let again: number | undefined;
  try {
    again = await handleMessage(message, Number(record.attributes.SentTimestamp), dependencies, signal);
    if (again === undefined) return true;
    if (receives >= maxReceives) {
      await queue.send(message);
      return true;
    }
  } catch (error) {
    again = faultSeconds(receives);
    const reason = describeError(error);
    logger.error("job.message_failed", {
      ...{ kind: message.kind, tries: receives, reason },
      ...faultFields(error),
    });
  } finally {
    release();
  }
  // If this fails, the message returns when its last hold expires.
  await hide(record, Math.ceil(again)).catch(() => undefined);
  return false;
};
