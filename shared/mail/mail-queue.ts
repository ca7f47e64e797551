import { createHash, randomUUID } from "node:crypto";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { originAttributes } from "../queue/work-through.ts";
import type { MailRequest } from "./mail-request.ts";

/** Where functions leave the mails they ask for. */
export interface MailQueue {
  send(request: MailRequest): Promise<void>;
}

/** Mails of one recipient stay in order; the group's name tells nothing about the address. */
const groupOf = (request: MailRequest): string =>
  createHash("sha256")
    .update(
      request.kind === "verify-email" ? `user:${request.userId}` : `email:${request.email.toLowerCase()}`,
    )
    .digest("hex");

/** How long one try at the queue may take, and how many there are. */
export interface MailQueueTimeouts {
  readonly tries: number;
  readonly connectionMilliseconds: number;
  readonly requestMilliseconds: number;
}

/** All tries together end before a request does. */
export const mailQueueTimeouts: MailQueueTimeouts = {
  tries: 3,
  connectionMilliseconds: 1_000,
  requestMilliseconds: 3_000,
};

/** A mail queue over SQS FIFO. */
export const openMailQueue = (
  queueUrl: string,
  { tries, connectionMilliseconds, requestMilliseconds } = mailQueueTimeouts,
): MailQueue => {
  const client = new SQSClient({
    maxAttempts: tries,
    requestHandler: {
      connectionTimeout: connectionMilliseconds,
      requestTimeout: requestMilliseconds,
      throwOnRequestTimeout: true,
    },
  });
  return {
    send: async (request) => {
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: JSON.stringify(request),
          MessageGroupId: groupOf(request),
          MessageDeduplicationId: randomUUID(),
          MessageAttributes: originAttributes(),
        }),
      );
    },
  };
};
