import type { ReadingLimit } from "../../shared/accounts/limits/reading-limit.ts";
import { Reply } from "../../shared/http/response.ts";
import type { MessageQueue } from "../../shared/messaging/message-queue.ts";
import type { PlatformSecretSource } from "../../shared/messaging/platform-secrets.ts";
import type { SendReceipt, SentReply } from "../../shared/messaging/send-receipt.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { errorBody } from "../../shared/platform/errors/error-body.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import type { SignatureMode, WebhookResponse } from "./contract.ts";
import { type ReplyReport, readDelivery } from "./read-delivery.ts";
import { checkSignature } from "./verify-platform.ts";

export interface ReceiveDependencies {
  readonly secrets: PlatformSecretSource;
  readonly signatureMode: SignatureMode;
  readonly queue: MessageQueue;
  readonly saveReceipt: (reply: SentReply, receipt: SendReceipt) => Promise<void>;
  /** Limits deliveries without a valid signature. */
  readonly unsigned: ReadingLimit;
}

export interface ReceivedDelivery {
  readonly body: Uint8Array;
  /** The value of `X-Hub-Signature-256`. */
  readonly signature: string | undefined;
  readonly requestId: string;
  readonly sourceAddress: string;
}

const parseJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
};

/** Returns an error in the forms of the service and of the webhook. */
const failure = (error: AppError, requestId: string, reply: WebhookResponse): Reply =>
  new Reply({
    status: error.status,
    contentType: "application/json",
    headers: error.retryAfterSeconds === undefined ? {} : { "Retry-After": String(error.retryAfterSeconds) },
    body: JSON.stringify({ ...errorBody(error, requestId), ...reply }),
  });

/** Saves receipts. They help after a crash; without one, the person waits a little longer for the reply. */
const saveAll = async (
  reports: readonly ReplyReport[],
  { saveReceipt }: ReceiveDependencies,
): Promise<void> => {
  const outcomes = await Promise.allSettled(reports.map(({ reply, receipt }) => saveReceipt(reply, receipt)));
  const failed = outcomes.filter(({ status }) => status === "rejected").length;
  if (failed > 0) logger.warn("receipt.not_saved", { count: failed });
};

const unconfigured = (): AppError =>
  new AppError("service_unavailable", {
    message: "The app secret of the messaging platform has not been configured.",
    retryAfterSeconds: 60,
  });

/** @throws AppError `invalid_signature`, `rate_limited` when there were too many of these, or `service_unavailable` when there is no app secret. */
const requireSignature = async (
  { body, signature, requestId, sourceAddress }: ReceivedDelivery,
  { signatureMode, secrets, unsigned }: ReceiveDependencies,
): Promise<void> => {
  if (signatureMode === "off") return;
  const finding = await checkSignature(body, signature, secrets);
  if (finding === "good") return;
  const { refusal } = unsigned.admit(sourceAddress);
  if (refusal && signatureMode === "enforce" && finding === "bad") throw refusal;
  logger.warn("delivery.not_signed", { request_id: requestId, finding, mode: signatureMode });
  if (signatureMode === "log") return;
  throw finding === "no-secret" ? unconfigured() : new AppError("invalid_signature");
};

/**
 * Receives a delivery: checks its signature, queues its messages, and stores its reports about earlier replies. Never waits for a
 * model.
 *
 * @returns the webhook's response. Its status is 403 for a wrong signature, and 503 when queueing failed: the platform delivers
 * again for up to 7 days, and the queue drops duplicates.
 */
export const receiveDelivery = async (
  delivery: ReceivedDelivery,
  dependencies: ReceiveDependencies,
): Promise<WebhookResponse | Reply> => {
  const startedAt = performance.now();
  const reply = (status: WebhookResponse["status"], message: string | null = null): WebhookResponse => ({
    status,
    processing_time: Math.round(performance.now() - startedAt) / 1_000,
    message,
  });
  const fail = (error: AppError): Reply =>
    failure(error, delivery.requestId, reply(error.status < 500 ? "rejected" : "error", error.message));
  try {
    await requireSignature(delivery, dependencies);
    const { messages, reports, inGroups, absence } = readDelivery(parseJson(delivery.body));
    if (inGroups > 0) logger.info("delivery.in_group", { request_id: delivery.requestId, count: inGroups });
    await Promise.all([dependencies.queue.send(messages), saveAll(reports, dependencies)]);
    return reply(messages.length > 0 ? "success" : absence);
  } catch (error) {
    if (error instanceof AppError) return fail(error);
    logger.error("delivery.failed", { request_id: delivery.requestId, reason: describeError(error) });
    return fail(
      new AppError("service_unavailable", {
        message: "The delivery could not be queued; deliver it again.",
        retryAfterSeconds: 10,
      }),
    );
  }
};
