import * as z from "zod";
import type { AwsConfig } from "../../platform/outbound/aws-config.ts";
import { openAwsJsonService } from "../../platform/outbound/aws-json.ts";
import { originAttributes } from "../../platform/queue/work-through.ts";

/** What callbacks tell of. */
export const callbackEvents = ["job.completed", "job.failed", "job.cancelled"] as const;

/** A callback to be delivered. */
export const callbackRequest = z.object({
  userId: z.int(),
  jobId: z.string(),
  url: z.string(),
  event: z.enum(callbackEvents),
  occurredAt: z.iso.datetime(),
  /** The job as `GET /tasks/jobs/{id}` shows it: a few hundred bytes, without its transcript. */
  data: z.record(z.string(), z.unknown()),
});
export type CallbackRequest = z.infer<typeof callbackRequest>;

/** Names an event for receivers, which may be told of it more than once. */
export const callbackId = ({ jobId, event }: Pick<CallbackRequest, "jobId" | "event">): string =>
  `msg_${jobId}_${event.replace(".", "_")}`;

/** Where functions leave the callbacks that they ask for. */
export interface CallbackQueue {
  /** Asking again for the same event is no harm: it is delivered once, and named alike when it is not. */
  send(request: CallbackRequest): Promise<void>;
}

/** A callback queue over SQS FIFO; each event is a group of its own, so that none waits for another. */
export const openCallbackQueue = (queueUrl: string, aws: AwsConfig): CallbackQueue => {
  const sqs = openAwsJsonService("SQS", aws);
  return {
    send: async (request) => {
      await sqs.call("SendMessage", {
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(request),
        MessageGroupId: callbackId(request),
        MessageDeduplicationId: callbackId(request),
        MessageAttributes: originAttributes(),
      });
    },
  };
};
