import type { SQSRecord } from "aws-lambda";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { type JobMessage, jobMessage } from "../../shared/recordings/jobs/job-queue.ts";
import { handleMessage, type WorkDependencies } from "./handle-message.ts";
import { holdMessage } from "./hold-message.ts";

/** What working through the queue touches. */
export interface RecordDependencies extends WorkDependencies {
  /** Keeps a record from everybody for so many seconds. */
  readonly hide: (record: SQSRecord, seconds: number) => Promise<void>;
}

/**
 * A message that has come so often is replaced by a new one: while a model is down for hours it must not be dead-lettered for
 * how often it came.
 */
const maxReceives = 20;

/** After a fault nobody foresaw, of the table say. */
const faultSeconds = (receives: number): number => Math.min(2 ** receives, 300);

const parseBody = ({ body }: SQSRecord): JobMessage | undefined => {
  try {
    return jobMessage.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
};

/** Does what a record of the queue asks for. @returns whether it is done with; otherwise it comes again. */
export const handleJobRecord = async (
  record: SQSRecord,
  dependencies: RecordDependencies,
  signal: AbortSignal,
): Promise<boolean> => {
  const message = parseBody(record);
  if (!message) {
    // It cannot get better.
    logger.error("job.message_unreadable", { queue_message_id: record.messageId });
    return true;
  }
  const { hide, queue } = dependencies;
  const receives = Number(record.attributes.ApproximateReceiveCount);
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
    logger.error("job.message_failed", { kind: message.kind, tries: receives, reason: describeError(error) });
  } finally {
    release();
  }
  // When this fails, the message comes again as soon as it is held no more.
  await hide(record, Math.ceil(again)).catch(() => undefined);
  return false;
};
