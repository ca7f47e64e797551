import { createHash, randomUUID } from "node:crypto";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { originAttributes } from "../queue/origin.ts";
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

/** A mail queue over SQS FIFO. */
export const openMailQueue = (queueUrl: string): MailQueue => {
  const client = new SQSClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
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
