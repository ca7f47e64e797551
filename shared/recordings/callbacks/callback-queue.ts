import * as z from "zod";
import type { AwsConfig } from "../../platform/outbound/aws-config.ts";
import { openFifoQueue } from "../../platform/queue/fifo-queue.ts";

export const callbackEvents = ["job.completed", "job.failed", "job.cancelled"] as const;

export const callbackRequest = z.object({
  userId: z.int(),
  jobId: z.string(),
  url: z.string(),
  event: z.enum(callbackEvents),
  occurredAt: z.iso.datetime(),
  /** How often the job was queued again after it failed: each time it ends once more. */
  retries: z.int().optional(),
  /** The job as `GET /tasks/jobs/{id}` returns it, without its transcript: a few hundred bytes. */
  data: z.looseObject({ created_at: z.iso.datetime() }),
});
export type CallbackRequest = z.infer<typeof callbackRequest>;

/** The id of an event, by which a receiver recognises a second delivery. */
export const callbackId = ({
  jobId,
  event,
  retries,
}: Pick<CallbackRequest, "jobId" | "event" | "retries">): string =>
  `msg_${jobId}_${event.replace(".", "_")}${retries ? `_${retries}` : ""}`;

/** The name of a job's end in the log of deliveries: a job that was queued again ends more than once. */
export const deliveryName = ({ jobId, retries }: Pick<CallbackRequest, "jobId" | "retries">): string =>
  retries ? `${jobId}#${retries}` : jobId;

export interface CallbackQueue {
  /**
   * Safe to repeat: the queue drops a second request for an event, and a late one has the same id.
   *
   * @param attempt makes the queue accept it again, for an operator.
   */
  send(request: CallbackRequest, attempt?: string): Promise<void>;
}

/** Opens the callback queue over SQS FIFO. Each event is its own group, so no callback waits for another. */
export const openCallbackQueue = (queueUrl: string, aws: AwsConfig): CallbackQueue => {
  const { send } = openFifoQueue(queueUrl, aws);
  return {
    send: (request, attempt = "") => send(request, callbackId(request), `${callbackId(request)}${attempt}`),
  };
};
