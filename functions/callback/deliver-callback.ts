import { service } from "../../shared/http/function-definition.ts";
import type { CallbackRequest } from "../../shared/recordings/callbacks/callback-queue.ts";
import { callbackId } from "../../shared/recordings/callbacks/callback-queue.ts";
import type { CallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import type { DeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { signatureHeaders } from "../../shared/recordings/callbacks/signature.ts";
import { pausesInSeconds } from "./contract.ts";
import { CallbackError, type OutgoingCallback } from "./post-callback.ts";

/** Everything that a delivery touches. */
export interface CallbackDependencies {
  readonly secrets: Pick<CallbackSecrets, "signing">;
  readonly log: DeliveryLog;
  /** The status of the receiver's answer. @throws CallbackError without one. */
  readonly post: (callback: OutgoingCallback) => Promise<number>;
  readonly now?: () => Date;
}

/** What is to be done with a callback after a try: nothing more, or another one after so many seconds. */
export type DeliveryOutcome =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly seconds: number };

const done: DeliveryOutcome = { isDone: true };

/** The receiver says that it takes no more of these (RFC 9110, section 15.5.11). */
const goneStatus = 410;

const isTaken = (status: number): boolean => status >= 200 && status < 300;

const attemptOnce = async (callback: OutgoingCallback, post: CallbackDependencies["post"]) => {
  try {
    return { status_code: await post(callback) };
  } catch (error) {
    if (error instanceof CallbackError) return { error: error.message };
    throw error;
  }
};

/**
 * Tries once to deliver a callback, and notes what came of it.
 *
 * @param attempts how often it was handed out, this time included.
 */
export const deliverCallback = async (
  request: CallbackRequest,
  attempts: number,
  { secrets, log, post, now = () => new Date() }: CallbackDependencies,
): Promise<DeliveryOutcome> => {
  const { userId, jobId, url, event, occurredAt, data } = request;
  const [signing, { status }] = await Promise.all([secrets.signing(userId), log.read(userId, jobId)]);
  // Without a secret the account is gone. Delivered it is when a try ended before the queue was told so.
  if (signing.length === 0 || status !== "pending") return done;

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
  const seconds = pausesInSeconds[attempts - 1];
  if (isTaken(code)) await log.add(userId, jobId, entry, "delivered");
  else if (code === goneStatus || seconds === undefined) await log.add(userId, jobId, entry, "failed");
  else {
    await log.add(userId, jobId, entry, "pending");
    return { isDone: false, seconds };
  }
  return done;
};
