import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { versionOf } from "../telemetry/fault-metric.ts";
import { logger } from "../telemetry/logger.ts";
import { measured } from "../telemetry/request-metrics.ts";
import { inRequestScope, type Origin, openRequestScope, requestScope } from "../telemetry/request-scope.ts";
import { joinTrace, spanFields } from "../telemetry/trace-context.ts";

type MessageAttributes = Readonly<
  Record<string, { readonly DataType: "String"; readonly StringValue: string }>
>;

const attribute = (name: string, value: string | undefined): MessageAttributes =>
  value === undefined ? {} : { [name]: { DataType: "String", StringValue: value } };

/**
 * The current request as attributes of a queue message. They are not in its body, which deduplication and the worker's
 * contract use, and they stay with the message in a dead-letter queue.
 */
export const originAttributes = (): MessageAttributes => {
  const scope = requestScope();
  return {
    ...attribute("request_id", scope?.requestId),
    ...attribute("traceparent", scope?.span?.traceparent),
  };
};

/** The request that caused a record; without one, the record's own id. */
const readOrigin = ({ messageId, messageAttributes }: SQSRecord): Origin => ({
  requestId: messageAttributes["request_id"]?.stringValue ?? messageId,
  span: joinTrace(messageAttributes["traceparent"]?.stringValue),
});

const idsOf = ({ messageId, attributes }: SQSRecord) => ({
  queue_message_id: messageId,
  tries: Number(attributes.ApproximateReceiveCount),
});

const logStarted = (record: SQSRecord, operation: string): void =>
  logger.info("record.started", { operation, ...idsOf(record), ...spanFields(requestScope()?.span) });

const logFinished = (
  record: SQSRecord,
  outcome: { readonly operation: string; readonly milliseconds: number; readonly isDone: boolean },
): void => {
  const { operation, milliseconds, isDone } = outcome;
  logger.info("record.finished", {
    ...idsOf(record),
    ...measured({ operation, milliseconds, client_error: 0, server_error: isDone ? 0 : 1 }),
  });
};

export interface QueueWork {
  /** Names the work in logs and metrics. */
  readonly operation: string;
  readonly metricsNamespace?: string | undefined;
  /** The minimum time that a record needs; with less of it left, it does not start. */
  readonly minMilliseconds: number;
  /** Reserved of a record's time for what follows its work. */
  readonly reserveMilliseconds: number;
  /**
   * Does the work; must not throw.
   *
   * @param deadline aborted when the time ends, minus the reserve.
   * @returns whether the record is done; otherwise the queue delivers it again.
   */
  readonly work: (record: SQSRecord, deadline: AbortSignal) => Promise<boolean>;
}

const workOn = (record: SQSRecord, context: Context, { operation, ...options }: QueueWork) => {
  const milliseconds = context.getRemainingTimeInMillis() - options.reserveMilliseconds;
  const scope = openRequestScope(milliseconds, {
    origin: readOrigin(record),
    metricsNamespace: options.metricsNamespace,
    functionVersion: versionOf(context),
  });
  return inRequestScope(scope, async () => {
    const startedAt = performance.now();
    logStarted(record, operation);
    const isDone = await options.work(record, scope.deadline).finally(scope.close);
    logFinished(record, { operation, milliseconds: Math.round(performance.now() - startedAt), isDone });
    return isDone;
  });
};

/**
 * Processes a batch of a FIFO queue, record by record, each in a scope of its own with the trace of the request that
 * caused it.
 *
 * A record stays in the queue when an earlier one of its group has failed, because it must not overtake that; groups
 * are independent. It also stays when too little time remains, except the first: if Lambda ends an invocation, the
 * whole batch is delivered again, including finished records.
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
    const isLate = index > 0 && context.getRemainingTimeInMillis() < work.minMilliseconds;
    const isLeft = isLate || stoppedGroups.has(group);
    if (!isLeft && (await workOn(record, context, work))) continue;
    if (isLeft) left += 1;
    stoppedGroups.add(group);
    again.push(record.messageId);
  }
  if (left > 0) logger.warn("record.returned", { operation: work.operation, count: left });
  return { batchItemFailures: again.map((itemIdentifier) => ({ itemIdentifier })) };
};
