import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { logger } from "../telemetry/logger.ts";
import { inRequestScope, openRequestScope } from "../telemetry/request-scope.ts";
import { logBegun, logEnded } from "./log-work.ts";
import { readOrigin } from "./origin.ts";

/** What a worker does with each record of its queue. */
export interface QueueWork {
  /** Names the work in logs and metrics. */
  readonly operation: string;
  /** Under which name its metrics are filed; without it none are. */
  readonly metricsNamespace?: string | undefined;
  /** Time that a record should have for itself; with less of it left, it is not begun. */
  readonly leastMilliseconds: number;
  /** Kept back from a record's time for what comes after its work. */
  readonly reserveMilliseconds: number;
  /**
   * Does the work; must not throw.
   *
   * @param deadline aborted when the time is over, but for the reserve.
   * @returns whether the record is done with; otherwise it comes again.
   */
  readonly work: (record: SQSRecord, deadline: AbortSignal) => Promise<boolean>;
}

const workOn = (record: SQSRecord, context: Context, { operation, ...options }: QueueWork) => {
  const milliseconds = context.getRemainingTimeInMillis() - options.reserveMilliseconds;
  const scope = openRequestScope(milliseconds, {
    origin: readOrigin(record),
    metricsNamespace: options.metricsNamespace,
  });
  return inRequestScope(scope, async () => {
    const startedAt = performance.now();
    logBegun(record, operation);
    const isDone = await options.work(record, scope.deadline);
    logEnded(record, { operation, milliseconds: Math.round(performance.now() - startedAt), isDone });
    return isDone;
  });
};

/**
 * Works through a batch of a FIFO queue, record by record, each in a scope of its own with the trace of the request that
 * asked for it.
 *
 * A record is left to the queue when an earlier one of its group has failed, which it must not overtake; the groups have
 * nothing to do with each other. And it is left when too little time remains, but for the first: an invocation that
 * Lambda breaks off makes the whole batch come again, with what was done already.
 */
export const workThrough = async (
  { Records }: SQSEvent,
  context: Context,
  work: QueueWork,
): Promise<SQSBatchResponse> => {
  const stoppedGroups = new Set<string | undefined>();
  const again: string[] = [];
  let left = 0;
  for (const [index, record] of Records.entries()) {
    const group = record.attributes.MessageGroupId;
    const isLate = index > 0 && context.getRemainingTimeInMillis() < work.leastMilliseconds;
    const isLeft = isLate || stoppedGroups.has(group);
    if (!isLeft && (await workOn(record, context, work))) continue;
    if (isLeft) left += 1;
    stoppedGroups.add(group);
    again.push(record.messageId);
  }
  if (left > 0) logger.warn("record.returned", { operation: work.operation, count: left });
  return { batchItemFailures: again.map((itemIdentifier) => ({ itemIdentifier })) };
};
