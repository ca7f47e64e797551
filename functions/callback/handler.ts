import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { openFifoQueue } from "../../shared/platform/queue/fifo-queue.ts";
import { workThrough } from "../../shared/platform/queue/work-through.ts";
import { faultFields } from "../../shared/platform/telemetry/fault-metric.ts";
import { describeErrorName, logger } from "../../shared/platform/telemetry/logger.ts";
import { callbackRequest } from "../../shared/recordings/callbacks/callback-queue.ts";
import { createCallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import { callbackRulesOf } from "../../shared/recordings/callbacks/callback-url.ts";
import { createDeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { requestTableFrom } from "../../shared/wiring/from-environment.ts";
import { createCallbackSlots } from "./callback-slots.ts";
import { callbackFunction } from "./contract.ts";
import { deliverCallback } from "./deliver-callback.ts";
import { postCallback } from "./post-callback.ts";

/** Standard Webhooks advises 15 to 30 seconds; less, because a silent receiver holds one of the workers. */
const responseMilliseconds = 10_000;

const environment = readEnvironment(callbackFunction.environment, process.env);
const table = requestTableFrom(environment);
const queue = openFifoQueue(environment.CALLBACK_QUEUE_URL, awsConfigOf(environment));
const rules = callbackRulesOf(environment);

const dependencies = {
  secrets: createCallbackSecrets(table),
  log: createDeliveryLog(table),
  slots: createCallbackSlots(table),
  post: (callback: Parameters<typeof postCallback>[0]) =>
    postCallback(callback, { ...rules, signal: AbortSignal.timeout(responseMilliseconds) }),
};

const deliver = async (record: SQSRecord): Promise<boolean> => {
  try {
    const request = callbackRequest.parse(JSON.parse(record.body));
    const receives = Number(record.attributes.ApproximateReceiveCount);
    const seconds = await deliverCallback(request, receives, dependencies);
    if (seconds !== undefined) await queue.hide(record, seconds);
    return seconds === undefined;
  } catch (error) {
    // The queue delivers it again after its own visibility timeout.
    logger.error("callback.failed", { reason: describeErrorName(error), ...faultFields(error) });
    return false;
  }
};

/** Delivers the callbacks of a batch; the queue delivers failed ones again, with growing pauses. */
export const handler = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  workThrough(event, context, {
    operation: "deliverCallback",
    metricsNamespace: environment.METRICS_NAMESPACE,
    minMilliseconds: responseMilliseconds + 5_000,
    reserveMilliseconds: 1_000,
    work: deliver,
  });
