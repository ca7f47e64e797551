import type { SQSRecord } from "aws-lambda";
import { logger } from "../telemetry/logger.ts";
import { measured } from "../telemetry/request-metrics.ts";
import { requestScope, traceIdOf } from "../telemetry/request-scope.ts";

const idsOf = ({ messageId, attributes }: SQSRecord) => ({
  queue_message_id: messageId,
  tries: Number(attributes.ApproximateReceiveCount),
});

/** One line when the work on a record begins. */
export const logBegun = (record: SQSRecord, operation: string): void => {
  const traceparent = requestScope()?.traceparent;
  logger.info("record.started", {
    operation,
    ...idsOf(record),
    ...(traceparent === undefined ? {} : { trace_id: traceIdOf(traceparent) }),
  });
};

/** One line when it has ended, with the same metrics as a request's. */
export const logEnded = (
  record: SQSRecord,
  outcome: { readonly operation: string; readonly milliseconds: number; readonly isDone: boolean },
): void => {
  const { operation, milliseconds, isDone } = outcome;
  logger.info("record.finished", {
    ...idsOf(record),
    ...measured({ operation, milliseconds, client_error: 0, server_error: isDone ? 0 : 1 }),
  });
};
