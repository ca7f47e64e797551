import type { TableWrite } from "../../shared/platform/storage/table.ts";
import { type CallbackQueue, deliveryName } from "../../shared/recordings/callbacks/callback-queue.ts";
import type { DeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { isOver } from "../../shared/recordings/jobs/job.ts";
import { callbackOf } from "../../shared/recordings/jobs/job-callback.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import type { JobName } from "../../shared/recordings/jobs/keys.ts";

export interface ResendDependencies {
  readonly jobs: Pick<JobsRepository, "find">;
  readonly deliveries: Pick<DeliveryLog, "read" | "reopen">;
  readonly callbacks: CallbackQueue;
}

/**
 * Sends the callback of a job once more, for an operator. When the function is killed before the message is sent, the callback is
 * still in the operators' list.
 *
 * @param record written together with the new state of the callback.
 * @returns `false` when there is nothing to send: the job is gone, or its callback was delivered.
 */
export const resendFailedCallback = async (
  name: JobName,
  record: TableWrite,
  { jobs, deliveries, callbacks }: ResendDependencies,
): Promise<boolean> => {
  const job = await jobs.find(name);
  if (!job || !isOver(job) || job.callback_url === undefined) return false;
  const request = callbackOf(job, job.callback_url);
  const end = deliveryName(request);
  const seen = await deliveries.read(name.userId, end);
  if (!(await deliveries.reopen(name.userId, end, record))) return false;
  await callbacks.sendAgain(request, seen.deliveries.length);
  return true;
};
