import { service } from "../../shared/http/function-definition.ts";
import {
  type CallbackRequest,
  callbackId,
  deliveryName,
  testEvent,
} from "../../shared/recordings/callbacks/callback-queue.ts";
import type { CallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import type { DeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { signatureHeaders } from "../../shared/recordings/callbacks/signature.ts";
import type { CallbackSlots } from "./callback-slots.ts";
import { pausesInSeconds, slotWaitSeconds } from "./contract.ts";
import { CallbackError, type OutgoingCallback } from "./post-callback.ts";

export interface CallbackDependencies {
  readonly secrets: Pick<CallbackSecrets, "signing">;
  readonly log: Pick<DeliveryLog, "add" | "read">;
  readonly slots: CallbackSlots;
  /** Returns the status of the receiver's response. @throws CallbackError without one. */
  readonly post: (callback: OutgoingCallback) => Promise<number>;
  readonly now?: () => Date;
}

/** What the job shows when the owner of an email address has taken its account over. */
const endedMessage = "The account's owner ended its callbacks.";

/** The receiver wants no more callbacks (RFC 9110, section 15.5.11). */
const goneStatus = 410;

const attemptOnce = async (callback: OutgoingCallback, post: CallbackDependencies["post"]) => {
  try {
    return { status_code: await post(callback) };
  } catch (error) {
    if (error instanceof CallbackError) return { error: error.message };
    throw error;
  }
};

/** @param attempts those of the past and this one. @returns as {@link deliverCallback}. */
const attemptDelivery = async (
  request: CallbackRequest,
  attempts: number,
  signing: readonly string[],
  { log, post, now = () => new Date() }: CallbackDependencies,
): Promise<number | undefined> => {
  const { userId, url, event, occurredAt, data } = request;
  const jobId = deliveryName(request);
  const sentAt = now();
  const body = JSON.stringify({ type: event, timestamp: occurredAt, data });
  const headers = {
    "content-type": "application/json",
    "user-agent": `${service.name.replaceAll(" ", "-")}/${service.apiVersion}`,
    ...signatureHeaders({ id: callbackId(request), sentAt, body }, signing),
  };
  const response = await attemptOnce({ url, headers, body }, post);
  const entry = { at: sentAt.toISOString(), ...response };
  const code = response.status_code ?? 0;
  // A test shows its result at once.
  const seconds = event === testEvent ? undefined : pausesInSeconds[attempts - 1];
  if (code >= 200 && code < 300) await log.add(userId, jobId, entry, "delivered", request);
  else if (code === goneStatus || seconds === undefined)
    await log.add(userId, jobId, entry, "failed", request);
  else {
    await log.add(userId, jobId, entry, "pending", request);
    return seconds;
  }
  return undefined;
};

/**
 * Attempts once to deliver a callback in one of its account's slots, and records the outcome.
 *
 * @param receives deliveries by the queue, this one included.
 * @returns the seconds until the next attempt; `undefined` when the callback is done.
 */
export const deliverCallback = async (
  request: CallbackRequest,
  receives: number,
  dependencies: CallbackDependencies,
): Promise<number | undefined> => {
  const { secrets, log, slots, now = () => new Date() } = dependencies;
  const { userId, data } = request;
  const jobId = deliveryName(request);
  const [signing, { status, deliveries }] = await Promise.all([
    secrets.signing(userId, data.created_at),
    log.read(userId, jobId),
  ]);
  // The callback may be delivered already, if the last attempt was killed afterwards. Nothing may be written for an account that is
  // gone.
  if (!signing || status !== "pending") return undefined;
  if (signing.length === 0) {
    await log.add(userId, jobId, { at: now().toISOString(), error: endedMessage }, "failed", request);
    return undefined;
  }
  const slot = await slots.take(userId);
  if (slot === undefined) return slotWaitSeconds(receives);
  try {
    return await attemptDelivery(request, deliveries.length + 1, signing, dependencies);
  } finally {
    await slots.release(userId, [slot]);
  }
};
