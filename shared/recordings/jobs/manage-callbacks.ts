import { AppError, invalidField } from "../../platform/errors/app-error.ts";
import { type CallbackQueue, deliveryName, testEvent } from "../callbacks/callback-queue.ts";
import type { CallbackSecrets } from "../callbacks/callback-secrets.ts";
import { type CallbackRules, callbackUrlProblem } from "../callbacks/callback-url.ts";
import type { CallbackDelivery, DeliveryLog } from "../callbacks/deliveries.ts";
import { callbackOf } from "./job-callback.ts";
import { type JobsRepository, newJobId } from "./jobs-repository.ts";
import { requireJob } from "./show-jobs.ts";

/** What an account needs to manage its callbacks. */
export interface CallbackManagement {
  readonly callbackSecrets: Pick<CallbackSecrets, "current">;
  readonly deliveries: Pick<DeliveryLog, "change" | "list" | "read">;
  readonly callbacks: CallbackQueue;
  readonly callbackRules: CallbackRules;
  readonly jobs: Pick<JobsRepository, "find">;
}

/** How many callbacks an account sees. */
export const maxListedCallbacks = 50;

/** Lists the account's callbacks of the last 30 days, those of the newest jobs first. */
export const listCallbacks = (
  userId: number,
  { deliveries }: Pick<CallbackManagement, "deliveries">,
): Promise<CallbackDelivery[]> => deliveries.list(userId, maxListedCallbacks);

/**
 * Sends the callback of a job again. Like any other, it is repeated while attempts remain.
 *
 * @throws AppError `not_found` for a job without a callback; `callback_pending` before its attempts have ended.
 */
export const resendCallback = async (
  name: { readonly userId: number; readonly jobId: string },
  { deliveries, callbacks, jobs }: CallbackManagement,
): Promise<CallbackDelivery> => {
  const { userId, jobId } = name;
  const job = await requireJob(name, jobs);
  const { callback_url: url } = job;
  if (url === undefined) {
    throw new AppError("not_found", { message: "This job has no callback URL.", param: "id" });
  }
  const request = callbackOf(job, url);
  const end = deliveryName(request);
  const seen = await deliveries.read(userId, end);
  // The function that sends callbacks drops requests of callbacks that are not pending.
  if (seen.status === "pending" || !(await deliveries.change(userId, end, seen.status, "pending"))) {
    throw new AppError("callback_pending");
  }
  try {
    await callbacks.sendAgain(request, seen.deliveries.length);
  } catch (error) {
    await deliveries.change(userId, end, "pending", seen.status);
    throw error;
  }
  return { id: jobId, event: request.event, url, status: "pending", deliveries: seen.deliveries };
};

/**
 * Sends a test event to a URL, once.
 *
 * @returns its id among the account's callbacks.
 * @throws ValidationError for a URL that callbacks may not call.
 */
export const sendTestCallback = async (
  userId: number,
  url: string,
  { callbackSecrets, callbacks, callbackRules }: CallbackManagement,
): Promise<{ readonly id: string }> => {
  const problem = callbackUrlProblem(url, callbackRules);
  if (problem !== undefined) throw invalidField(["body", "url"], problem);
  // Creates the secret that signs it.
  await callbackSecrets.current(userId);
  const now = new Date();
  const [id, occurredAt] = [newJobId(now.getTime()), now.toISOString()];
  const data = { id, created_at: occurredAt, message: "This is a test." };
  await callbacks.send({ userId, jobId: id, url, event: testEvent, occurredAt, data });
  return { id };
};
