import { createHash, randomUUID } from "node:crypto";
import type { AwsConfig } from "../../platform/outbound/aws-config.ts";
import { openAwsJsonService } from "../../platform/outbound/aws-json.ts";
import { originAttributes } from "../../platform/queue/work-through.ts";
import { describeErrorName, logger } from "../../platform/telemetry/logger.ts";
import type { MailRequest } from "./mail-request.ts";

/** The queue of requested mails. */
export interface MailQueue {
  send(request: MailRequest): Promise<void>;
}

/** Requests a mail about something that has happened anyway, so a failure is only logged. */
export const requestNotice = async (
  request: MailRequest,
  { mailQueue }: { readonly mailQueue: MailQueue },
): Promise<void> => {
  try {
    await mailQueue.send(request);
  } catch (error) {
    logger.error("mail.not_queued", { reason: describeErrorName(error) });
  }
};

/** Returns the message group: mails of one recipient stay in order. Hashed, so it does not reveal the address. */
const groupOf = (request: MailRequest): string =>
  createHash("sha256")
    .update("userId" in request ? `user:${request.userId}` : `email:${request.email.toLowerCase()}`)
    .digest("hex");

/** The timeout of one attempt. All three together end before a request does. */
export const mailQueueMilliseconds = 3_000;

/** A mail queue over SQS FIFO. */
export const openMailQueue = (
  queueUrl: string,
  aws: AwsConfig,
  attemptMilliseconds = mailQueueMilliseconds,
): MailQueue => {
  const sqs = openAwsJsonService("SQS", aws, { attemptMilliseconds });
  return {
    send: async (request) => {
      await sqs.call("SendMessage", {
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(request),
        MessageGroupId: groupOf(request),
        MessageDeduplicationId: randomUUID(),
        MessageAttributes: originAttributes(),
      });
    },
  };
};
