import * as z from "zod";
import type { AwsConfig } from "../../platform/outbound/aws-config.ts";
import { openFifoQueue } from "../../platform/queue/fifo-queue.ts";

/** The event that an account sends to try its receiver. */
export const testEvent = "webhook.test";

export const callbackEvents = ["job.completed", "job.failed", "job.cancelled", testEvent] as const;

export const callbackRequest = z.object({
  userId: z.int(),
  /** The job; for a test event an id of its own. */
  jobId: z.string(),
  url: z.string(),
  event: z.enum(callbackEvents),
  occurredAt: z.iso.datetime(),
  /** How often the job had ended before: it ends once more when targets are added to it, or an operator queues it again. */
  earlierEnds: z.int().optional(),
  /** The job as `GET /tasks/jobs/{id}` returns it, without its transcript: a few hundred bytes. */
  data: z.looseObject({ created_at: z.iso.datetime() }),
});
export type CallbackRequest = z.infer<typeof callbackRequest>;

/** The id of an event, by which a receiver recognises a second delivery. */
export const callbackId = ({
  jobId,
  event,
  earlierEnds,
}: Pick<CallbackRequest, "earlierEnds" | "event" | "jobId">): string =>
  `msg_${jobId}_${event.replace(".", "_")}${earlierEnds ? `_${earlierEnds}` : ""}`;

/** The name of a job's end in the log of deliveries. */
export const deliveryName = ({
  jobId,
  earlierEnds,
}: Pick<CallbackRequest, "earlierEnds" | "jobId">): string =>
  earlierEnds ? `${jobId}#${earlierEnds}` : jobId;

export interface CallbackQueue {
  /** Safe to repeat: the queue drops a second request for an event, and a late one has the same id. */
  send(request: CallbackRequest): Promise<void>;
  /** Sends the request of an event again, after this many attempts: once for each number. */
  sendAgain(request: CallbackRequest, attempts: number): Promise<void>;
}

/** Opens the callback queue over SQS FIFO. Each event is its own group, so no callback waits for another. */
export const openCallbackQueue = (queueUrl: string, aws: AwsConfig): CallbackQueue => {
  const { send } = openFifoQueue(queueUrl, aws);
  return {
    send: (request) => send(request, callbackId(request), callbackId(request)),
    sendAgain: (request, attempts) =>
      send(request, callbackId(request), `${callbackId(request)}_${attempts}`),
  };
};
