import * as z from "zod";
import type { Authority } from "../iam/authority.ts";
import type { AccessRequest } from "../iam/policy.ts";
import { denialMessage, requireAccess } from "../iam/require-access.ts";
import { queueArn } from "./queue-settings.ts";

const input = z.object({
  QueueUrl: z.string().optional(),
  QueueName: z.string().optional(),
});

const resourceOf = (body: unknown): string => {
  const { QueueUrl, QueueName } = input.safeParse(body).data ?? {};
  const name = QueueName ?? QueueUrl?.slice(QueueUrl.lastIndexOf("/") + 1);
  return name === undefined ? "*" : queueArn(name);
};

/** What a call needs: the permission of its operation's name, a batch that of its single operation. */
const requestOf = (operation: string, body: unknown): AccessRequest => ({
  action: `sqs:${operation.replace(/Batch$/, "")}`,
  resource: resourceOf(body),
});

/** @throws AwsError in SQS's words, which have the action in lower case, unless the policies of the caller allow it. */
export const requireAccessIn =
  (authority: Authority | undefined) =>
  (accessKeyId: string, operation: string, body: unknown): void =>
    requireAccess(authority, accessKeyId, [requestOf(operation, body)], {
      unknownKey: "InvalidClientTokenId",
      status: 403,
      message: (denial) => denialMessage(denial).replaceAll(denial.action, denial.action.toLowerCase()),
    });
