import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { openAwsJsonService } from "../../shared/platform/outbound/aws-json.ts";
import { workThrough } from "../../shared/platform/queue/work-through.ts";
import { describeErrorName, logger } from "../../shared/platform/telemetry/logger.ts";
import { callbackRequest } from "../../shared/recordings/callbacks/callback-queue.ts";
import { createCallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import { createDeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { itemTableFrom } from "../../shared/wiring/from-environment.ts";
import { callbackFunction } from "./contract.ts";
import { deliverCallback } from "./deliver-callback.ts";
import { postCallback } from "./post-callback.ts";

/** Standard Webhooks: a receiver gets 15 to 30 seconds. */
const responseMilliseconds = 20_000;

const environment = readEnvironment(callbackFunction.environment, process.env);
const table = itemTableFrom(environment);
const sqs = openAwsJsonService("SQS", awsConfigOf(environment));
const allowLoopback = environment.CALLBACKS_ALLOW_LOOPBACK;

const dependencies = {
  secrets: createCallbackSecrets(table),
  log: createDeliveryLog(table),
  post: (callback: Parameters<typeof postCallback>[0]) =>
    postCallback(callback, { allowLoopback, signal: AbortSignal.timeout(responseMilliseconds) }),
};

/** Lets the queue hand the callback out again after so many seconds, at most twelve hours. */
const comeBackAfter = async ({ receiptHandle }: SQSRecord, seconds: number): Promise<void> => {
  await sqs.call("ChangeMessageVisibility", {
    QueueUrl: environment.CALLBACK_QUEUE_URL,
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: seconds,
  });
};

const deliver = async (record: SQSRecord): Promise<boolean> => {
  try {
    const request = callbackRequest.parse(JSON.parse(record.body));
    const attempts = Number(record.attributes.ApproximateReceiveCount);
    const outcome = await deliverCallback(request, attempts, dependencies);
    if (!outcome.isDone) await comeBackAfter(record, outcome.seconds);
    return outcome.isDone;
  } catch (error) {
    // It comes again when the queue's own time is over.
    logger.error("callback.failed", { reason: describeErrorName(error) });
    return false;
  }
};

/** Delivers the callbacks of a batch; what was not taken comes again, later each time. */
export const handler = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  workThrough(event, context, {
    operation: "deliverCallback",
    metricsNamespace: environment.METRICS_NAMESPACE,
    minMilliseconds: responseMilliseconds + 5_000,
    reserveMilliseconds: 1_000,
    work: deliver,
  });
